"""The public statistics of the draws, computed from the read model's exact sums.

Pearson's chi-square test shows how well counts agree with their expected proportions.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Final, Literal

from msgspec import Raw, Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.http.field_types import (
    ChiSquare,
    Count,
    Deviations,
    GameOrAll,
    Money,
    Percent,
    Probability,
)
from api.http.long_lists import ListReader
from api.http.wire import SECOND_US, encode, money
from engine.catalogue import DRAWS, DRAWS_PER_SUM, GAMES, KINDS
from projections.statistics import (
    ALL_BETS,
    BOOKS,
    BOTS,
    DrawCounts,
    ReturnKey,
    SettledSums,
    draw_counts,
    no_draws,
    returns,
)

#: Of each class, for the chi-square distribution to be a good approximation.
MIN_EXPECTED: Final = 5
ALL_GAMES: Final = 0
FRESH_S: Final = 10
"""How long an answer is returned again, here and by caches."""
_EVEN: Final = (1,) * 10
_DRAWS: Final = len(DRAWS)
_PERCENT_PLACES: Final = 4
_Z_PLACES: Final = 3
_CHI_SQUARE_PLACES: Final = 3
_PROBABILITY_PLACES: Final = 6
_Of = Literal["digits", "first", "second", "third", "sums"]
_Book = Literal["members", "bots"]
_KIND_ORDER: Final = {kind: place for place, kind in enumerate((ALL_BETS, *KINDS))}


class ChiSquareTest(Struct, frozen=True):
    """The statistic, its degrees of freedom, and the chance of it or a higher one."""

    value: float
    degrees: int
    probability: float


def chi_square_test(counts: Sequence[int], weights: Sequence[int]) -> ChiSquareTest | None:
    """Compare counts with the proportions `weights`; None while there are too few.

    Neighbouring classes are joined until at least five are expected in each.
    """
    classes = list(_classes(counts, weights))
    degrees = len(classes) - 1
    if degrees < 1:
        return None
    value = float(sum((count - expected) ** 2 / expected for count, expected in classes))
    return ChiSquareTest(value, degrees, upper_probability(value, degrees))


def upper_probability(value: float, degrees: int) -> float:
    """Returns the chance of `value` or more at this number of degrees of freedom, at least 1.

    For a whole number of degrees the chi-square distribution is a finite sum (Abramowitz and
    Stegun 26.4.4 and 26.4.5).
    """
    half, odd = value / 2, degrees % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    # The terms are e^-x x^s / Γ(s + 1) for s = 0, 1, … or 1/2, 3/2, …, below degrees / 2.
    term = math.exp(-half) * (2 * math.sqrt(half / math.pi) if odd else 1.0)
    for number in range(degrees // 2):
        total += term
        term *= half / (number + 1 + odd / 2)
    return min(1.0, total)


def _classes(counts: Sequence[int], weights: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
    """Yields counts and expectations; what is left at the end joins the last class."""
    total, whole = sum(counts), sum(weights)
    held: tuple[int, Fraction] | None = None
    count, expected = 0, Fraction(0)
    for each, weight in zip(counts, weights, strict=True):
        count, expected = count + each, expected + Fraction(total * weight, whole)
        if expected >= MIN_EXPECTED:
            if held is not None:
                yield held
            held, count, expected = (count, expected), 0, Fraction(0)
    if held is not None:
        yield held[0] + count, held[1] + expected


class ReturnStatistics(Struct, frozen=True, gc=False):
    """Settled bets: what they paid, and what their odds pay on average.

    `kind` and `odds_table` are empty in the row of all bets. `book` is whose bets these are: the
    members', or those of the house's demo bots. Voided and recalled bets do not count.
    `theoretical` and `actual` are the expected and the actual payouts in percent of the stakes.

    `deviation` is the standard deviation of the payouts; the bets of a round share its draw, which
    it takes into account. `z_score` is by how many deviations the payouts exceed the expected ones,
    null if the payouts do not depend on chance.
    """

    kind: str
    odds_table: str
    book: _Book
    bets: Count
    stake: Money
    payout: Money
    expected: Money
    theoretical: Percent
    actual: Percent
    deviation: Money
    z_score: Deviations | None


class UniformityStatistics(Struct, frozen=True, gc=False):
    """A chi-square test of the draws, and the chance of its value or a higher one.

    `of` is what was counted: the digits of all three places, of one of them, or the sums.
    """

    of: _Of
    chi_square: ChiSquare
    degrees: Count
    probability: Probability


class GameStatistics(Struct, frozen=True, gc=False):
    """A game's draws and bets, or those of all games.

    `digits` has a list for each of the three places, with how often each digit was drawn there;
    `sums` how often each sum was. `uniformity` is empty while there are too few draws to test.
    """

    game_id: GameOrAll
    draws: Count
    digits: tuple[tuple[Count, ...], ...]
    sums: tuple[Count, ...]
    uniformity: tuple[UniformityStatistics, ...]
    returns: tuple[ReturnStatistics, ...]


class Statistics(Struct, frozen=True, gc=False):
    """The statistics of all games together, and then of each game."""

    games: tuple[GameStatistics, ...]


class StatisticsReader:
    """Computes the statistics at most once in ten seconds."""

    def __init__(self, lists: ListReader, clock: Callable[[], int]) -> None:
        self._lists = lists
        self._clock = clock
        self._lock = asyncio.Lock()
        self._until = 0
        self._encoded = Raw(b"")

    async def read(self) -> Raw:
        """Returns the encoded statistics."""
        async with self._lock:
            if self._clock() >= self._until:
                self._encoded = await self._lists.read(_read)
                self._until = self._clock() + FRESH_S * SECOND_US
            return self._encoded


def _read(connection: Connection[TupleRow]) -> Raw:
    return Raw(encode(made(returns(connection), draw_counts(connection))))


def made(settled: Mapping[ReturnKey, SettledSums], drawn: Mapping[int, DrawCounts]) -> Statistics:
    """Returns the statistics of these sums and draws."""
    together = _of_all_games(settled)
    every = reduce(_joined, drawn.values(), no_draws())
    games = (_game(game, settled, drawn.get(game, no_draws())) for game in GAMES)
    return Statistics((_game(ALL_GAMES, together, every), *games))


def _of_all_games(settled: Mapping[ReturnKey, SettledSums]) -> dict[ReturnKey, SettledSums]:
    found: dict[ReturnKey, SettledSums] = {}
    for key, sums in settled.items():
        together = ReturnKey(ALL_GAMES, key.odds_table, key.kind, key.book)
        found.setdefault(together, SettledSums()).add(sums)
    return found


def _joined(one: DrawCounts, more: DrawCounts) -> DrawCounts:
    places = zip(one.places, more.places, strict=True)
    return DrawCounts(tuple(_added(*each) for each in places), _added(one.sums, more.sums))


def _added(one: Iterable[int], more: Iterable[int]) -> list[int]:
    return [first + second for first, second in zip(one, more, strict=True)]


def _game(game: int, settled: Mapping[ReturnKey, SettledSums], drawn: DrawCounts) -> GameStatistics:
    rows = sorted(
        (item for item in settled.items() if item[0].game == game),
        key=lambda item: (
            BOOKS.index(item[0].book),
            item[0].odds_table,
            _KIND_ORDER[item[0].kind],
        ),
    )
    return GameStatistics(
        game,
        drawn.draws,
        tuple(map(tuple, drawn.places)),
        tuple(drawn.sums),
        tuple(_uniformity(drawn)),
        tuple(_return(*row) for row in rows),
    )


def _return(key: ReturnKey, sums: SettledSums) -> ReturnStatistics:
    deviation = math.sqrt(sums.variance)
    z_score = (sums.payout * _DRAWS - sums.expected) / deviation if deviation else None
    return ReturnStatistics(
        key.kind,
        key.odds_table,
        "bots" if key.book == BOTS else "members",
        sums.bets,
        money(sums.stake),
        money(sums.payout),
        money((sums.expected + _DRAWS // 2) // _DRAWS),
        _percent(sums.expected, sums.stake * _DRAWS),
        _percent(sums.payout, sums.stake),
        money(round(deviation / _DRAWS)),
        None if z_score is None else round(z_score, _Z_PLACES),
    )


def _percent(part: int, whole: int) -> Decimal:
    scale: int = 100 * 10**_PERCENT_PLACES
    return Decimal((2 * part * scale + whole) // (2 * whole)).scaleb(-_PERCENT_PLACES)


def _uniformity(drawn: DrawCounts) -> Iterator[UniformityStatistics]:
    first, second, third = drawn.places
    counted: tuple[tuple[_Of, list[int], tuple[int, ...]], ...] = (
        ("digits", _added(_added(first, second), third), _EVEN),
        ("first", first, _EVEN),
        ("second", second, _EVEN),
        ("third", third, _EVEN),
        ("sums", drawn.sums, DRAWS_PER_SUM),
    )
    for name, counts, weights in counted:
        if test := chi_square_test(counts, weights):
            yield UniformityStatistics(
                name,
                round(test.value, _CHI_SQUARE_PLACES),
                test.degrees,
                round(test.probability, _PROBABILITY_PLACES),
            )
