"""What goes wrong, as a table: deaths between any two steps, lost answers, two leaders, outages."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple

from engine.catalogue import GAMES
from engine.runtime.batch import Batch
from engine.runtime.conductor import StepRefused
from engine.runtime.witness_port import WitnessDeclined
from scripts.simulation.clockwork import MINUTE, SECOND, pause
from scripts.simulation.house import House, Trap

_MOMENTS: Final[dict[str, Callable[[Batch], bool]]] = {
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
_PATIENCE_US: Final = 10 * MINUTE


async def _dies(house: House, chance: Random) -> None:
    """At any moment; what was on its way to the log may still arrive, or not."""
    cut = chance.random() < 0.5  # noqa: PLR2004
    house.count("died, its batch cut off" if cut else "died, its batch under way")
    if house.leader is not None:
        house.leader.die(cut=cut)
    await _is_followed(house, chance)


async def _runs_into_a_trap(house: House, chance: Random) -> None:
    """Just before a batch of some kind is stored, or just after; the process dies, or not."""
    moment = chance.choice(list(_MOMENTS))
    stored, kills = chance.random() < 0.5, chance.random() < 0.7  # noqa: PLR2004
    what = "died" if kills else "answer lost"
    name = f"{what} {'after' if stored else 'before'} the commit of {moment}"
    house.log.trap = Trap(name, _MOMENTS[moment], stored, kills)
    waited = 0
    while house.trapped() and waited < _PATIENCE_US:
        await pause(SECOND)
        waited += SECOND
    house.log.trap = None
    await _is_followed(house, chance)


async def _is_followed(house: House, chance: Random) -> None:
    """Another process takes over after a moment, where nobody leads."""
    await pause(chance.randrange(3 * SECOND))
    if house.leader is None:
        house.open()


async def _loses_its_lease(house: House, chance: Random) -> None:
    """Another takes over while it is still there, and for some seconds knows nothing of it."""
    house.count("another took over")
    house.open()
    former = house.former
    await pause(chance.randrange(30 * SECOND))
    if former is not None:
        former.die(cut=chance.random() < 0.5)  # noqa: PLR2004


async def _is_restarted(house: House, chance: Random) -> None:
    """In good order, by a person."""
    house.count("restarted in good order")
    if house.leader is not None:
        await house.leader.stop()
    await _is_followed(house, chance)


async def _loses_power(house: House, chance: Random) -> None:
    """Nobody is there for longer than a round."""
    house.count("nobody led for some rounds")
    if house.leader is not None:
        house.leader.die(cut=True)
    began = house.clock.now
    await pause(chance.randrange(3 * MINUTE, 12 * MINUTE))
    house.absences.append((began, house.clock.now))
    house.open()


async def _loses_the_database(house: House, chance: Random) -> None:
    """For longer than clients wait, now and then."""
    house.count("database away")
    house.log.away = True
    await pause(chance.choice((SECOND, 3 * SECOND, 12 * SECOND, MINUTE)))
    house.log.away = False


async def _loses_the_witness(house: House, chance: Random) -> None:
    """No draw without the witness, however long."""
    house.count("witness away")
    house.witness.away = True
    await pause(chance.randrange(20 * SECOND, 10 * MINUTE))
    house.witness.away = False


async def _voids(house: House, chance: Random) -> None:
    """Staff void a round between its close and its draw, and go on until it is done."""
    game = chance.choice(list(GAMES))
    for _ in range(int(_PATIENCE_US / SECOND)):
        sale = house.audit.tally.newest.get(game)
        if sale is not None and sale.phase == "closed" and house.clock.now < sale.draws_at:
            house.count("round voided")
            await _void(house, game, sale.issue)
            return
        await pause(SECOND)


async def _void(house: House, game: int, issue: str) -> None:
    """Whoever has begun it ends it: the witness will not release that round any more."""
    while house.audit.tally.phase(game, issue) == "closed":
        # Refused, or nobody there to ask, as the office may see it: then try again.
        with suppress(StepRefused, WitnessDeclined, OSError, KeyError):
            if house.leader is not None:
                await house.leader.conductor.void(game, issue, "incident")
        await pause(SECOND)


class Trouble(NamedTuple):
    """What happens, and how often of a hundred times."""

    strike: Callable[[House, Random], Awaitable[None]]
    share: int


TROUBLES: Final = (
    Trouble(_dies, 18),
    Trouble(_runs_into_a_trap, 46),
    Trouble(_loses_its_lease, 12),
    Trouble(_is_restarted, 4),
    Trouble(_loses_power, 3),
    Trouble(_loses_the_database, 6),
    Trouble(_loses_the_witness, 5),
    Trouble(_voids, 6),
)


async def make_trouble(house: House, chance: Random, every_us: int, until: int) -> None:
    """One trouble after the other, about `every_us` apart, and calm at the end."""
    shares = [trouble.share for trouble in TROUBLES]
    while (next_at := house.clock.now + chance.randrange(every_us * 2)) < until:
        await pause(next_at - house.clock.now)
        (trouble,) = chance.choices(TROUBLES, shares)
        await trouble.strike(house, chance)
    house.log.trap = None
    if house.leader is None:
        house.open()
