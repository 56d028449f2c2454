"""Statistics over the draws: actual against theoretical returns, and uniformity.

A return is compared with its expectation by a z-score. The bets of a round share its draw, so the
variance is computed round by round: of one kind, from what all its bets pay together; of several
kinds, from what they pay at each sum.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import add, mul
from typing import Final

from scripts.audit_tool.draw_audit.rounds import SettledBets
from scripts.audit_tool.draw_audit.rules import DRAWS, WAYS, WINNING, WINNING_WAYS

#: Players who are not the house's bots, the bots, and both.
MEMBERS, BOTS, ALL = "members", "bots", "all"
LEVEL: Final = 0.01
#: A z-score beyond this has a chance of 1 %.
MAX_Z: Final = 2.576
_DIGITS: Final = range(10)
_PLACES: Final = 3
_MIN_EXPECTED: Final = 5  # of each class, for the chi-square distribution to be a good one
_PRECISION: Final = 1e-12
_MAX_TERMS: Final = 10_000


class Return:
    """Stakes and payouts of settled bets, in minor units, and the payouts that were expected.

    `expected` is in thousandths, `variance` in millionths of the square: both are exact.
    """

    __slots__ = ("bets", "expected", "paid", "stake", "variance")

    def __init__(self) -> None:
        self.bets = self.stake = self.paid = 0
        self.expected = self.variance = 0

    def add(self, bets: SettledBets, expected: int, variance: int) -> None:
        """Add a round's bets."""
        self.bets += bets.bets
        self.stake += bets.stake
        self.paid += bets.paid
        self.expected += expected
        self.variance += variance

    def include(self, other: "Return") -> None:
        """Add the bets of other rounds."""
        self.bets += other.bets
        self.stake += other.stake
        self.paid += other.paid
        self.expected += other.expected
        self.variance += other.variance

    @property
    def theoretical(self) -> float:
        """The expected payouts as a part of the stakes."""
        return self.expected / DRAWS / self.stake if self.stake else 0.0

    @property
    def actual(self) -> float:
        """The payouts as a part of the stakes."""
        return self.paid / self.stake if self.stake else 0.0

    @property
    def z_score(self) -> float:
        """By how many standard deviations the payouts exceed the expected ones."""
        if not self.variance:
            return 0.0
        return (self.paid * DRAWS - self.expected) / math.sqrt(self.variance)


class Uniformity:
    """The digits and sums that were drawn."""

    def __init__(self) -> None:
        self.draws = 0
        self.places = [[0 for _ in _DIGITS] for _ in range(_PLACES)]
        self.sums = [0 for _ in WAYS]

    def add(self, digits: Sequence[int]) -> None:
        """Count a draw."""
        self.draws += 1
        self.sums[sum(digits)] += 1
        for place, digit in zip(self.places, digits, strict=True):
            place[digit] += 1

    def include(self, other: "Uniformity") -> None:
        """Add the draws of another game."""
        self.draws += other.draws
        self.sums = [one + more for one, more in zip(self.sums, other.sums, strict=True)]
        self.places = [
            [one + more for one, more in zip(place, others, strict=True)]
            for place, others in zip(self.places, other.places, strict=True)
        ]

    def tests(self) -> Mapping[str, "ChiSquare | None"]:
        """Returns the chi-square test of each property, None if there are too few draws."""
        digits = [sum(place[digit] for place in self.places) for digit in _DIGITS]
        named = ("first digit", "second digit", "third digit")
        even = [1 for _ in _DIGITS]
        return {
            "digits": chi_square(digits, even),
            **{
                name: chi_square(counts, even)
                for name, counts in zip(named, self.places, strict=True)
            },
            "sums": chi_square(self.sums, WAYS),
        }


class DrawStatistics:
    """Returns by game, kind, odds table and book; by game and book; and each game's uniformity."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[int, str, str, str], Return] = {}
        self.books: dict[tuple[int, str], Return] = {}
        self.uniformity: dict[int, Uniformity] = {}

    def draw(self, game: int, digits: Sequence[int]) -> None:
        """Count a draw."""
        found = self.uniformity.get(game) or self.uniformity.setdefault(game, Uniformity())
        found.add(digits)

    def settle(self, game: int, settled: Mapping[tuple[str, str, bool], SettledBets]) -> None:
        """Add the settled bets of a round, by kind, odds table, and whether bots placed them."""
        books: dict[str, _Round] = {}
        for (kind, table, is_bot), bets in settled.items():
            book = BOTS if is_bot else MEMBERS
            ways, possible = WINNING_WAYS[kind], bets.possible
            key = (game, kind, table, book)
            found = self.kinds.get(key) or self.kinds.setdefault(key, Return())
            found.add(bets, ways * possible, ways * (DRAWS - ways) * possible * possible)
            (books.get(book) or books.setdefault(book, _Round())).add(kind, bets)
        if books:
            books[ALL] = _whole(list(books.values()))
        for book, of_round in books.items():
            found = self.books.setdefault((game, book), Return())
            found.add(of_round.bets, *of_round.moments)


class _Round:
    """All settled bets of a book in a round, and what they pay at each sum."""

    def __init__(self) -> None:
        self.bets = SettledBets()
        self.paying = [0] * len(WAYS)

    def add(self, kind: str, bets: SettledBets) -> None:
        self.bets.include(bets)
        for total in WINNING[kind]:
            self.paying[total] += bets.possible

    @cached_property
    def moments(self) -> tuple[int, int]:
        """The payout's expectation in thousandths, and its variance in millionths."""
        by_sum = [*map(mul, WAYS, self.paying)]
        expected = sum(by_sum)
        return expected, DRAWS * sum(map(mul, by_sum, self.paying)) - expected * expected


def _whole(books: Sequence[_Round]) -> _Round:
    """Returns the round with the bets of all books."""
    if len(books) == 1:
        return books[0]
    whole = _Round()
    for book in books:
        whole.bets.include(book.bets)
        whole.paying = [*map(add, whole.paying, book.paying)]
    return whole


class ChiSquare:
    """A chi-square statistic and its degrees of freedom."""

    def __init__(self, value: float, degrees: int) -> None:
        self.value = value
        self.degrees = degrees
        self.probability = _upper_gamma(degrees / 2, value / 2)

    @property
    def is_unlikely(self) -> bool:
        """Whether chance gives such a value or a higher one in less than 1 % of cases."""
        return self.probability < LEVEL


def chi_square(found: Sequence[int], weights: Sequence[int]) -> ChiSquare | None:
    """Compare counts with their expected proportions; None if there are too few.

    Neighbouring classes are joined until at least five are expected in each.
    """
    total, whole = sum(found), sum(weights)
    classes: list[tuple[int, float]] = []
    count, expected = 0, 0.0
    for each, weight in zip(found, weights, strict=True):
        count, expected = count + each, expected + total * weight / whole
        if expected >= _MIN_EXPECTED:
            classes.append((count, expected))
            count, expected = 0, 0.0
    if not classes:
        return None
    last = classes.pop()
    classes.append((last[0] + count, last[1] + expected))
    if len(classes) == 1:
        return None
    value = sum((count - expected) ** 2 / expected for count, expected in classes)
    return ChiSquare(value, len(classes) - 1)


def _upper_gamma(shape: float, value: float) -> float:
    """Returns the regularized upper incomplete gamma function (DLMF 8.7.1 and 8.9.2)."""
    if value <= 0:
        return 1.0
    scale = math.exp(shape * math.log(value) - value - math.lgamma(shape))
    if value < shape + 1:
        term = total = 1 / shape
        for number in range(1, _MAX_TERMS):
            term *= value / (shape + number)
            total += term
            if term < total * _PRECISION:
                break
        return max(0.0, 1 - scale * total)
    return scale * _continued_fraction(shape, value)


def _continued_fraction(shape: float, value: float) -> float:
    """Returns Γ(a, x) / (x^a e^-x) by Lentz's method."""
    base = value + 1 - shape
    before, inverse = 1 / _PRECISION**2, 1 / base
    fraction = inverse
    for number in range(1, _MAX_TERMS):
        part = -number * (number - shape)
        base += 2
        inverse = 1 / (part * inverse + base)
        before = base + part / before
        fraction *= before * inverse
        if abs(before * inverse - 1) < _PRECISION:
            break
    return fraction
