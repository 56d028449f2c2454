"""The single writer with group commit: all commands pass through it, in the order of the log.

It drains the queue, decides the batch on an overlay, stores it in one transaction and only then
answers each caller. While one batch is being stored the next one collects. If many commands wait,
or a slice of a settlement, the next batch is already decided, on top of the one in flight. It stays
open until it is sent: bets that arrive meanwhile join it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from eventsourcing.persistence import IntegrityError
from msgspec import Struct

from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.payment_references import evict_credits, load_credits
from engine.command_handler import Command, players_of, references_of
from engine.engine_state import EngineState, Overlay
from engine.refusals import Refusal
from engine.rounds.commands import ReturnStakes, SettleRound, VoidRound
from engine.runtime import supervision
from engine.runtime.log.idempotency import OutcomeCache, is_key
from engine.runtime.log.lease import LeaseLost
from engine.runtime.log.reads import RecentFacts
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.writer.batch_decider import BatchDecider, DecidedBatch, PendingCommand
from engine.runtime.writer.commit import Committer
from engine.runtime.writer.observer import Observer
from engine.runtime.writer.reply import Reply

QUEUE_LIMIT: Final = 20_000
BATCH_LIMIT: Final = 1_000
MIN_PIPELINED_BATCH: Final = 100
QUEUE_TIMEOUT_S: Final = 5.0
MAX_JOIN_US: Final = 100_000
"""How long after a batch was begun bets may still join it."""
PLAYER_CACHE_SIZE: Final = 200_000
REFERENCE_CACHE_SIZE: Final = 10_000
_SLICES: Final = (SettleRound, ReturnStakes, VoidRound)


class InFlightBatch(Struct, frozen=True):
    """A batch that is being stored since `began`, in seconds of the event loop's clock."""

    decided: DecidedBatch
    stored: asyncio.Task[bool]
    began: float
    finished: asyncio.Event


class Writer:
    """Decides commands and stores facts.

    `clock` returns microseconds since 1970, `entropy` random bytes.
    """

    def __init__(
        self,
        state: EngineState,
        committer: Committer,
        outcomes: OutcomeCache,
        key: OperatorKey,
        clock: Callable[[], int],
        entropy: Callable[[int], bytes],
        recent: RecentFacts | None = None,
        observer: Observer | None = None,
    ) -> None:
        """Continue from `state` and store with `committer`.

        Stored facts are also added to `recent`, for log consumers in this process.
        """
        self.state = state
        self.observer = observer or Observer()
        self._committer = committer
        self._outcomes = outcomes
        self._decider = BatchDecider(outcomes, key, entropy)
        self._clock = clock
        self._recent = recent
        self._players: deque[PendingCommand] = deque()
        self._internal: deque[PendingCommand] = deque()
        self._deciding: list[PendingCommand] = []
        self._in_flight: InFlightBatch | None = None
        #: When the first of the tries began that all failed since a batch was last stored.
        self._failing_since: float | None = None
        self._arrived = asyncio.Event()
        # Kept, because in Python 3.11 each get_running_loop() makes a system call.
        self._loop = asyncio.get_running_loop()
        self._enough_queued: asyncio.Future[None] = self._loop.create_future()
        self._stopping = False

    @property
    def queued(self) -> int:
        """Commands that wait to be decided."""
        return len(self._players) + len(self._internal)

    @property
    def stuck_s(self) -> float:
        """For how many seconds the oldest batch has waited to be decided and stored; 0 if none.

        A batch that is not stored is decided again: its wait began with the first try.
        """
        began = [self._in_flight.began] if self._in_flight is not None else []
        began += [self._failing_since] if self._failing_since is not None else []
        began += [pending.arrived for pending in self._deciding[:1]]
        return self._loop.time() - min(began) if began else 0.0

    @property
    def ahead_us(self) -> int:
        """How far the log's last fact is ahead of the clock, in microseconds; may be negative."""
        return self._committer.time(0) - self._clock()

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """Submit a command of a player or of staff. It is refused immediately if the queue is full.

        `key` is the client's idempotency key: a repeated key gets the first answer.
        """
        pending = self._pending(actor, key, command)
        if self._stopping:
            pending.refuse(Refusal.UNAVAILABLE)
        elif key is not None and not is_key(key):
            pending.refuse(Refusal.KEY_MALFORMED)  # an unstorable key would stop the writer
        elif len(self._players) >= QUEUE_LIMIT:
            self._reject(pending, Refusal.ENGINE_BUSY)
        else:
            self._players.append(pending)
            self._arrived.set()
            if self.queued >= MIN_PIPELINED_BATCH:
                self._notify_enough()
        return pending.reply

    def submit_internal(self, command: Command) -> asyncio.Future[Reply]:
        """Submit a step of the server. The queue limit does not apply, and it precedes players."""
        pending = self._pending("house", None, command)
        if self._stopping:
            pending.refuse(Refusal.UNAVAILABLE)
        else:
            self._internal.append(pending)
            self._arrived.set()
            if self._is_enough_queued():
                self._notify_enough()
        return pending.reply

    def _is_enough_queued(self) -> bool:
        """Whether a batch is decided while another is being stored: many commands, or a slice."""
        return self.queued >= MIN_PIPELINED_BATCH or any(
            isinstance(pending.command, _SLICES) for pending in self._internal
        )

    def _notify_enough(self) -> None:
        if not self._enough_queued.done():
            self._enough_queued.set_result(None)

    def _reject(self, pending: PendingCommand, refusal: Refusal) -> None:
        pending.refuse(refusal)
        self.observer.rejected(pending.command, refusal)

    def _pending(self, actor: str, key: str | None, command: Command) -> PendingCommand:
        return PendingCommand(actor, key, command, self._loop.time(), self._loop.create_future())

    async def caught_up(self) -> None:
        """Wait until the state includes everything now in the log, or until the writer ends."""
        if self._in_flight is not None:
            await self._in_flight.finished.wait()

    async def run(self) -> None:
        """Write until stopped.

        Raises LeaseLost if another leader has taken over, LogMoved or CannotCommit as
        `Committer.store` does.
        """
        try:
            while self.queued or self._in_flight is not None or not self._stopping:
                await self._step()
        finally:
            self._stopping = True
            self._refuse_unanswered()

    def stop(self) -> None:
        """Answer the queued commands and accept no more."""
        self._stopping = True
        self._arrived.set()

    def _refuse_unanswered(self) -> None:
        """Refuse every unanswered command, however the writer ended."""
        in_flight: list[PendingCommand] = []
        if self._in_flight is not None:
            in_flight = self._in_flight.decided.pendings()
            self._in_flight.stored.add_done_callback(_discard_exception)
            self._in_flight.finished.set()
        for pending in (*in_flight, *self._deciding):
            pending.refuse(Refusal.OUTCOME_UNKNOWN)
        for pending in (*self._internal, *self._players):
            pending.refuse(Refusal.UNAVAILABLE)

    async def _step(self) -> None:
        """Finish the batch in flight, decide the queued commands, or wait for either."""
        if self._in_flight is not None and not self._is_enough_queued():
            await self._stored_or_enough_queued(self._in_flight.stored)
        elif self.queued:
            await self._write(self._drain())
        else:
            await self._arrived.wait()
            self._arrived.clear()

    async def _stored_or_enough_queued(self, stored: asyncio.Task[bool]) -> None:
        """Finish the batch in flight, unless enough commands arrive first to decide another."""
        self._enough_queued = self._loop.create_future()
        await asyncio.wait((stored, self._enough_queued), return_when=asyncio.FIRST_COMPLETED)
        if stored.done():
            finished, again = await self._finish_storing()
            self._publish(finished)
            if again:
                await self._write(again)

    def _drain(self) -> list[PendingCommand]:
        """Returns the next batch: internal steps, up to one of `_SLICES`, then players."""
        steps: list[PendingCommand] = []
        while self._internal:
            steps.append(self._internal.popleft())
            if isinstance(steps[-1].command, _SLICES):
                break
        return steps + self._drain_players(BATCH_LIMIT - len(steps))

    def _drain_players(
        self, limit: int, accepts: Callable[[PendingCommand], bool] = lambda _: True
    ) -> list[PendingCommand]:
        """Returns the oldest commands of players, at most `limit`, up to one not accepted."""
        batch: list[PendingCommand] = []
        oldest = self._loop.time() - QUEUE_TIMEOUT_S
        while self._players and len(batch) < limit and accepts(self._players[0]):
            pending = self._players.popleft()
            if pending.arrived < oldest:
                self._reject(pending, Refusal.DEADLINE_PASSED)
            else:
                batch.append(pending)
        return batch

    async def _write(self, pendings: list[PendingCommand]) -> None:
        """Decide a batch while the previous one is being stored, then start storing it."""
        self._deciding = pendings
        decided = await self._decided(pendings)
        rest = decided.pendings()
        finished, again = await self._finish_storing()
        while again:
            # The previous batch was not stored, so decisions on top of it are discarded.
            self._deciding = again + rest
            self._send(await self._decided(again))
            decided = await self._decided(rest)
            finished, again = await self._finish_storing()
        try:
            await self._join(decided)
            self._send(decided)
            self._deciding = []
            # The database gets its next batch before the callers of the last one are answered.
            await asyncio.sleep(0)
        finally:
            self._publish(finished)

    async def _join(self, decided: DecidedBatch) -> None:
        """Decide the bets and recalls that have arrived since the batch was begun.

        They are decided at its time, as if they had arrived then. So they wait for the next batch
        if that was long ago, or if a sale has ended in between.
        """
        if self._players and self._may_join(decided.overlay, self._clock()):
            limit = BATCH_LIMIT - len(decided.answers)
            joining = self._drain_players(limit, self._is_joinable)
            self._deciding = self._deciding + joining
            # Everything before this batch is stored now, and its keys are answered from there.
            decided.stored = self._committer.next - 1
            await self._add(decided, joining)

    def _may_join(self, overlay: Overlay, now: int) -> bool:
        newest = [overlay.newest(game) for game in self.state.games]
        ended = any(each and overlay.now < each.closes_at <= now for each in newest)
        return now - overlay.now <= MAX_JOIN_US and not ended

    def _is_joinable(self, pending: PendingCommand) -> bool:
        """Whether a command may be decided at a time before its arrival, and without a read.

        A batch must not wait for the database here. And other commands name times of their own: at
        the earlier time, a time-out of the longest duration would be too long.
        """
        command = pending.command
        return isinstance(command, PlaceBet | RecallBets) and command.player in self.state.players

    def _send(self, decided: DecidedBatch) -> None:
        self._decider.seal(decided)
        clock = self._loop.time
        began, stored = clock(), supervision.owned(self._committer.store(decided.batch))
        stored.add_done_callback(lambda _: self.observer.committed(clock() - began))
        self._in_flight = InFlightBatch(decided, stored, began, asyncio.Event())

    async def _finish_storing(self) -> tuple[DecidedBatch | None, list[PendingCommand]]:
        """Wait until the batch in flight is stored, and merge it into the state.

        Returns the batch, to be published, or if it was not stored its commands, to decide again.
        """
        if self._in_flight is None:
            return None, []
        decided, began = self._in_flight.decided, self._in_flight.began
        try:
            stored = await self._in_flight.stored
        except IntegrityError:
            await self._load_stored_outcomes(decided)
            stored = False
        self._in_flight.finished.set()
        self._in_flight = None
        if not stored:
            self._failing_since = self._failing_since or began
            return None, decided.pendings()
        self._failing_since = None
        snapshots = self._committer.snapshots
        due = decided.overlay.due_snapshots(snapshots.every) if snapshots else []
        decided.overlay.merge()
        self._committer.save_snapshots([self.state.players[player] for player in due])
        self.state.evict_players(PLAYER_CACHE_SIZE)
        evict_credits(self.state.references, REFERENCE_CACHE_SIZE)
        self._outcomes.put_batch(decided.batch)
        if self._recent is not None:
            self._recent.add(decided.batch, decided.overlay.drafts)
        return decided, []

    def _publish(self, finished: DecidedBatch | None) -> None:
        if finished is not None:
            self._decider.publish(finished)
            repeated = [*finished.remembered, *(again for again, _ in finished.repeats)]
            now = self._loop.time()
            self.observer.batch_answered(finished.answers, repeated, now)

    def evict_outcomes(self) -> None:
        """Clear the outcome cache: a key whose outcome was deleted from the log is new again."""
        self._outcomes.clear()

    async def _load_stored_outcomes(self, decided: DecidedBatch) -> None:
        """Cache the outcomes of the batch's keys that are in the log.

        Raises LeaseLost if none is: then another leader has written to these streams.
        """
        keys = list(zip(decided.batch.outcome_actors, decided.batch.outcome_keys, strict=True))
        found = await self._committer.outcomes(keys)
        if not found:
            raise LeaseLost
        self._outcomes.restore(found)

    async def _decided(self, pendings: Sequence[PendingCommand]) -> DecidedBatch:
        below = self._in_flight.decided if self._in_flight is not None else None
        now = self._committer.time(self._clock())
        if below is None:
            overlay, first = Overlay(self.state, now), self._committer.next
            stored = first - 1
        else:
            now = max(now, below.batch.at)
            overlay = Overlay(self.state, now, below.overlay)
            first = below.batch.last_position + 1
            stored = first - 1 - len(below.batch.streams)
        await self._load(pendings, overlay)
        decided = self._decider.begin(overlay, first, stored)
        await self._add(decided, pendings)
        return decided

    async def _load(self, pendings: Sequence[PendingCommand], overlay: Overlay) -> None:
        """Load the players and payment references that these commands need."""
        ids = [player for each in pendings for player in players_of(each.command, overlay)]
        missing = self.state.missing(ids)
        if missing:
            self.state.load_players(missing, *await self._committer.player_history(missing))
        requested = [each for pending in pendings for each in references_of(pending.command)]
        unknown = [each for each in dict.fromkeys(requested) if each not in self.state.references]
        if unknown:
            facts = await self._committer.references(unknown)
            load_credits(self.state.references, unknown, facts)

    async def _add(self, decided: DecidedBatch, pendings: Sequence[PendingCommand]) -> None:
        try:
            self._decider.add(decided, pendings)
        except Exception:
            # Another leader may have changed a player before the read. Then the lease is lost, and
            # the decision is not at fault.
            await self._committer.check_lease()
            raise


def _discard_exception(stored: asyncio.Task[bool]) -> None:
    """Retrieve the exception, because nothing awaits this batch; the next leader reads the log."""
    if not stored.cancelled():
        stored.exception()
