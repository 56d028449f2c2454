"""The schedule of a day, the sums on which each bet wins, and what it pays."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

SUMS: Final = range(28)
#: Of 1,000 equally likely draws, how many have each sum.
WAYS: Final = tuple(
    sum(1 for digits in product(range(10), repeat=3) if sum(digits) == total) for total in SUMS
)
DRAWS: Final = 1_000
MAX_ROUNDS: Final = 86_400
_GAMES: Final = 4
_MILLI: Final = 1_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MIN_WIDTH: Final = 3

_HALVES: Final = {
    "big": range(14, 28),
    "small": range(14),
    "odd": range(1, 28, 2),
    "even": range(0, 28, 2),
}
#: The winning sums of each kind.
WINNING: Final[Mapping[str, frozenset[int]]] = {
    **{kind: frozenset(sums) for kind, sums in _HALVES.items()},
    **{
        f"{size}_{parity}": frozenset(_HALVES[size]) & frozenset(_HALVES[parity])
        for size in ("big", "small")
        for parity in ("odd", "even")
    },
    "extreme_big": frozenset(range(22, 28)),
    "extreme_small": frozenset(range(6)),
    **{str(total): frozenset({total}) for total in SUMS},
}
#: Of 1,000 draws, how many win a bet of each kind.
WINNING_WAYS: Final = {kind: sum(WAYS[total] for total in sums) for kind, sums in WINNING.items()}


def winnings(stake_minor: int, odds_milli: int) -> int:
    """Returns the gross payout of a winning bet, rounded down."""
    return stake_minor * odds_milli // _MILLI


class Times(NamedTuple):
    """When a round is sold and drawn, in microseconds since 1970."""

    opens_at: int
    closes_at: int
    draws_at: int


class Schedule:
    """The rounds of one draw day of a game."""

    def __init__(self, fields: Mapping[str, Any], game: int, day: str) -> None:
        """`day` is yyyy-mm-dd. Raises ValueError if it is no date, or the time zone is unknown."""
        self._fields = fields
        self._start = _start(fields["timezone"], day, fields["opens_minute_of_day"])
        self._shown = day.replace("-", "")
        following = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        next_start = _start(fields["timezone"], following, fields["opens_minute_of_day"])
        end = min(self._start + fields["day_us"], next_start)
        self._offset = (game - 1) * fields["stagger_us"]
        staggered = (_GAMES - 1) * fields["stagger_us"]
        fitting = (end - self._start - staggered) // fields["round_us"]
        self.rounds: int = max(0, min(fields["rounds"], fitting))

    def times(self, place: int) -> Times:
        """Returns the times of the day's round at this place, from 1."""
        round_us, close_us = self._fields["round_us"], self._fields["close_us"]
        draws_at = self._start + self._offset + place * round_us
        opens_at = self._start if place == 1 else draws_at - round_us
        return Times(opens_at, draws_at - close_us, draws_at)

    def issue(self, index: int) -> str:
        """Returns the public number of the round with this index."""
        width = max(_MIN_WIDTH, len(str(self._fields["rounds"])))
        return f"{self._shown}{index:0{width}d}"


@lru_cache(1_024)
def _start(timezone: str, day: str, minute: int) -> int:
    try:
        zone = ZoneInfo(timezone)
    except (KeyError, OSError):
        raise ValueError(f"{timezone} is not a time zone") from None
    wall = datetime.combine(date.fromisoformat(day), time(minute // 60, minute % 60), zone)
    return (wall.astimezone(UTC) - _EPOCH) // _MICROSECOND
