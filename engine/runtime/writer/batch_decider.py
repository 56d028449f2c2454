"""Decides a batch of commands in memory: facts, outcomes and answers, none of them stored yet."""

import asyncio
import struct
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from msgspec import Struct, field

from engine.answers import Answer, BetAccepted, Refused
from engine.bets.decisions import BetRandomness
from engine.command_handler import Command, DecisionContext, decide
from engine.engine_state import Overlay
from engine.fairness.merkle import Tree
from engine.fairness.receipts import SALT_BYTES
from engine.refusals import NEVER_STORED, Refusal
from engine.runtime.log.fact_log import Batch
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.writer.reply import Reply, receipt_proofs

_BET_TIME_BYTES: Final = 6
_BET_RANDOM_BYTES: Final = 8
_BATCH_ID_BYTES: Final = 16
_RANDOMNESS: Final = struct.Struct(f"{_BET_RANDOM_BYTES}s{SALT_BYTES}s")
_log = structlog.get_logger()


class PendingCommand(Struct, eq=False):
    """A command that waits for its answer; `arrived` is in seconds of the event loop's clock."""

    actor: str
    key: str | None
    command: Command
    arrived: float
    reply: asyncio.Future[Reply]

    def answer(self, reply: Reply) -> None:
        """Answer the caller, unless it has cancelled."""
        if not self.reply.done():
            self.reply.set_result(reply)

    def refuse(self, refusal: Refusal) -> None:
        """Answer with a refusal that is not stored."""
        self.answer(Reply(Refused(refusal)))


class DecidedBatch(Struct):
    """A batch to be stored, with the answers to send after that and the repeats that wait for them.

    The log is stored up to position `stored`. Each of `answers` has the index that its bet's
    receipt would have in the batch. `repeats` pairs a command with an earlier one of the same key,
    `firsts` are those earlier ones. Commands in `remembered` got a stored answer and are answered
    already.
    """

    overlay: Overlay
    batch: Batch
    stored: int
    answers: list[tuple[PendingCommand, Answer, int]] = field(default_factory=list)
    repeats: list[tuple[PendingCommand, PendingCommand]] = field(default_factory=list)
    firsts: dict[tuple[str, str], PendingCommand] = field(default_factory=dict)
    receipts: tuple[Tree, str] | None = None
    remembered: list[PendingCommand] = field(default_factory=list)

    def pendings(self) -> list[PendingCommand]:
        """Returns every command that is still to be answered."""
        return [pending for pending, _, _ in self.answers] + [again for again, _ in self.repeats]


class BatchDecider:
    """Decides batches; `entropy` returns random bytes."""

    def __init__(
        self, outcomes: OutcomeCache, key: OperatorKey, entropy: Callable[[int], bytes]
    ) -> None:
        """Answer repeated commands from `outcomes`, sign receipts and records with `key`."""
        self._outcomes = outcomes
        self._key = key
        self._entropy = entropy

    def begin(self, overlay: Overlay, first_position: int, stored: int) -> DecidedBatch:
        """Returns an empty batch to be decided on `overlay`, at its time."""
        batch = Batch(
            id=self._entropy(_BATCH_ID_BYTES), at=overlay.now, first_position=first_position
        )
        return DecidedBatch(overlay, batch, stored)

    def add(self, decided: DecidedBatch, pendings: Sequence[PendingCommand]) -> None:
        """Decide these commands in order. A key with a cached answer is answered immediately.

        A bet's id is the hex of 6 bytes of the batch's time in milliseconds and 8 random bytes.
        """
        sign, randomness = self._key.sign, self._entropy(_RANDOMNESS.size * len(pendings))
        # Ids in order of time, as in a UUIDv7, are neighbours in an index. Random ones cost three
        # times as much to insert.
        time = (decided.overlay.now // 1_000).to_bytes(_BET_TIME_BYTES, "big").hex()
        for pending, (bet, salt) in zip(pendings, _RANDOMNESS.iter_unpack(randomness), strict=True):
            if pending.key is not None and self._is_repeated(pending, decided):
                continue
            self._decide_one(
                pending, DecisionContext(BetRandomness(time + bet.hex(), salt.hex()), sign), decided
            )

    def seal(self, decided: DecidedBatch) -> None:
        """Sign the receipts of the batch's bets. It is complete then, and may be stored."""
        decided.receipts = decided.overlay.sign_receipts(self._key.sign_receipts)
        if decided.receipts is not None:
            decided.batch.commands.append("")
            decided.batch.actors.append("house")
        _add_facts(decided)

    def _is_repeated(self, pending: PendingCommand, decided: DecidedBatch) -> bool:
        """Whether the key's answer is cached, or comes from an earlier command of the batch."""
        assert pending.key is not None
        remembered = self._outcomes.lookup(pending.actor, pending.key, pending.command)
        if remembered is not None:
            pending.answer(Reply(remembered, decided.stored))
            decided.remembered.append(pending)
            return True
        first = decided.firsts.setdefault((pending.actor, pending.key), pending)
        if first is pending:
            return False
        decided.repeats.append((pending, first))
        return True

    def _decide_one(
        self, pending: PendingCommand, context: DecisionContext, decided: DecidedBatch
    ) -> None:
        overlay, batch = decided.overlay, decided.batch
        applied, before, leaf = overlay.applied, len(overlay.drafts), len(overlay.leaves)
        try:
            answer = decide(pending.command, overlay, context)
        except Exception:
            # A fault in one decision must not stop the engine. A fault in `evolve` must.
            if overlay.applied != applied:
                raise
            _log.exception("decision failed", command=type(pending.command).__name__)
            answer = Refused(Refusal.INTERNAL_ERROR)
        grown = len(overlay.drafts) - before
        batch.commands += [pending.key or ""] * grown
        batch.actors += [pending.actor] * grown
        decided.answers.append((pending, answer, leaf))
        if pending.key is not None and not _is_never_stored(answer):
            self._outcomes.add(batch, pending.actor, pending.key, pending.command, answer, grown)

    def publish(self, decided: DecidedBatch) -> None:
        """Answer all commands of a stored batch."""
        position = decided.batch.last_position
        receipts = decided.receipts
        proofs = receipt_proofs(decided.overlay.entries, *receipts) if receipts else []
        replies: dict[int, Reply] = {}
        for pending, answer, leaf in decided.answers:
            proof = proofs[leaf] if proofs and type(answer) is BetAccepted else None
            reply = Reply(answer, position, proof)
            pending.answer(reply)
            if decided.repeats:
                replies[id(pending)] = reply
        for again, first in decided.repeats:
            again.answer(self._repeated(again, replies[id(first)]))

    def _repeated(self, again: PendingCommand, first: Reply) -> Reply:
        """Returns the first command's answer to a repeat in its batch, if both are the same."""
        assert again.key is not None
        remembered = self._outcomes.lookup(again.actor, again.key, again.command)
        reused = isinstance(remembered, Refused) and remembered.refusal == Refusal.KEY_REUSED
        return Reply(remembered, first.position) if remembered is not None and reused else first


def _add_facts(decided: DecidedBatch) -> None:
    drafts, batch = decided.overlay.drafts, decided.batch
    batch.streams = [draft.stream for draft in drafts]
    batch.versions = [draft.version for draft in drafts]
    batch.topics = [draft.topic for draft in drafts]
    batch.states = [draft.state for draft in drafts]


def _is_never_stored(answer: Answer) -> bool:
    return isinstance(answer, Refused) and answer.refusal in NEVER_STORED
