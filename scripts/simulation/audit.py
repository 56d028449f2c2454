"""The auditor at the log and at the counter: what must hold after every batch and every answer.

Three books are kept and compared: the engine's own state, the ledger summed up from
`engine.ledger.postings`, and the independent tally.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from engine import answers
from engine.answers import Answer, Refused
from engine.dispatch import Command
from engine.facts import RecordedFact, player_stream
from engine.ledger import postings
from engine.refusals import NEVER_STORED, Refusal
from engine.runtime.batch import Batch
from engine.world import EngineState
from scripts.simulation import (
    tally_bets,
    tally_books,
    tally_chat,
    tally_money,
    tally_rounds,
    tally_staff,
    tally_standing,
)
from scripts.simulation.tally import PARTS, LogRecord, Oracle, check

Owner = tuple[str, str]
RULES = {
    **tally_bets.RULES,
    **tally_books.RULES,
    **tally_rounds.RULES,
    **tally_money.RULES,
    **tally_staff.RULES,
    **tally_standing.RULES,
    **tally_chat.RULES,
}


class SentCommand(NamedTuple):
    """A command as a client sends it; without a key it is not remembered."""

    actor: str
    key: str | None
    command: Command


class LiveChecks:
    """Takes in every stored batch, every merge and every answer; Broken for what must not be."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.oracle = Oracle(RULES)
        self.ledger: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.batches = self.repeated = 0
        self._answers_by_key: dict[Owner, bytes] = {}
        self._hash = sha256()

    @property
    def log_hash(self) -> str:
        """Over every fact and remembered answer so far, in their order, with their times."""
        return self._hash.hexdigest()

    def after_store(self, batch: Batch, facts: Sequence[RecordedFact]) -> None:
        """A batch is in the log: what it did, for whom, and whether its answers say so."""
        self.batches += 1
        self._hash.update(_hashed_content(batch))
        balances: dict[Owner, dict[str, int]] = {}
        for recorded, topic, state in zip(facts, batch.topics, batch.states, strict=True):
            record = _record_of(recorded, topic, state)
            self.oracle.apply(record)
            self._post(recorded)
            if record.key:
                balances[record.actor, record.key] = self._expected_balances(record.player)
        check(not self.oracle.unsigned, "a bet was accepted without a signed receipt")
        self._check_outcomes(batch, balances)
        for player in _players_of(batch):
            self._check_ledger(player)

    def _post(self, recorded: RecordedFact) -> None:
        legs = postings(recorded)
        check(sum(leg.amount_minor for leg in legs) == 0, "postings that are not zero", recorded)
        for leg in legs:
            self.ledger[leg.account] += leg.amount_minor

    def _expected_balances(self, player: int) -> dict[str, int]:
        """What an answer may tell of a player; nothing of the house itself."""
        if player < 0:
            return {}
        available, _, withdrawing, bonus = self.oracle.balances(player)
        return {
            "version": self.oracle.versions[player_stream(player)],
            "available_minor": available,
            "bonus_minor": bonus,
            "withdrawing_minor": withdrawing,
        }

    def _check_outcomes(self, batch: Batch, balances: dict[Owner, dict[str, int]]) -> None:
        """Facts come with their command's outcome, a refusal comes without any."""
        owners = zip(batch.outcome_actors, batch.outcome_keys, strict=True)
        for owner, encoded in zip(owners, batch.outcome_answers, strict=True):
            answer, found = answers.decode(encoded), balances.pop(owner, None)
            if isinstance(answer, Refused):
                check(found is None, "a refusal changed the log", owner, answer)
            elif found is not None:
                reported = {name: getattr(answer, name, amount) for name, amount in found.items()}
                check(reported == found, "an answer tells another balance", answer, found)
        check(
            not balances, "facts without an outcome, so that a repeat would do them again", balances
        )

    def _check_ledger(self, player: int) -> None:
        for part in PARTS:
            account = f"player:{player}:{part}"
            amounts = (self.ledger[account], self.oracle.accounts[account])
            check(amounts[0] == amounts[1], f"{account}: ledger and tally differ", amounts)

    def after_merge(self, batch: Batch, world: EngineState) -> None:
        """The engine has made a batch its own: its state is what the log tells."""
        if batch.last_position != self.oracle.position:
            return  # a leader that has lost its lease and does not know it yet
        for player in _players_of(batch):
            self._check_player(player, world)
        for key in world.newest.values():
            expected, actual = self.oracle.rounds[key], world.rounds[key]
            here, there = expected.phase, actual.phase.name.lower()
            check(here == there, "the engine's round is another", key, here, there)
            check(
                expected.gross == actual.book.gross_minor, "the engine's exposure is another", key
            )

    def _check_player(self, number: int, world: EngineState) -> None:
        player = world.players.get(number)
        if player is None:
            return
        there = (player.available, player.staked, player.withdrawing, player.bonus)
        check(there == self.oracle.balances(number), "the engine's balance is another", player)
        version = self.oracle.versions[player_stream(number)]
        check(player.version == version, "the engine's version is another", player, version)

    def after_answer(self, request: SentCommand, answer: Answer, stored: bytes | None) -> None:
        """A client is told something; `kept` is what the log remembers of it."""
        self.commands[type(request.command).__name__] += 1
        refused = answer.refusal if isinstance(answer, Refused) else None
        self.answers[refused or type(answer).__name__] += 1
        check(refused is not Refusal.INTERNAL_ERROR, "an exception in a decision", request)
        if request.key is None or refused in NEVER_STORED or refused is Refusal.KEY_MALFORMED:
            return
        check(stored is not None, "an answer is not remembered", request, answer)
        assert stored is not None
        check(answers.encode(answer) == stored, "told is not what is remembered", request, answer)
        owner = (request.actor, request.key)
        self.repeated += owner in self._answers_by_key
        before = self._answers_by_key.setdefault(owner, stored)
        check(before == stored, "a repeated command got another answer", request, before, stored)

    def discard(self, owners: Iterable[Owner]) -> None:
        """These refusals need no longer be remembered."""
        for owner in owners:
            self._answers_by_key.pop(owner, None)


def _record_of(recorded: RecordedFact, topic: str, state: bytes) -> LogRecord:
    return LogRecord(
        recorded.position,
        recorded.stream,
        recorded.version,
        recorded.at,
        recorded.command_id,
        recorded.actor,
        topic,
        msgspec.json.decode(state),
    )


def _players_of(batch: Batch) -> list[int]:
    """Whom a batch touched or refused."""
    streams = (int(name[7:]) for name in batch.streams if name.startswith("player-"))
    requested = (msgspec.json.decode(command)[1] for command in batch.outcome_commands)
    return list(dict.fromkeys((*streams, *(each for each in requested if isinstance(each, int)))))


def _hashed_content(batch: Batch) -> bytes:
    facts = (batch.at, batch.streams, batch.versions, batch.topics, batch.states)
    outcomes = (batch.commands, batch.actors, batch.outcome_actors, batch.outcome_keys)
    return msgspec.msgpack.encode((facts, outcomes, batch.outcome_answers))
