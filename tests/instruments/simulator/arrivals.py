"""When players act: in waves after an opening and before a close."""

import asyncio
from collections.abc import Callable
from itertools import cycle
from typing import Any, Final

from engine.catalogue import GAMES
from engine.schedule import current
from tests.instruments.simulator.action_mix import BEHAVIOURS, arrive
from tests.instruments.simulator.population import Population, SimulatedPlayer
from tests.instruments.simulator.simulated_loop import MINUTE, SECOND, pause

Start = Callable[..., asyncio.Task[Any]]
_WAVES: Final = (0.03, 0.5, 0.93)
"""As fractions of a round's time on sale."""
_WAVE_US: Final = 60_000
_THOROUGH_US: Final = 10 * SECOND
_AT_NIGHT_US: Final = 30 * MINUTE


async def register_first_players(population: Population, members: int) -> None:
    """All first players join at once; every behaviour is present."""
    await asyncio.gather(*(arrive(population, nature) for nature in natures(members)))


def natures(members: int) -> list[str]:
    """The behaviours of this many people, each at least once, by their shares."""
    total = sum(behaviour.share for behaviour in BEHAVIOURS.values())
    shared = [
        name
        for name, behaviour in BEHAVIOURS.items()
        for _ in range(max(1, members * behaviour.share // total))
    ]
    return [*shared, *["bets"] * (members - len(shared))]


def act_once_per_nature(population: Population, start: Start) -> None:
    """One player of every behaviour does all its actions, so that each day has all commands."""
    population.thorough_until = population.server.clock.now + _THOROUGH_US
    first = {member.nature: member for member in reversed(population.members)}
    for game, member in zip(cycle(GAMES), first.values(), strict=False):
        start(_act(population, member, game))


async def play(
    population: Population, game: int, day: tuple[int, int], one_in: int, start: Start
) -> None:
    """Waves of players for one game, and single ones at night, until the day is over.

    About one player in `one_in` acts in each wave.
    """
    clock, (opens, until) = population.server.clock, day
    while clock.now < until:
        place = current(population.server.schedule, game, clock.now)
        if place is None:
            _wave(population, game, 1, start)
            await pause(min(_AT_NIGHT_US, (opens if clock.now < opens else until) - clock.now))
            continue
        length = place.closes_at - place.opens_at
        for part in _WAVES:
            await pause(place.opens_at + round(length * part) - clock.now)
            max_size = max(2, 2 * len(population.members) // one_in)
            _wave(population, game, population.rng.randrange(max_size), start)
        await pause(place.draws_at + SECOND - clock.now)


def _wave(population: Population, game: int, size: int, start: Start) -> None:
    for member in population.rng.choices(population.members, k=size):
        start(_act(population, member, game))


async def _act(population: Population, member: SimulatedPlayer, game: int) -> None:
    await pause(population.rng.randrange(_WAVE_US))
    await BEHAVIOURS[member.nature].act(population, member, game)
