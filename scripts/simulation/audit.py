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
from engine.facts import Recorded, player_stream
from engine.ledger import postings
from engine.refusals import NEVER_REMEMBERED, Refusal
from engine.runtime.batch import Batch
from engine.world import World
from scripts.simulation import (
    tally_bets,
    tally_books,
    tally_chat,
    tally_money,
    tally_rounds,
    tally_staff,
    tally_standing,
)
from scripts.simulation.tally import PARTS, Line, Tally, demand

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


class Asked(NamedTuple):
    """A command as a client sends it; without a key it is not remembered."""

    actor: str
    key: str | None
    command: Command


class Audit:
    """Takes in every stored batch, every merge and every answer; Broken for what must not be."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.tally = Tally(RULES)
        self.ledger: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.batches = self.repeated = 0
        self._told: dict[Owner, bytes] = {}
        self._hash = sha256()

    @property
    def log_hash(self) -> str:
        """Over every fact and remembered answer so far, in their order, with their times."""
        return self._hash.hexdigest()

    def stored(self, batch: Batch, facts: Sequence[Recorded]) -> None:
        """A batch is in the log: what it did, for whom, and whether its answers say so."""
        self.batches += 1
        self._hash.update(_content(batch))
        held: dict[Owner, dict[str, int]] = {}
        for recorded, topic, state in zip(facts, batch.topics, batch.states, strict=True):
            line = _line(recorded, topic, state)
            self.tally.take(line)
            self._post(recorded)
            if line.key:
                held[line.actor, line.key] = self._held(line.player)
        demand(not self.tally.unsigned, "a bet was accepted without a signed receipt")
        self._check_outcomes(batch, held)
        for player in _players(batch):
            self._check_ledger(player)

    def _post(self, recorded: Recorded) -> None:
        legs = postings(recorded)
        demand(sum(leg.amount_minor for leg in legs) == 0, "postings that are not zero", recorded)
        for leg in legs:
            self.ledger[leg.account] += leg.amount_minor

    def _held(self, player: int) -> dict[str, int]:
        """What an answer may tell of a player; nothing of the house itself."""
        if player < 0:
            return {}
        available, _, withdrawing, bonus = self.tally.held(player)
        return {
            "version": self.tally.versions[player_stream(player)],
            "available_minor": available,
            "bonus_minor": bonus,
            "withdrawing_minor": withdrawing,
        }

    def _check_outcomes(self, batch: Batch, held: dict[Owner, dict[str, int]]) -> None:
        """Facts come with their command's outcome, a refusal comes without any."""
        owners = zip(batch.outcome_actors, batch.outcome_keys, strict=True)
        for owner, encoded in zip(owners, batch.outcome_answers, strict=True):
            answer, found = answers.decode(encoded), held.pop(owner, None)
            if isinstance(answer, Refused):
                demand(found is None, "a refusal changed the log", owner, answer)
            elif found is not None:
                told = {name: getattr(answer, name, amount) for name, amount in found.items()}
                demand(told == found, "an answer tells another balance", answer, found)
        demand(not held, "facts without an outcome, so that a repeat would do them again", held)

    def _check_ledger(self, player: int) -> None:
        for part in PARTS:
            account = f"player:{player}:{part}"
            amounts = (self.ledger[account], self.tally.accounts[account])
            demand(amounts[0] == amounts[1], f"{account}: ledger and tally differ", amounts)

    def merged(self, batch: Batch, world: World) -> None:
        """The engine has made a batch its own: its state is what the log tells."""
        if batch.last_position != self.tally.position:
            return  # a leader that has lost its lease and does not know it yet
        for player in _players(batch):
            self._check_player(player, world)
        for key in world.newest.values():
            mine, theirs = self.tally.rounds[key], world.rounds[key]
            here, there = mine.phase, theirs.phase.name.lower()
            demand(here == there, "the engine's round is another", key, here, there)
            demand(mine.gross == theirs.book.gross_minor, "the engine's exposure is another", key)

    def _check_player(self, number: int, world: World) -> None:
        player = world.players.get(number)
        if player is None:
            return
        there = (player.available, player.staked, player.withdrawing, player.bonus)
        demand(there == self.tally.held(number), "the engine's balance is another", player)
        version = self.tally.versions[player_stream(number)]
        demand(player.version == version, "the engine's version is another", player, version)

    def answered(self, asked: Asked, answer: Answer, kept: bytes | None) -> None:
        """A client is told something; `kept` is what the log remembers of it."""
        self.commands[type(asked.command).__name__] += 1
        refused = answer.refusal if isinstance(answer, Refused) else None
        self.answers[refused or type(answer).__name__] += 1
        demand(refused is not Refusal.INTERNAL_ERROR, "an exception in a decision", asked)
        if asked.key is None or refused in NEVER_REMEMBERED or refused is Refusal.KEY_MALFORMED:
            return
        demand(kept is not None, "an answer is not remembered", asked, answer)
        assert kept is not None
        demand(answers.encode(answer) == kept, "told is not what is remembered", asked, answer)
        owner = (asked.actor, asked.key)
        self.repeated += owner in self._told
        before = self._told.setdefault(owner, kept)
        demand(before == kept, "a repeated command got another answer", asked, before, kept)

    def forget(self, owners: Iterable[Owner]) -> None:
        """These refusals need no longer be remembered."""
        for owner in owners:
            self._told.pop(owner, None)


def _line(recorded: Recorded, topic: str, state: bytes) -> Line:
    return Line(
        recorded.position,
        recorded.stream,
        recorded.version,
        recorded.at,
        recorded.command_id,
        recorded.actor,
        topic,
        msgspec.json.decode(state),
    )


def _players(batch: Batch) -> list[int]:
    """Whom a batch touched or refused."""
    streams = (int(name[7:]) for name in batch.streams if name.startswith("player-"))
    asked = (msgspec.json.decode(command)[1] for command in batch.outcome_commands)
    return list(dict.fromkeys((*streams, *(each for each in asked if isinstance(each, int)))))


def _content(batch: Batch) -> bytes:
    facts = (batch.at, batch.streams, batch.versions, batch.topics, batch.states)
    asked = (batch.commands, batch.actors, batch.outcome_actors, batch.outcome_keys)
    return msgspec.msgpack.encode((facts, asked, batch.outcome_answers))
