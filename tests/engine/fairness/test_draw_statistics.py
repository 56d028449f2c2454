"""200,000 draws from fixed seeds are as random as fair digits are, at 99 %.

The chi-square test is the auditor's, which is tested against published tables.
"""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import sha256
from itertools import pairwise, product
from typing import Any

import pytest

from engine.catalogue import DRAWS_PER_SUM
from engine.fairness.draw import OPERATOR, WITNESS, chain, draw
from scripts.audit_tool.draw_audit.statistics import MAX_Z, chi_square

DRAWS, ROUNDS = 200_000, 274
DIGITS = range(10)
Digits = tuple[int, int, int]


@pytest.fixture(scope="module")
def drawn() -> list[Digits]:
    """The draws of whole days of one game, in order."""
    found: list[Digits] = []
    day = date(2026, 11, 21)
    while len(found) < DRAWS:
        found += a_day(day.isoformat())
        day += timedelta(days=1)
    return found[:DRAWS]


def a_day(day: str) -> list[Digits]:
    links = [
        chain(role, "1", day, sha256(f"{role} {day}".encode()).digest(), ROUNDS)
        for role in (OPERATOR, WITNESS)
    ]
    return [
        draw(operator, witness, "1", day, index, sha256(b"frozen %d" % index).digest(), None)
        for index, (operator, witness) in enumerate(zip(*links, strict=True))
        if index
    ]


def is_likely(found: Mapping[Any, int], weights: Mapping[Any, int]) -> bool:
    """Whether counts fit these proportions, with at most 1 % of false alarms."""
    assert found.keys() <= weights.keys()
    test = chi_square([found.get(each, 0) for each in weights], list(weights.values()))
    assert test is not None
    return not test.is_unlikely


def evenly(*classes: range) -> Mapping[tuple[int, ...], int]:
    return dict.fromkeys(product(*classes), 1)


def test_each_digit_is_as_frequent_in_each_place(drawn: list[Digits]) -> None:
    for place in range(3):
        assert is_likely(Counter((digits[place],) for digits in drawn), evenly(DIGITS))
    counts = Counter((place, digit) for digits in drawn for place, digit in enumerate(digits))
    assert is_likely(counts, evenly(range(3), DIGITS))


def test_each_sum_is_as_frequent_as_its_draws(drawn: list[Digits]) -> None:
    assert is_likely(Counter(map(sum, drawn)), dict(enumerate(DRAWS_PER_SUM)))


def test_each_of_the_1000_draws_is_as_frequent(drawn: list[Digits]) -> None:
    assert is_likely(Counter(drawn), evenly(DIGITS, DIGITS, DIGITS))


def test_a_digit_does_not_depend_on_the_one_before_it(drawn: list[Digits]) -> None:
    """Serial test: pairs of digits that do not overlap, within a draw and across draws."""
    digits = [digit for triple in drawn for digit in triple]
    pairs = zip(digits[::2], digits[1::2], strict=True)
    assert is_likely(Counter(pairs), evenly(DIGITS, DIGITS))
    for place in range(3):
        ones = [triple[place] for triple in drawn]
        following = zip(ones[::2], ones[1::2], strict=True)
        assert is_likely(Counter(following), evenly(DIGITS, DIGITS))


def test_big_and_small_and_odd_and_even_alternate_as_often_as_chance_has_it(
    drawn: list[Digits],
) -> None:
    """Runs test (Wald and Wolfowitz)."""
    sums = [sum(digits) for digits in drawn]
    for kinds in ([total >= 14 for total in sums], [total % 2 == 1 for total in sums]):
        runs = 1 + sum(one != other for one, other in pairwise(kinds))
        ones, others = kinds.count(True), kinds.count(False)
        product_of_both = 2 * ones * others
        mean = product_of_both / DRAWS + 1
        variance = product_of_both * (product_of_both - DRAWS) / (DRAWS**2 * (DRAWS - 1))
        assert abs(runs - mean) / math.sqrt(variance) < MAX_Z


def test_a_draw_repeats_the_one_before_it_once_in_a_thousand(drawn: list[Digits]) -> None:
    repeats = sum(one == other for one, other in pairwise(drawn))
    mean = (DRAWS - 1) / 1_000
    assert abs(repeats - mean) / math.sqrt(mean * 0.999) < MAX_Z


def test_the_gaps_between_two_equal_draws_are_those_of_chance(drawn: list[Digits]) -> None:
    """Duplicates within windows of 40 draws: a birthday occurs in 54.6 % of them."""
    windows = [drawn[first : first + 40] for first in range(0, DRAWS, 40)]
    without = sum(len(set(window)) == len(window) for window in windows)
    chance = math.prod(1 - number / 1_000 for number in range(40))
    mean = len(windows) * chance
    assert abs(without - mean) / math.sqrt(mean * (1 - chance)) < MAX_Z
