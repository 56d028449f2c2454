"""The invariants after every batch and every answer.

Compares three books: the engine's own state, the ledger summed from `engine.ledger.postings`, and
the independent oracle.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from engine import answers
from engine.answers import Answer, Refused
from engine.command_handler import Command
from engine.engine_state import EngineState
from engine.facts import RecordedFact, player_stream
from engine.ledger import postings
from engine.refusals import NEVER_STORED, Refusal
from engine.runtime.log.fact_log import Batch
from tests.instruments.simulator import (
    oracle_bets,
    oracle_books,
    oracle_chat,
    oracle_money,
    oracle_profiles,
    oracle_rounds,
    oracle_staff,
)
from tests.instruments.simulator.oracle import PARTS, LogRecord, Oracle, check

Owner = tuple[str, str]
RULES = {
    **oracle_bets.RULES,
    **oracle_books.RULES,
    **oracle_rounds.RULES,
    **oracle_money.RULES,
    **oracle_staff.RULES,
    **oracle_profiles.RULES,
    **oracle_chat.RULES,
}


class SentCommand(NamedTuple):
    """A command as a client sends it; without a key its outcome is not stored."""

    actor: str
    key: str | None
    command: Command


class LiveChecks:
    """Checks every stored batch, merge and answer. Raises InvariantViolation on a fault."""

    def __init__(self) -> None:
        """Initially empty."""
        self.oracle = Oracle(RULES)
        self.ledger: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.batches = self.repeated = 0
        self._answers_by_key: dict[Owner, bytes] = {}
        self._hash = sha256()

    @property
    def log_hash(self) -> str:
        """A hash over every fact and stored answer so far, in order and with their times."""
        return self._hash.hexdigest()

    def after_store(self, batch: Batch, facts: Sequence[RecordedFact]) -> None:
        """Check a stored batch: its facts, its accounts, and that its answers match them."""
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
        """The values that an answer may report about a player; none for the house."""
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
        """Facts come with their command's outcome; a refusal comes without facts."""
        owners = zip(batch.outcome_actors, batch.outcome_keys, strict=True)
        for owner, encoded in zip(owners, batch.outcome_answers, strict=True):
            answer, found = answers.decode(encoded), balances.pop(owner, None)
            if isinstance(answer, Refused):
                check(found is None, "a refusal changed the log", owner, answer)
            elif found is not None:
                reported = {name: getattr(answer, name, amount) for name, amount in found.items()}
                check(reported == found, "an answer has another balance", answer, found)
        check(
            not balances, "facts without an outcome, so that a repeat would do them again", balances
        )

    def _check_ledger(self, player: int) -> None:
        for part in PARTS:
            account = f"player:{player}:{part}"
            amounts = (self.ledger[account], self.oracle.accounts[account])
            check(amounts[0] == amounts[1], f"{account}: ledger and oracle differ", amounts)

    def after_merge(self, batch: Batch, world: EngineState) -> None:
        """Check the engine's state after it has applied a batch."""
        if batch.last_position != self.oracle.position:
            return  # a leader that has lost its lease and has not noticed yet
        for player in _players_of(batch):
            self._check_player(player, world)
        for key in world.newest.values():
            expected, actual = self.oracle.rounds[key], world.rounds[key]
            here, there = expected.phase, actual.phase.name.lower()
            check(here == there, "the engine's round is another", key, here, there)
            if expected.total < 0:  # from the draw on the engine no longer counts it
                same = expected.gross == actual.book.gross_minor
                check(same, "the engine's exposure is another", key)

    def _check_player(self, number: int, world: EngineState) -> None:
        player = world.players.get(number)
        if player is None:
            return
        there = (player.available, player.staked, player.withdrawing, player.bonus)
        check(there == self.oracle.balances(number), "the engine's balance is another", player)
        version = self.oracle.versions[player_stream(number)]
        check(player.version == version, "the engine's version is another", player, version)

    def after_answer(self, request: SentCommand, answer: Answer, stored: bytes | None) -> None:
        """Check an answer to a client; `stored` is the outcome in the log."""
        self.commands[type(request.command).__name__] += 1
        refused = answer.refusal if isinstance(answer, Refused) else None
        self.answers[refused or type(answer).__name__] += 1
        check(refused is not Refusal.INTERNAL_ERROR, "an exception in a decision", request)
        if request.key is None or refused in NEVER_STORED or refused is Refusal.KEY_MALFORMED:
            return
        check(stored is not None, "an answer is not remembered", request, answer)
        assert stored is not None
        check(answers.encode(answer) == stored, "the answer is not the stored one", request, answer)
        owner = (request.actor, request.key)
        self.repeated += owner in self._answers_by_key
        before = self._answers_by_key.setdefault(owner, stored)
        check(before == stored, "a repeated command got another answer", request, before, stored)

    def discard(self, owners: Iterable[Owner]) -> None:
        """Forget these refusals, whose outcomes have expired."""
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
    """The players whom a batch changed or refused."""
    streams = (int(name[7:]) for name in batch.streams if name.startswith("player-"))
    requested = (msgspec.json.decode(command)[1] for command in batch.outcome_commands)
    return list(dict.fromkeys((*streams, *(each for each in requested if isinstance(each, int)))))


def _hashed_content(batch: Batch) -> bytes:
    facts = (batch.at, batch.streams, batch.versions, batch.topics, batch.states)
    outcomes = (batch.commands, batch.actors, batch.outcome_actors, batch.outcome_keys)
    return msgspec.msgpack.encode((facts, outcomes, batch.outcome_answers))
