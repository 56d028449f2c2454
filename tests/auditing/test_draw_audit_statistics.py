"""Returns, their z-scores, and the tests of uniformity, against values computed otherwise."""

import math
from itertools import product

import pytest

from scripts.audit_tool.draw_audit.report import tables
from scripts.audit_tool.draw_audit.rounds import SettledBets
from scripts.audit_tool.draw_audit.rules import WAYS, WINNING
from scripts.audit_tool.draw_audit.statistics import (
    ALL,
    BOTS,
    MEMBERS,
    ChiSquare,
    DrawStatistics,
    Uniformity,
    chi_square,
)

TABLE = "card-21.04.02"


def settled(stake: int, possible: int, paid: int) -> SettledBets:
    bets = SettledBets()
    bets.bets, bets.stake, bets.possible, bets.paid = 1, stake, possible, paid
    return bets


def by_every_draw(books: dict[str, int]) -> tuple[float, float]:
    """Mean and variance over all 1,000 draws of what these kinds would pay."""
    paid = [
        sum(possible for kind, possible in books.items() if sum(digits) in WINNING[kind])
        for digits in product(range(10), repeat=3)
    ]
    mean = sum(paid) / len(paid)
    return mean, sum((each - mean) ** 2 for each in paid) / len(paid)


def test_the_z_score_of_a_kind_counts_that_its_bets_win_or_lose_together() -> None:
    statistics = DrawStatistics()
    for paid in (198, 198, 0):
        statistics.settle(1, {("big", TABLE, False): settled(100, 198, paid)})
    found = statistics.kinds[1, "big", TABLE, MEMBERS]
    mean, variance = by_every_draw({"big": 198})
    assert (found.bets, found.stake, found.paid) == (3, 300, 396)
    assert found.theoretical == pytest.approx(0.99)
    assert found.actual == pytest.approx(1.32)
    assert found.z_score == pytest.approx((396 - 3 * mean) / math.sqrt(3 * variance))


def test_the_z_score_of_a_game_counts_that_its_kinds_share_the_draw() -> None:
    statistics = DrawStatistics()
    kinds = {"big": 198, "big_odd": 380, "extreme_big": 1_100, "13": 1_266}
    bets = {(kind, TABLE, False): settled(100, possible, 0) for kind, possible in kinds.items()}
    statistics.settle(2, {**bets, ("small", TABLE, True): settled(100, 198, 198)})
    mean, variance = by_every_draw(kinds)
    assert statistics.books[2, MEMBERS].z_score == pytest.approx(-mean / math.sqrt(variance))
    mean, variance = by_every_draw({**kinds, "small": 198})
    assert statistics.books[2, ALL].z_score == pytest.approx((198 - mean) / math.sqrt(variance))
    assert statistics.books[2, BOTS].stake == 100


def test_a_book_that_wins_at_every_sum_has_no_deviation() -> None:
    statistics = DrawStatistics()
    bets = {(kind, TABLE, False): settled(100, 198, 0) for kind in ("odd", "even")}
    statistics.settle(1, bets)
    assert statistics.books[1, ALL].z_score == 0


@pytest.mark.parametrize(
    ("value", "degrees", "probability"),
    [
        (16.919, 9, 0.05),
        (21.666, 9, 0.01),
        (27.877, 9, 0.001),
        (6.635, 1, 0.01),
        (46.963, 27, 0.01),
        (134.642, 99, 0.01),
        (3.325, 9, 0.95),
        (0.0, 9, 1.0),
        (1_000.0, 9, 0.0),
    ],
)
def test_a_chi_square_has_the_probability_of_the_published_tables(
    value: float, degrees: int, probability: float
) -> None:
    assert ChiSquare(value, degrees).probability == pytest.approx(probability, abs=2e-5)


def test_classes_are_joined_until_five_are_expected_in_each() -> None:
    found = chi_square([0] * 13 + [50, 50] + [0] * 13, WAYS)
    assert found is not None
    assert found.degrees < 20
    assert found.is_unlikely
    assert chi_square([1] * 28, [1] * 28) is not None
    assert chi_square([1, 0], [1, 1]) is None


def test_draws_that_favour_a_digit_or_a_sum_are_marked() -> None:
    even, favoured = Uniformity(), Uniformity()
    for digits in product(range(10), repeat=3):
        even.add(digits)
        favoured.add((7 if digits[2] == 8 else digits[0], *digits[1:]))
    assert not [name for name, test in even.tests().items() if test is None or test.is_unlikely]
    unlikely = {name for name, test in favoured.tests().items() if test and test.is_unlikely}
    assert "first digit" in unlikely
    assert "second digit" not in unlikely


def test_the_tables_mark_what_is_outside_the_range_of_99_percent() -> None:
    statistics = DrawStatistics()
    assert list(tables(statistics)) == []
    for _ in range(50):
        statistics.draw(1, (9, 9, 9))
        statistics.settle(1, {("27", TABLE, False): settled(100, 95_000, 95_000)})
    lines = list(tables(statistics))
    (row,) = [line.split() for line in lines if line.split()[1:2] == ["27"]]
    assert row[:6] == ["1", "27", TABLE, MEMBERS, "50", "50.00"]
    assert row[7:9] == ["95.00%", "95000.00%"]
    assert row[-1] == "<"
    assert [line for line in lines if "sums" in line and line.endswith("<")]
