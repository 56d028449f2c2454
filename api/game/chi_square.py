"""Pearson's chi-square test: how well counts agree with their expected proportions."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

#: Of each class, for the chi-square distribution to be a good approximation.
MIN_EXPECTED: Final = 5


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
