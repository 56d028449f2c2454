"""The two odds tables, what a winning bet pays, and what each bet returns on average.

The returns are counted over every draw. Tables are immutable and identified by their id. A bet
freezes the id and its own odds, so a change of odds is a new table, never another value in an old
one.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import sha256
from types import MappingProxyType

import msgspec

from engine import catalogue
from engine.fairness.canonical import canonical

RETURN_CEILING_PPM = 1_000_000
RETURN_FLOOR_PPM = 750_000


class OddsTable(msgspec.Struct, frozen=True):
    """Odds in thousandths, stake included, for every bet kind that the table sells.

    A kind that the catalogue got later is in later tables only.
    """

    id: str
    odds_milli: Mapping[str, int]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The bet kinds that it sells, in the order of the catalogue."""
        return tuple(kind for kind in catalogue.KINDS if kind in self.odds_milli)


def payout_minor(stake_minor: int, odds_milli: int) -> int:
    """Gross payout of a winning bet in minor units, the stake included, rounded down."""
    return stake_minor * odds_milli // 1000


_PER_SUM_MILLI = (
    950_000,
    316_660,
    158_330,
    95_000,
    63_330,
    45_230,
    33_920,
    26_380,
    21_110,
    17_270,
    15_070,
    13_760,
    13_010,
    12_660,
)


def _table(table_id: str, named: dict[str, int]) -> OddsTable:
    numbers = {str(total): _PER_SUM_MILLI[min(total, 27 - total)] for total in catalogue.SUMS}
    return OddsTable(table_id, MappingProxyType({**named, **numbers}))


SPECIFIED = _table(
    "card-21.04.02",
    {
        "big": 1_980,
        "small": 1_980,
        "odd": 1_980,
        "even": 1_980,
        "big_odd": 3_800,
        "big_even": 3_800,
        "small_odd": 3_800,
        "small_even": 3_800,
        "extreme_big": 11_000,
        "extreme_small": 11_000,
    },
)
"""The specification's figures and the default, though two of its bets return over 100 %."""

BALANCED = _table(
    "balanced",
    {
        "big": 1_980,
        "small": 1_980,
        "odd": 1_980,
        "even": 1_980,
        "big_odd": 4_200,
        "big_even": 3_600,
        "small_odd": 3_600,
        "small_even": 4_200,
        "extreme_big": 17_000,
        "extreme_small": 17_000,
    },
)
"""The same game with every bet on a named kind returning between 95 and 100 %."""

TABLES = {table.id: table for table in (SPECIFIED, BALANCED)}


def return_ppm(table: OddsTable, kind: str) -> int:
    """Average gross return of a bet, in millionths of its stake.

    Counted over the 1,000 equally likely draws; exact, since a thousand draws times
    odds in thousandths is a million parts. Raises KeyError for a kind that the table lacks.
    """
    winning_draws = sum(1 for digits in catalogue.DRAWS if catalogue.wins(kind, sum(digits)))
    return winning_draws * table.odds_milli[kind]


def warnings(table: OddsTable) -> tuple[str, ...]:
    """Kinds on which the house loses (above 100 %) or that return less than 75 %."""
    return tuple(
        kind
        for kind in table.kinds
        if not RETURN_FLOOR_PPM <= return_ppm(table, kind) <= RETURN_CEILING_PPM
    )


def table_hash(table: OddsTable) -> bytes:
    """SHA-256 of the table's canonical JSON, `{"id", "odds_milli"}`, as DayOpened names it."""
    return sha256(canonical({"id": table.id, "odds_milli": dict(table.odds_milli)})).digest()


class OddsFrom(msgspec.Struct, frozen=True):
    """The odds table of every day from `day` (yyyy-mm-dd) on, until the next entry."""

    day: str
    table: str


def odds_on(odds: tuple[OddsFrom, ...], day: str) -> str:
    """The table that was set for a day (yyyy-mm-dd); empty if none was."""
    return next((each.table for each in reversed(odds) if each.day <= day), "")


def next_odds(odds: tuple[OddsFrom, ...]) -> str:
    """The table set last, the specification's if none was set."""
    return odds[-1].table if odds else SPECIFIED.id


def with_odds(odds: tuple[OddsFrom, ...], day: str, table: str) -> tuple[OddsFrom, ...]:
    """The entries with this table from a day on; those of that day or later are dropped."""
    return (*(each for each in odds if each.day < day), OddsFrom(day, table))


def day_after(day: str) -> str:
    """The next calendar day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
