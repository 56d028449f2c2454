"""A server with the engine's real writer, scheduler and recovery, which can die at any moment.

A leader is one process: it takes the lease, recovers from the log only, writes, and schedules. The
log, the operator's chains and the witness survive it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Executor
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

from eventsourcing.persistence import OperationalError
from msgspec import Struct

from engine.catalogue import GAMES
from engine.engine_state import EngineState
from engine.fairness.witness_state import Signed
from engine.runtime.log.fact_log import Batch
from engine.runtime.log.idempotency import REFUSAL_RETENTION_S, OutcomeCache
from engine.runtime.log.lease import SteppedDown
from engine.runtime.log.snapshots import SNAPSHOT_INTERVAL, Snapshots
from engine.runtime.scheduler.round_scheduler import RoundScheduler
from engine.runtime.scheduler.round_scheduler import SchedulerContext as HouseParts
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.witness.log_evidence import LogEvidence
from engine.runtime.writer.reply import Reply
from engine.runtime.writer.startup import recover
from engine.runtime.writer.writer import Writer
from engine.schedule import Schedule, current
from tests.instruments.simulator.fakes import (
    FakeClock,
    MemoryChains,
    MemoryCommitter,
    MemoryLog,
    MemorySnapshots,
    MemoryWitness,
    SeededBytes,
)
from tests.instruments.simulator.live_checks import LiveChecks, SentCommand
from tests.instruments.simulator.simulated_loop import HOUR, MINUTE, SECOND, pause, rng_for

_COMMIT_US: Final = (500, 120_000)
_SKEW_US: Final = 200_000
_TWICE: Final = 0.1
_LATENESS_US: Final = (0, 0, 0, 0, 1_000, 30_000, 400_000, 2_000_000)
_STALE: Final = 0.3
_RECENT: Final = 5
_T = TypeVar("_T")


class FaultPoint(Struct):
    """A fault of the next batch that `matches`; `stored` says whether it is stored before."""

    name: str
    matches: Callable[[Batch], bool]
    stored: bool
    kills: bool


class CheckedLog(MemoryLog):
    """A log in memory with checks and fault points."""

    def __init__(self, checks: LiveChecks) -> None:
        super().__init__()
        self.checks = checks
        self.fault_point: FaultPoint | None = None
        self.on_fault: Callable[[FaultPoint], None] = lambda _: None
        self.away = False

    def append(self, batch: Batch) -> int:
        """Store a batch, or raise its fault."""
        fault_point = (
            self.fault_point if self.fault_point and self.fault_point.matches(batch) else None
        )
        if fault_point is None:
            return self.store(batch)
        self.fault_point = None
        if fault_point.stored:
            self.store(batch)
        self.on_fault(fault_point)
        if fault_point.kills:
            raise asyncio.CancelledError
        raise OperationalError(fault_point.name)

    def store(self, batch: Batch) -> int:
        """The transaction, followed by the checks of its result."""
        base = super().store(batch)
        self.checks.after_store(batch, self.facts[base:])
        return base


class _Deferred(Awaitable[_T]):
    """Work that is done once it is awaited; a process that dies before leaves nothing behind."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, Any, _T]:
        return self._work().__await__()


class _Committer(MemoryCommitter):
    """A batch takes time before and after the commit, and the process may die meanwhile."""

    def __init__(self, log: CheckedLog, snapshots: Snapshots, rng: Random) -> None:
        super().__init__(log, snapshots)
        self._checked_log = log
        self._rng = rng
        self._dead = self._cut = False

    def die(self, *, cut: bool) -> None:
        """Start nothing more; with `cut`, a batch in flight is not stored."""
        self._dead, self._cut = True, cut

    def _run(self, work: Callable[[], _T], _thread: Executor | None = None) -> Awaitable[_T]:
        return _Deferred(partial(self._delayed, work))

    async def _delayed(self, work: Callable[[], _T]) -> _T:
        if self._dead:
            raise asyncio.CancelledError
        await pause(self._rng.randrange(*_COMMIT_US))
        if self._cut:
            raise asyncio.CancelledError
        if self._checked_log.away:
            raise OperationalError("the database is away")
        result = work()
        await pause(self._rng.randrange(*_COMMIT_US))
        if self._dead:
            raise asyncio.CancelledError
        return result


class _Outcomes(OutcomeCache):
    """The real cache; its `put_batch` is called when the engine has applied a batch."""

    def __init__(self, checks: LiveChecks) -> None:
        super().__init__()
        self._checks = checks
        self.world = EngineState()

    def put_batch(self, batch: Batch) -> None:
        super().put_batch(batch)
        self._checks.after_merge(batch, self.world)


class Witness(MemoryWitness):
    """The real witness, which cannot be reached while `away`."""

    away = False

    def release(self, request: Signed, evidence: LogEvidence | None = None) -> tuple[bytes, bytes]:
        """As the witness does, if it can be reached."""
        self._require_reachable()
        return super().release(request, evidence)

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """As the witness does, if it can be reached."""
        self._require_reachable()
        return super().cancel(request)

    def _require_reachable(self) -> None:
        if self.away:
            raise OSError("the witness cannot be reached")


class LeaderProcess:
    """One process's engine, from its recovery to its death."""

    def __init__(self, server: "SimulatedServer") -> None:
        """Take the lease and recover at one moment of simulated time."""
        skew = server.rng.choice((0, server.rng.randrange(-_SKEW_US, _SKEW_US)))
        self._server = server

        def clock() -> int:
            return server.clock.now + skew

        self._clock = clock
        self.committer = _Committer(server.log, server.snapshots, server.rng)
        outcomes = _Outcomes(server.checks)
        outcomes.world = recover(server.log, server.schedule.timezone)
        self.writer = Writer(
            outcomes.world, self.committer, outcomes, server.key, self._clock, server.entropy
        )
        parts = HouseParts(
            server.schedule,
            server.odds_table,
            server.key,
            server.chains,
            server.witness,
            self._clock,
        )
        self.scheduler = RoundScheduler(self.writer, parts)
        self._writing = server.start(self._write())
        self._conducting = server.start(self._conduct())

    async def _write(self) -> None:
        try:
            await self.writer.run()
        except SteppedDown:
            self._server.record_fault("lease lost")
        finally:
            self._server.leader_ended(self)

    async def _conduct(self) -> None:
        while True:
            await self.scheduler.tick()
            if self._server.rng.random() < _TWICE:
                await self.scheduler.tick()
            await pause(self._until_due())

    def _until_due(self) -> int:
        """The scheduler's wait, but without a tick a second while nothing is due."""
        now, late = self._clock(), self._server.rng.choice(_LATENESS_US)
        if any(
            each.closes_at <= now and (each.opened.draws_at <= now or each.closed is None)
            for game in GAMES
            for each in self.writer.state.unfinished_rounds(game)
        ):
            return SECOND
        times = [now + MINUTE]
        for game in GAMES:
            place = current(self._server.schedule, game, now)
            if place is not None:
                times += [place.closes_at, place.draws_at]
        return min(time for time in times if time > now) - now + late

    def die(self, *, cut: bool) -> None:
        """End the process; with `cut`, a batch in flight is not stored."""
        self.committer.die(cut=cut)
        self._conducting.cancel()
        self._writing.cancel()

    async def stop(self) -> None:
        """Stop regularly: all submitted commands are answered."""
        self._conducting.cancel()
        self.writer.stop()
        await asyncio.wait((self._writing,))


class SimulatedServer:
    """What outlives a leader, and the entry point of the clients."""

    def __init__(
        self,
        clock: FakeClock,
        schedule: Schedule,
        odds_table: str,
        seed: int,
        start: Callable[..., asyncio.Task[Any]],
    ) -> None:
        """`start` makes a task whose failure is the simulation's."""
        self.clock, self.schedule, self.odds_table = clock, schedule, odds_table
        self.rng, self.entropy, self.start = rng_for("house", seed), SeededBytes(seed), start
        self.checks = LiveChecks()
        self.log = CheckedLog(self.checks)
        self.log.on_fault = self._fault_injected
        # Some servers save snapshots so often that every restart begins with one, others as in
        # production.
        self.snapshots = MemorySnapshots(self.log, self.rng.choice((SNAPSHOT_INTERVAL, 5, 40)))
        self.key = OperatorKey(self.entropy(32))
        self.chains = MemoryChains(self.entropy)
        self.witness = Witness(clock, self.entropy)
        self.leader: LeaderProcess | None = None
        self.former: LeaderProcess | None = None
        self.fault_counts: dict[str, int] = {}
        self.outages: list[tuple[int, int]] = []
        self.recent: deque[tuple[int, str]] = deque(maxlen=_RECENT)

    def open(self) -> None:
        """Start a new leader. A living old one has not noticed yet that it lost the lease."""
        self.former, self.leader = self.leader, None
        self.leader = LeaderProcess(self)

    def record_fault(self, what: str) -> None:
        """Count an injected fault."""
        self.fault_counts[what] = self.fault_counts.get(what, 0) + 1
        self.recent.append((self.clock.now, what))

    def leader_ended(self, leader: LeaderProcess) -> None:
        """A leader no longer writes."""
        if self.leader is leader:
            self.leader = None
        if self.former is leader:
            self.former = None

    def has_fault_point(self) -> bool:
        """Whether a fault point still waits for its batch."""
        return self.log.fault_point is not None

    def _fault_injected(self, fault_point: FaultPoint) -> None:
        self.record_fault(fault_point.name)
        if fault_point.kills and self.leader is not None:
            self.leader.die(cut=True)

    async def submit(self, request: SentCommand) -> Reply | None:
        """Returns the answer to a client; None if there is no leader to answer."""
        leader = self.leader
        if self.former is not None and self.rng.random() < _STALE:
            leader = self.former
        if leader is None:
            return None
        reply = await leader.writer.submit(*request)
        key = (request.actor, request.key or "")
        stored = self.log.outcomes.get(key)
        self.checks.after_answer(request, reply.answer, stored[1] if stored else None)
        return reply

    async def expire_refusals(self) -> None:
        """Expire refusals every hour, as the engine does."""
        while True:
            await pause(HOUR)
            before = self.clock.now - REFUSAL_RETENTION_S * SECOND
            self.checks.discard(self.log.refused_before(before))
            self.log.delete_refusals(before)
            for leader in filter(None, (self.leader, self.former)):
                leader.writer.evict_outcomes()
