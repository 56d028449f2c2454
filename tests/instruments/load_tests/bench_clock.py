"""Chooses the time of a load, so that no round ends during it."""

import time
from zoneinfo import available_timezones

from engine.catalogue import GAMES
from engine.schedule import SECOND_US, Schedule, current, demo

_MAX_SEARCH_S = 1_200


class ShiftableClock:
    """The real time in microseconds, moved forward to where a load needs it."""

    def __init__(self) -> None:
        self._ahead = 0

    def __call__(self) -> int:
        """The current time."""
        return time.time_ns() // 1_000 + self._ahead

    def advance_to(self, moment: int) -> None:
        """Continue at this time, unless it has passed."""
        self._ahead += max(0, moment - self())


def all_sell(schedule: Schedule, now: int, seconds: float) -> bool:
    """Whether every game is on sale from `now` for the whole duration."""
    places = [current(schedule, game, now) for game in GAMES]
    end = now + int(seconds * SECOND_US)
    return all(place is not None and place.closes_at > end for place in places)


def quiet_moment(schedule: Schedule, now: int, seconds: float) -> int:
    """The next time from which every game is on sale for the whole duration."""
    moments = (now + step * SECOND_US for step in range(_MAX_SEARCH_S))
    return next(moment for moment in moments if all_sell(schedule, moment, seconds))


def quiet_zone(now: int, round_seconds: int, seconds: float) -> str:
    """A time zone in which every game is on sale from now on for the whole duration.

    Days start by the operator's clock, so the rounds of each zone end at other times.
    """
    zones = sorted(name for name in available_timezones() if name.startswith("Etc/GMT"))
    return next(zone for zone in zones if all_sell(demo(round_seconds, zone), now, seconds))
