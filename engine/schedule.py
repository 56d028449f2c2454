"""When each round opens, closes and draws: one function of the game, the day and the index.

All times are microseconds since the epoch. A draw day starts at a wall-clock time of the
operator's zone and from there counts elapsed time, so daylight saving moves the start of a
day, never the length of a round. The last minute of the regular day staggers the games:
all open together, and the first round of each next game is longer, so no two close at once.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec

SECOND_US = 1_000_000
DEFAULT_TIMEZONE = "Asia/Singapore"

_ROUND_SECONDS = 210
_MIN_ROUND_SECONDS = 10
_CLOSE_SECONDS = 15
_STAGGER_SECONDS = 20
_STAGGERED_GAMES = 3
_MAX_DAY_US = 86_400 * SECOND_US
_MINUTES_OF_DAY = range(1440)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Schedule(msgspec.Struct, frozen=True):
    """A draw day's plan; `*_us` are durations in microseconds.

    Sales of a round end `close_us` before its draw. The first round of game g is longer
    by `(g - 1) * stagger_us`. The day starts `opens_minute_of_day` minutes after midnight
    in `timezone` (an IANA name) and lasts `day_us`.
    """

    rounds: int
    round_us: int
    close_us: int
    stagger_us: int
    opens_minute_of_day: int
    day_us: int
    timezone: str

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible schedule; one may come from outside."""
        staggered_us = _STAGGERED_GAMES * self.stagger_us
        valid = (
            self.rounds > 0
            and 0 < self.close_us < self.round_us
            and 0 <= staggered_us < self.round_us
            and self.rounds * self.round_us + staggered_us <= self.day_us <= _MAX_DAY_US
            and self.opens_minute_of_day in _MINUTES_OF_DAY
        )
        if not valid or not _is_zone(self.timezone):
            raise ValueError("no day can follow this schedule")


class Slot(msgspec.Struct, frozen=True):
    """One round's place in the day: sold in [opens_at, closes_at), drawn at draws_at."""

    game: int
    date: str
    index: int
    opens_at: int
    closes_at: int
    draws_at: int


def regular(timezone: str = DEFAULT_TIMEZONE) -> Schedule:
    """The specification's day: 274 rounds of 3.5 minutes from 10:00, 16 elapsed hours."""
    return Schedule(
        rounds=274,
        round_us=_ROUND_SECONDS * SECOND_US,
        close_us=_CLOSE_SECONDS * SECOND_US,
        stagger_us=_STAGGER_SECONDS * SECOND_US,
        opens_minute_of_day=600,
        day_us=57_600 * SECOND_US,
        timezone=timezone,
    )


def demo(round_seconds: int = _ROUND_SECONDS, timezone: str = DEFAULT_TIMEZONE) -> Schedule:
    """A day from 10:00 to 10:00; closing and stagger shrink with `round_seconds`.

    Raises ValueError unless `round_seconds` is between 10 and 210.
    """
    if not _MIN_ROUND_SECONDS <= round_seconds <= _ROUND_SECONDS:
        raise ValueError(f"{round_seconds} s: a round lasts 10 to {_ROUND_SECONDS} seconds")
    staggered = _STAGGERED_GAMES * _STAGGER_SECONDS * round_seconds
    return Schedule(
        rounds=(86_400 * _ROUND_SECONDS - staggered) // (_ROUND_SECONDS * round_seconds),
        round_us=round_seconds * SECOND_US,
        close_us=_CLOSE_SECONDS * SECOND_US * round_seconds // _ROUND_SECONDS,
        stagger_us=_STAGGER_SECONDS * SECOND_US * round_seconds // _ROUND_SECONDS,
        opens_minute_of_day=600,
        day_us=_MAX_DAY_US,
        timezone=timezone,
    )


@lru_cache(maxsize=256)
def _zone(timezone: str) -> ZoneInfo:
    return ZoneInfo(timezone)


def _is_zone(timezone: str) -> bool:
    try:
        _zone(timezone)
    except (KeyError, OSError, ValueError):
        return False
    return True


@lru_cache(maxsize=1024)
def _moment(timezone: str, day: str, minute_of_day: int) -> int:
    """A wall-clock minute in a zone; one that a clock change skips maps to the change itself."""
    wall = time(minute_of_day // 60, minute_of_day % 60)
    local = datetime.combine(date.fromisoformat(day), wall, _zone(timezone))
    return (local.astimezone(UTC) - _EPOCH) // _MICROSECOND


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def calendar_day(timezone: str, now: int) -> str:
    """The calendar date, yyyy-mm-dd, that a moment falls on in a zone."""
    return (_EPOCH + timedelta(microseconds=now)).astimezone(_zone(timezone)).date().isoformat()


def day_bounds(timezone: str, day: str) -> tuple[int, int]:
    """A calendar day as [start, end) in microseconds; ValueError if `day` is no date."""
    return _moment(timezone, day, 0), _moment(timezone, _shifted(day, 1), 0)


class Calendar:
    """The calendar day of each moment, computed only once a day for successive moments."""

    __slots__ = ("_day", "_end", "_start", "timezone")

    def __init__(self, timezone: str) -> None:
        """Days are those of `timezone`, an IANA name."""
        self.timezone = timezone
        self._day = ""
        self._start = self._end = 0

    def day(self, at: int) -> str:
        """The day (yyyy-mm-dd) of a moment in microseconds since 1970."""
        if not self._start <= at < self._end:
            self._day = calendar_day(self.timezone, at)
            self._start, self._end = day_bounds(self.timezone, self._day)
        return self._day


def draw_day_bounds(schedule: Schedule, day: str) -> tuple[int, int]:
    """A draw day as [start, end): its length, or less if the next day starts sooner.

    Only a round-the-clock day can be cut short, in spring, by its zone's daylight saving.
    """
    start = _moment(schedule.timezone, day, schedule.opens_minute_of_day)
    following = _moment(schedule.timezone, _shifted(day, 1), schedule.opens_minute_of_day)
    return start, min(start + schedule.day_us, following)


def rounds_on(schedule: Schedule, day: str) -> int:
    """The number of rounds of a draw day: the schedule's number, less on a shortened day."""
    start, end = draw_day_bounds(schedule, day)
    staggered = _STAGGERED_GAMES * schedule.stagger_us
    return max(0, min(schedule.rounds, (end - start - staggered) // schedule.round_us))


def business_date(schedule: Schedule, now: int) -> str | None:
    """The date of the draw day that contains `now`, None between two days."""
    today = calendar_day(schedule.timezone, now)
    for day in (today, _shifted(today, -1)):
        start, end = draw_day_bounds(schedule, day)
        if start <= now < end:
            return day
    return None


def slot(schedule: Schedule, game: int, day: str, index: int) -> Slot:
    """Round `index` (from 1) of a game's draw day.

    Raises ValueError if the day has no such round.
    """
    if not 1 <= index <= rounds_on(schedule, day):
        raise ValueError(f"{day} has no round {index}")
    start, _ = draw_day_bounds(schedule, day)
    draws_at = start + (game - 1) * schedule.stagger_us + index * schedule.round_us
    return Slot(
        game=game,
        date=day,
        index=index,
        opens_at=start if index == 1 else draws_at - schedule.round_us,
        closes_at=draws_at - schedule.close_us,
        draws_at=draws_at,
    )


def current(schedule: Schedule, game: int, now: int) -> Slot | None:
    """The round that runs from its opening until its draw, None outside the draw day."""
    day = business_date(schedule, now)
    if day is None:
        return None
    start, _ = draw_day_bounds(schedule, day)
    since_first_draws = now - start - (game - 1) * schedule.stagger_us
    index = max(1, since_first_draws // schedule.round_us + 1)
    return slot(schedule, game, day, index) if index <= rounds_on(schedule, day) else None


def issue(schedule: Schedule, day: str, number: int) -> str:
    """A round's public number: yyyymmdd and its index, as wide as the fullest day needs."""
    width = max(3, len(str(schedule.rounds)))
    return f"{day.replace('-', '')}{number:0{width}d}"
