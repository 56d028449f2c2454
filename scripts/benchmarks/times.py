"""When to run a load, so that no round ends in the middle of it."""

import time
from zoneinfo import available_timezones

from engine.catalogue import GAMES
from engine.schedule import SECOND_US, Schedule, current, demo

_MAX_SEARCH_S = 1_200


class ShiftableClock:
    """The real time, moved on now and then to where a load wants it; microseconds."""

    def __init__(self) -> None:
        self._ahead = 0

    def __call__(self) -> int:
        """The time now."""
        return time.time_ns() // 1_000 + self._ahead

    def advance_to(self, moment: int) -> None:
        """Go on at this moment, unless it has passed."""
        self._ahead += max(0, moment - self())


def all_sell(schedule: Schedule, now: int, seconds: float) -> bool:
    """Whether every game sells from now on and for so long."""
    places = [current(schedule, game, now) for game in GAMES]
    end = now + int(seconds * SECOND_US)
    return all(place is not None and place.closes_at > end for place in places)


def quiet_moment(schedule: Schedule, now: int, seconds: float) -> int:
    """The next moment from which every game sells for so long."""
    moments = (now + step * SECOND_US for step in range(_MAX_SEARCH_S))
    return next(moment for moment in moments if all_sell(schedule, moment, seconds))


def quiet_zone(now: int, round_seconds: int, seconds: float) -> str:
    """A time zone in which, by its own day, every game sells from now on and for so long.

    Days start by the operator's clock, so that each zone has its rounds end at other moments.
    """
    zones = sorted(name for name in available_timezones() if name.startswith("Etc/GMT"))
    return next(zone for zone in zones if all_sell(demo(round_seconds, zone), now, seconds))
