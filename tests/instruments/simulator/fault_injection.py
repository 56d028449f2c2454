"""The faults as a table: crashes between any two steps, lost answers, two leaders, outages."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple

from engine.catalogue import GAMES
from engine.runtime.log.fact_log import Batch
from engine.runtime.scheduler.round_scheduler import StepRefused
from engine.runtime.witness.witness import WitnessDeclined
from tests.instruments.simulator.simulated_loop import MINUTE, SECOND, pause
from tests.instruments.simulator.simulated_server import FaultPoint, SimulatedServer

_BATCH_KINDS: Final[dict[str, Callable[[Batch], bool]]] = {
    "a bet": lambda batch: "bet-placed.1" in batch.topics,
    "a recall": lambda batch: "bet-recalled.1" in batch.topics,
    "a close": lambda batch: "round-closed.1" in batch.topics,
    "a draw": lambda batch: "round-drawn.1" in batch.topics,
    "a settlement": lambda batch: "bet-settled.1" in batch.topics,
    "a last settlement": lambda batch: "round-settled.1" in batch.topics,
    "an opening": lambda batch: "round-opened.1" in batch.topics,
    "a day": lambda batch: "day-opened.1" in batch.topics,
    "any batch": lambda batch: bool(batch.topics),
}
_TIMEOUT_US: Final = 10 * MINUTE


async def _dies(server: SimulatedServer, rng: Random) -> None:
    """Crash at any moment; a batch in flight may still be stored, or not."""
    cut = rng.random() < 0.5
    server.record_fault("died, its batch cut off" if cut else "died, its batch under way")
    if server.leader is not None:
        server.leader.die(cut=cut)
    await _start_successor(server, rng)


async def _hits_a_fault_point(server: SimulatedServer, rng: Random) -> None:
    """Fault just before or just after storing a batch of some kind; the process may die."""
    kind = rng.choice(list(_BATCH_KINDS))
    stored, kills = rng.random() < 0.5, rng.random() < 0.7
    what = "died" if kills else "answer lost"
    name = f"{what} {'after' if stored else 'before'} the commit of {kind}"
    server.log.fault_point = FaultPoint(name, _BATCH_KINDS[kind], stored, kills)
    waited = 0
    while server.has_fault_point() and waited < _TIMEOUT_US:
        await pause(SECOND)
        waited += SECOND
    server.log.fault_point = None
    await _start_successor(server, rng)


async def _start_successor(server: SimulatedServer, rng: Random) -> None:
    """Start another process after a moment if there is no leader."""
    await pause(rng.randrange(3 * SECOND))
    if server.leader is None:
        server.open()


async def _loses_its_lease(server: SimulatedServer, rng: Random) -> None:
    """Another process takes over while this one is alive and does not notice for some seconds."""
    server.record_fault("another took over")
    server.open()
    former = server.former
    await pause(rng.randrange(30 * SECOND))
    if former is not None:
        former.die(cut=rng.random() < 0.5)


async def _is_restarted(server: SimulatedServer, rng: Random) -> None:
    """A regular restart by a person."""
    server.record_fault("restarted in good order")
    if server.leader is not None:
        await server.leader.stop()
    await _start_successor(server, rng)


async def _loses_power(server: SimulatedServer, rng: Random) -> None:
    """An outage of the server that is longer than a round."""
    server.record_fault("no leader for some rounds")
    if server.leader is not None:
        server.leader.die(cut=True)
    began = server.clock.now
    await pause(rng.randrange(3 * MINUTE, 12 * MINUTE))
    server.outages.append((began, server.clock.now))
    server.open()


async def _loses_the_database(server: SimulatedServer, rng: Random) -> None:
    """A database outage, sometimes longer than clients wait."""
    server.record_fault("database away")
    server.log.away = True
    await pause(rng.choice((SECOND, 3 * SECOND, 12 * SECOND, MINUTE)))
    server.log.away = False


async def _loses_the_witness(server: SimulatedServer, rng: Random) -> None:
    """A witness outage: no draw without the witness, however long it lasts."""
    server.record_fault("witness away")
    server.witness.away = True
    await pause(rng.randrange(20 * SECOND, 10 * MINUTE))
    server.witness.away = False


async def _voids(server: SimulatedServer, rng: Random) -> None:
    """Staff void a round between its close and its draw, retrying until it is done."""
    game = rng.choice(list(GAMES))
    for _ in range(int(_TIMEOUT_US / SECOND)):
        round_ = server.checks.oracle.newest.get(game)
        if round_ is not None and round_.phase == "closed" and server.clock.now < round_.draws_at:
            server.record_fault("round voided")
            await _void(server, game, round_.issue)
            return
        await pause(SECOND)


async def _void(server: SimulatedServer, game: int, issue: str) -> None:
    """Void until it is done: a begun void must end, because the witness no longer releases."""
    while server.checks.oracle.phase(game, issue) == "closed":
        # Refused, or no leader to submit it to: try again.
        with suppress(StepRefused, WitnessDeclined, OSError, KeyError):
            if server.leader is not None:
                await server.leader.scheduler.void(game, issue, "incident")
        await pause(SECOND)


class Fault(NamedTuple):
    """A fault, and its share in percent."""

    inject: Callable[[SimulatedServer, Random], Awaitable[None]]
    share: int


FAULTS: Final = (
    Fault(_dies, 18),
    Fault(_hits_a_fault_point, 46),
    Fault(_loses_its_lease, 12),
    Fault(_is_restarted, 4),
    Fault(_loses_power, 3),
    Fault(_loses_the_database, 6),
    Fault(_loses_the_witness, 5),
    Fault(_voids, 6),
)


async def inject_faults(server: SimulatedServer, rng: Random, every_us: int, until: int) -> None:
    """Inject faults about `every_us` apart, and end with a running server."""
    shares = [fault.share for fault in FAULTS]
    while (next_at := server.clock.now + rng.randrange(every_us * 2)) < until:
        await pause(next_at - server.clock.now)
        (fault,) = rng.choices(FAULTS, shares)
        await fault.inject(server, rng)
    server.log.fault_point = None
    if server.leader is None:
        server.open()
