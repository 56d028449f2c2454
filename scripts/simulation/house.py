"""A house with the engine's real writer, conductor and recovery, which can die at any moment.

A leader is what one process would be: it takes the lease, recovers from the log and from nothing
else, writes, and conducts. What survives it is the log, the operator's chains and the witness.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from random import Random
from typing import Any, Final, TypeVar

from eventsourcing.persistence import OperationalError
from msgspec import Struct

from engine.catalogue import GAMES
from engine.fairness.witness_state import Signed
from engine.runtime.batch import Batch
from engine.runtime.conductor import Conductor
from engine.runtime.conductor import House as HouseParts
from engine.runtime.keys import OperatorKey
from engine.runtime.lease import SteppedDown
from engine.runtime.outcomes import REFUSALS_KEPT_S, Outcomes
from engine.runtime.recovery import recover
from engine.runtime.replies import Reply
from engine.runtime.snapshots import EVERY, Snapshots
from engine.runtime.writer import Writer
from engine.schedule import Schedule, current
from engine.world import World
from scripts.simulation.audit import Asked, Audit
from scripts.simulation.clockwork import HOUR, MINUTE, SECOND, pause, whims
from scripts.simulation.edges import (
    Chance,
    Clock,
    MemoryChains,
    MemoryCommitter,
    MemoryLog,
    MemorySnapshots,
    MemoryWitness,
)

_COMMIT_US: Final = (500, 120_000)
_SKEW_US: Final = 200_000
_TWICE: Final = 0.1
_LATENESS_US: Final = (0, 0, 0, 0, 1_000, 30_000, 400_000, 2_000_000)
_STALE: Final = 0.3
_RECENT: Final = 5
_T = TypeVar("_T")


class Trap(Struct):
    """What is to happen to the next batch that `fits`, and whether it is stored before."""

    name: str
    fits: Callable[[Batch], bool]
    stored: bool
    kills: bool


class AuditedLog(MemoryLog):
    """A log in memory at which the auditor stands, and traps are laid."""

    def __init__(self, audit: Audit) -> None:
        super().__init__()
        self.audit = audit
        self.trap: Trap | None = None
        self.sprung: Callable[[Trap], None] = lambda _: None
        self.away = False

    def append(self, batch: Batch) -> int:
        """Store a batch, unless it runs into a trap."""
        trap = self.trap if self.trap and self.trap.fits(batch) else None
        if trap is None:
            return self.store(batch)
        self.trap = None
        if trap.stored:
            self.store(batch)
        self.sprung(trap)
        if trap.kills:
            raise asyncio.CancelledError
        raise OperationalError(trap.name)

    def store(self, batch: Batch) -> int:
        """The transaction, and the auditor's look at what it left."""
        base = super().store(batch)
        self.audit.stored(batch, self.facts[base:])
        return base


class _Committer(MemoryCommitter):
    """On its way to the log and back a batch takes time, and the process may die."""

    def __init__(self, log: AuditedLog, snapshots: Snapshots, chance: Random) -> None:
        super().__init__(log, snapshots)
        self._log_at_hand = log
        self._chance = chance
        self._dead = self._cut = False

    def die(self, *, cut: bool) -> None:
        """Nothing begins any more; with `cut`, what has begun never arrives."""
        self._dead, self._cut = True, cut

    async def _run(self, work: Callable[[], _T], _thread: Executor | None = None) -> _T:
        if self._dead:
            raise asyncio.CancelledError
        await pause(self._chance.randrange(*_COMMIT_US))
        if self._cut:
            raise asyncio.CancelledError
        if self._log_at_hand.away:
            raise OperationalError("the database is away")
        result = work()
        await pause(self._chance.randrange(*_COMMIT_US))
        if self._dead:
            raise asyncio.CancelledError
        return result


class _Outcomes(Outcomes):
    """The real ones; their keeping is the moment at which a batch has become the world's."""

    def __init__(self, audit: Audit) -> None:
        super().__init__()
        self._audit = audit
        self.world = World()

    def keep(self, batch: Batch) -> None:
        super().keep(batch)
        self._audit.merged(batch, self.world)


class Witness(MemoryWitness):
    """The real witness, who cannot be reached while `away`."""

    away = False

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """As the witness does, if it is there."""
        self._be_there()
        return super().release(request)

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """As the witness does, if it is there."""
        self._be_there()
        return super().cancel(request)

    def _be_there(self) -> None:
        if self.away:
            raise OSError("the witness cannot be reached")


class Leader:
    """One process's engine, from its recovery to its death."""

    def __init__(self, house: "House") -> None:
        """Take the lease and recover, without a moment between."""
        skew = house.chance.choice((0, house.chance.randrange(-_SKEW_US, _SKEW_US)))
        self._house = house

        def clock() -> int:
            return house.clock.now + skew

        self._clock = clock
        self.committer = _Committer(house.log, house.snapshots, house.chance)
        outcomes = _Outcomes(house.audit)
        outcomes.world = recover(house.log, house.schedule.timezone)
        self.writer = Writer(
            outcomes.world, self.committer, outcomes, house.key, self._clock, house.entropy
        )
        parts = HouseParts(
            house.schedule, house.odds_table, house.key, house.chains, house.witness, self._clock
        )
        self.conductor = Conductor(self.writer, parts)
        self._writing = house.start(self._write())
        self._conducting = house.start(self._conduct())

    async def _write(self) -> None:
        try:
            await self.writer.run()
        except SteppedDown:
            self._house.count("lease lost")
        finally:
            self._house.ended(self)

    async def _conduct(self) -> None:
        while True:
            await self.conductor.tick()
            if self._house.chance.random() < _TWICE:
                await self.conductor.tick()
            await pause(self._until_due())

    def _until_due(self) -> int:
        """As the conductor says, but without a tick a second where nothing is due."""
        now, late = self._clock(), self._house.chance.choice(_LATENESS_US)
        if any(
            each.closes_at <= now and (each.opened.draws_at <= now or each.closed is None)
            for game in GAMES
            for each in self.writer.world.owed(game)
        ):
            return SECOND
        times = [now + MINUTE]
        for game in GAMES:
            place = current(self._house.schedule, game, now)
            if place is not None:
                times += [place.closes_at, place.draws_at]
        return min(time for time in times if time > now) - now + late

    def die(self, *, cut: bool) -> None:
        """Be gone; with `cut`, what was on its way to the log never arrives."""
        self.committer.die(cut=cut)
        self._conducting.cancel()
        self._writing.cancel()

    async def stop(self) -> None:
        """End in good order: whoever has asked is answered."""
        self._conducting.cancel()
        self.writer.stop()
        await asyncio.wait((self._writing,))


class House:
    """What outlives a leader, and the door at which clients knock."""

    def __init__(
        self,
        clock: Clock,
        schedule: Schedule,
        odds_table: str,
        seed: int,
        start: Callable[..., asyncio.Task[Any]],
    ) -> None:
        """`start` makes a task whose failure is the simulation's."""
        self.clock, self.schedule, self.odds_table = clock, schedule, odds_table
        self.chance, self.entropy, self.start = whims("house", seed), Chance(seed), start
        self.audit = Audit()
        self.log = AuditedLog(self.audit)
        self.log.sprung = self._sprung
        # Some houses keep a state so often that every restart begins with one, others as ours does.
        self.snapshots = MemorySnapshots(self.log, self.chance.choice((EVERY, 5, 40)))
        self.key = OperatorKey(self.entropy(32))
        self.chains = MemoryChains(self.entropy)
        self.witness = Witness(clock, self.entropy)
        self.leader: Leader | None = None
        self.former: Leader | None = None
        self.counted: dict[str, int] = {}
        self.absences: list[tuple[int, int]] = []
        self.recent: deque[tuple[int, str]] = deque(maxlen=_RECENT)

    def open(self) -> None:
        """A new leader; an old one that is still there does not know that it has lost the lease."""
        self.former, self.leader = self.leader, None
        self.leader = Leader(self)

    def count(self, what: str) -> None:
        """Something went wrong that was meant to."""
        self.counted[what] = self.counted.get(what, 0) + 1
        self.recent.append((self.clock.now, what))

    def ended(self, leader: Leader) -> None:
        """A leader no longer writes."""
        if self.leader is leader:
            self.leader = None
        if self.former is leader:
            self.former = None

    def trapped(self) -> bool:
        """Whether a trap still waits for its batch."""
        return self.log.trap is not None

    def _sprung(self, trap: Trap) -> None:
        self.count(trap.name)
        if trap.kills and self.leader is not None:
            self.leader.die(cut=True)

    async def ask(self, asked: Asked) -> Reply | None:
        """The answer to a client, or None where nobody is there to give one."""
        leader = self.leader
        if self.former is not None and self.chance.random() < _STALE:
            leader = self.former
        if leader is None:
            return None
        reply = await leader.writer.submit(*asked)
        key = (asked.actor, asked.key or "")
        kept = self.log.kept.get(key)
        self.audit.answered(asked, reply.answer, kept[1] if kept else None)
        return reply

    async def forget_refusals(self) -> None:
        """Every hour, as the engine does."""
        while True:
            await pause(HOUR)
            before = self.clock.now - REFUSALS_KEPT_S * SECOND
            self.audit.forget(self.log.refused_before(before))
            self.log.forget_refusals(before)
            for leader in filter(None, (self.leader, self.former)):
                leader.writer.forget_outcomes()
