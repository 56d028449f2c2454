"""The one writer: every command passes here, in one order, and that order is the log.

It drains what has arrived, decides it on an overlay, stores the batch in one transaction and
only then answers each caller. While one batch is stored, the next one fills.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from eventsourcing.persistence import IntegrityError, PersistenceError
from msgspec import Struct

from engine.answers import Answer, BetAccepted, Refused
from engine.dispatch import Command, Means, decide, players_of
from engine.fairness.merkle import Tree
from engine.fairness.receipts import SALT_BYTES
from engine.house.facts import ReceiptsSigned
from engine.players.decisions import Fresh
from engine.refusals import NEVER_REMEMBERED, Refusal
from engine.rounds.commands import SettleRound, VoidRound
from engine.runtime.batch import Batch
from engine.runtime.commit import Committer
from engine.runtime.keys import OperatorKey
from engine.runtime.lease import LeaseLost
from engine.runtime.outcomes import Outcomes
from engine.world import Overlay, World

QUEUE_LIMIT: Final = 20_000
BATCH_LIMIT: Final = 1_000
PATIENCE_S: Final = 5.0
PLAYERS_KEPT: Final = 200_000
BET_ID_BYTES: Final = 10
_SLICES: Final = (SettleRound, VoidRound)

_log = structlog.get_logger()


class Proof(Struct, frozen=True):
    """Where a bet's receipt stands among those that its batch's signature covers."""

    index: int
    tree: Tree
    signature: str


class Reply(Struct, frozen=True):
    """An answer; `position` is the log's end after it, 0 when it was remembered."""

    answer: Answer
    position: int = 0
    proof: Proof | None = None


class Pending(Struct, eq=False):
    """A command that waits for its answer; `arrived` is the event loop's clock in seconds."""

    actor: str
    key: str | None
    command: Command
    arrived: float
    reply: asyncio.Future[Reply]

    def answer(self, reply: Reply) -> None:
        """Answer the caller, who may have gone away."""
        if not self.reply.done():
            self.reply.set_result(reply)

    def refuse(self, refusal: Refusal, field: str = "") -> None:
        """Answer with a refusal that nobody remembers."""
        self.answer(Reply(Refused(refusal, field)))


class Decided(Struct):
    """A batch in the making: who gets which answer once it is stored."""

    overlay: Overlay
    batch: Batch
    answers: list[tuple[Pending, Answer, int]]
    twins: list[tuple[Pending, Pending]]
    proof: tuple[Tree, str] | None = None


class Writer:
    """Decides and stores. `clock` gives microseconds since 1970, `entropy` random bytes."""

    def __init__(
        self,
        world: World,
        committer: Committer,
        outcomes: Outcomes,
        key: OperatorKey,
        clock: Callable[[], int],
        entropy: Callable[[int], bytes],
    ) -> None:
        """Write to the log that `committer` stores in, from the state `world`."""
        self.world = world
        self._committer = committer
        self._outcomes = outcomes
        self._key = key
        self._clock = clock
        self._entropy = entropy
        self._players: deque[Pending] = deque()
        self._house: deque[Pending] = deque()
        self._arrived = asyncio.Event()
        self._stopping = False

    @property
    def queued(self) -> int:
        """Commands that wait to be decided."""
        return len(self._players) + len(self._house)

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """A player's or clerk's command; refused at once when the queue is full.

        `key` is the client's id for it: the same key gets the first answer again.
        """
        pending = self._pending(actor, key, command)
        if self._stopping:
            pending.refuse(Refusal.UNAVAILABLE)
        elif len(self._players) >= QUEUE_LIMIT:
            pending.refuse(Refusal.ENGINE_BUSY)
        else:
            self._players.append(pending)
            self._arrived.set()
        return pending.reply

    def submit_house(self, command: Command) -> asyncio.Future[Reply]:
        """A step of the house: never refused for lack of room, never kept waiting by players."""
        pending = self._pending("house", None, command)
        if self._stopping:
            pending.refuse(Refusal.UNAVAILABLE)
        self._house.append(pending)
        self._arrived.set()
        return pending.reply

    def _pending(self, actor: str, key: str | None, command: Command) -> Pending:
        loop = asyncio.get_running_loop()
        return Pending(actor, key, command, loop.time(), loop.create_future())

    async def run(self) -> None:
        """Write until stopped; LeaseLost when another leader has taken over."""
        try:
            while not self._stopping or self.queued:
                await self._arrived.wait()
                self._arrived.clear()
                while self.queued:
                    await self._process(self._drain())
        finally:
            self._stopping = True
            for pending in (*self._house, *self._players):
                pending.refuse(Refusal.UNAVAILABLE)

    def stop(self) -> None:
        """Answer what has arrived, take no more."""
        self._stopping = True
        self._arrived.set()

    def _drain(self) -> list[Pending]:
        """The house's steps first, but one slice of settlements a batch, then the players."""
        batch: list[Pending] = []
        while self._house:
            batch.append(self._house.popleft())
            if isinstance(batch[-1].command, _SLICES):
                break
        oldest = asyncio.get_running_loop().time() - PATIENCE_S
        while self._players and len(batch) < BATCH_LIMIT:
            pending = self._players.popleft()
            if pending.arrived < oldest:
                pending.refuse(Refusal.DEADLINE_PASSED)
            else:
                batch.append(pending)
        return batch

    async def _process(self, pendings: list[Pending]) -> None:
        while pendings:
            await self._load_players(pendings)
            decided = self._decide(pendings)
            try:
                stored = await self._committer.store(decided.batch)
            except IntegrityError:
                pendings = await self._answer_remembered(pendings)
                continue
            except (LeaseLost, PersistenceError):
                for pending in pendings:
                    pending.refuse(Refusal.OUTCOME_UNKNOWN)
                raise
            if stored:
                self._publish(decided)
                return

    async def _load_players(self, pendings: Sequence[Pending]) -> None:
        wanted = [player for each in pendings for player in players_of(each.command, self.world)]
        missing = self.world.missing(wanted)
        if missing:
            facts = await self._committer.player_facts(missing)
            self.world.load_players(missing, facts)

    def _decide(self, pendings: Sequence[Pending]) -> Decided:
        now = self._committer.time(self._clock())
        overlay = Overlay(self.world, now)
        batch = self._committer.batch(self._entropy(16), now)
        decided = Decided(overlay, batch, [], [])
        random = self._entropy((BET_ID_BYTES + SALT_BYTES) * len(pendings)).hex()
        firsts: dict[tuple[str, str], Pending] = {}
        for number, pending in enumerate(pendings):
            if pending.key is not None and self._is_repeated(pending, firsts, decided):
                continue
            self._decide_one(pending, _means(random, number, self._key), decided)
        self._sign_receipts(decided)
        _add_facts(decided)
        return decided

    def _is_repeated(
        self, pending: Pending, firsts: dict[tuple[str, str], Pending], decided: Decided
    ) -> bool:
        """Whether this key's answer is known, or will be by an earlier command of the batch."""
        assert pending.key is not None
        remembered = self._outcomes.recall(pending.actor, pending.key, pending.command)
        if remembered is not None:
            pending.answer(Reply(remembered))
            return True
        first = firsts.setdefault((pending.actor, pending.key), pending)
        if first is pending:
            return False
        decided.twins.append((pending, first))
        return True

    def _decide_one(self, pending: Pending, means: Means, decided: Decided) -> None:
        overlay, batch = decided.overlay, decided.batch
        applied, before, leaf = overlay.applied, len(overlay.drafts), len(overlay.leaves)
        try:
            answer = decide(pending.command, overlay, means)
        except Exception:
            # A fault in one decision must not stop the house; one in `evolve` must.
            if overlay.applied != applied:
                raise
            _log.exception("decision failed", command=type(pending.command).__name__)
            answer = Refused(Refusal.INTERNAL_ERROR)
        grown = len(overlay.drafts) - before
        batch.commands += [pending.key or ""] * grown
        batch.actors += [pending.actor] * grown
        decided.answers.append((pending, answer, leaf))
        if pending.key is not None and not _is_forgotten(answer):
            self._outcomes.add(batch, pending.actor, pending.key, pending.command, answer)

    def _sign_receipts(self, decided: Decided) -> None:
        leaves = decided.overlay.leaves
        if not leaves:
            return
        tree = Tree(leaves)
        signature = self._key.sign_receipts(len(leaves), tree.head).hex()
        decided.overlay.add_receipts(ReceiptsSigned(len(leaves), tree.head.hex(), signature))
        decided.batch.commands.append("")
        decided.batch.actors.append("house")
        decided.proof = (tree, signature)

    def _publish(self, decided: Decided) -> None:
        """The batch is stored: make it the world's, remember it, and answer everyone."""
        decided.overlay.merge()
        self._outcomes.keep(decided.batch)
        self.world.forget_players(PLAYERS_KEPT)
        position = self._committer.next - 1
        replies: dict[int, Reply] = {}
        for pending, answer, leaf in decided.answers:
            proof = None
            if decided.proof is not None and type(answer) is BetAccepted:
                proof = Proof(leaf, *decided.proof)
            reply = Reply(answer, position, proof)
            pending.answer(reply)
            if decided.twins:
                replies[id(pending)] = reply
        for twin, first in decided.twins:
            twin.answer(self._twin_reply(twin, replies[id(first)]))

    def _twin_reply(self, twin: Pending, first: Reply) -> Reply:
        """A repeated key in one batch gets the first one's answer, if it asks for the same."""
        assert twin.key is not None
        remembered = self._outcomes.recall(twin.actor, twin.key, twin.command)
        reused = isinstance(remembered, Refused) and remembered.refusal == Refusal.KEY_REUSED
        return Reply(remembered) if remembered is not None and reused else first

    async def _answer_remembered(self, pendings: list[Pending]) -> list[Pending]:
        """Some keys of the batch are in the log: answer those, hand back the rest.

        When none is, somebody else has written to our streams: that is another leader.
        """
        keys = [(each.actor, each.key) for each in pendings if each.key is not None]
        found = await self._committer.outcomes(keys)
        if not found:
            raise LeaseLost
        self._outcomes.restore(found)
        return pendings


def _means(random: str, number: int, key: OperatorKey) -> Means:
    start = number * 2 * (BET_ID_BYTES + SALT_BYTES)
    middle = start + 2 * BET_ID_BYTES
    fresh = Fresh(random[start:middle], random[middle : middle + 2 * SALT_BYTES])
    return Means(fresh, key.sign)


def _add_facts(decided: Decided) -> None:
    drafts, batch = decided.overlay.drafts, decided.batch
    batch.streams = [draft.stream for draft in drafts]
    batch.versions = [draft.version for draft in drafts]
    batch.topics = [draft.topic for draft in drafts]
    batch.states = [draft.state for draft in drafts]


def _is_forgotten(answer: Answer) -> bool:
    return isinstance(answer, Refused) and answer.refusal in NEVER_REMEMBERED
