"""When who acts: the members of a town come in waves, after an opening and before a close."""

import asyncio
from collections.abc import Callable
from itertools import cycle
from typing import Any, Final

from engine.catalogue import GAMES
from engine.schedule import current
from scripts.simulation.behaviours import BEHAVIOURS, arrives
from scripts.simulation.clockwork import MINUTE, SECOND, pause
from scripts.simulation.town import Member, Town

Start = Callable[..., asyncio.Task[Any]]
_WAVES: Final = (0.03, 0.5, 0.93)
"""In parts of a round's sale."""
_A_WAVE_US: Final = 60_000
_THOROUGH_US: Final = 10 * SECOND
_AT_NIGHT_US: Final = 30 * MINUTE


async def settle_in(town: Town, members: int) -> None:
    """Everybody joins, at once; every nature is there."""
    await asyncio.gather(*(arrives(town, nature) for nature in natures(members)))


def natures(members: int) -> list[str]:
    """The natures of so many people, each at least once, by their shares."""
    total = sum(behaviour.share for behaviour in BEHAVIOURS.values())
    shared = [
        name
        for name, behaviour in BEHAVIOURS.items()
        for _ in range(max(1, members * behaviour.share // total))
    ]
    return [*shared, *["bets"] * (members - len(shared))]


def everyone_once(town: Town, start: Start) -> None:
    """One member of every nature does all that it can, so that no day misses a command."""
    town.thorough_until = town.house.clock.now + _THOROUGH_US
    first = {member.nature: member for member in reversed(town.members)}
    for game, member in zip(cycle(GAMES), first.values(), strict=False):
        start(_act(town, member, game))


async def play(town: Town, game: int, day: tuple[int, int], one_in: int, start: Start) -> None:
    """Waves of members about one game, and single ones at night, until the day is over.

    About one member in `one_in` acts in each wave.
    """
    clock, (opens, until) = town.house.clock, day
    while clock.now < until:
        place = current(town.house.schedule, game, clock.now)
        if place is None:
            _wave(town, game, 1, start)
            await pause(min(_AT_NIGHT_US, (opens if clock.now < opens else until) - clock.now))
            continue
        length = place.closes_at - place.opens_at
        for part in _WAVES:
            await pause(place.opens_at + round(length * part) - clock.now)
            most = max(2, 2 * len(town.members) // one_in)
            _wave(town, game, town.chance.randrange(most), start)
        await pause(place.draws_at + SECOND - clock.now)


def _wave(town: Town, game: int, size: int, start: Start) -> None:
    for member in town.chance.choices(town.members, k=size):
        start(_act(town, member, game))


async def _act(town: Town, member: Member, game: int) -> None:
    await pause(town.chance.randrange(_A_WAVE_US))
    await BEHAVIOURS[member.nature].act(town, member, game)
