"""The sums of draws that the charts query."""

from collections.abc import Sequence
from typing import Any

import psycopg

from engine.catalogue import NAMED_KINDS
from projections.draws import hit, omissions, omissions_after, sum_before, sums
from tests.projections.support import ProjectionHarness

END = 1 << 62


def drawn(
    house: ProjectionHarness, totals: Sequence[int], day: str = "20261121"
) -> psycopg.Connection[Any]:
    """Rounds of game 1 with these sums, one after the other. Returns the connection to query."""
    for number, total in enumerate(totals, start=1):
        issue = f"{day}{number:03d}"
        house.history.opens(1, issue)
        house.history.closes(1, issue)
        house.history.later(210)
        house.history.draws(digits_of(total), 1, issue)
    return house.catch_up()


def digits_of(total: int) -> tuple[int, int, int]:
    first = min(9, total)
    second = min(9, total - first)
    return first, second, total - first - second


def test_sums_are_listed_newest_first_with_a_cursor_and_by_day(house: ProjectionHarness) -> None:
    drawn(house, [3, 4], "20261120")
    views = drawn(house, [15, 27, 0])
    first = sums(views, 1, limit=2)
    second = sums(views, 1, limit=2, cursor=first.cursor)
    assert [each.total for each in (*first.items, *second.items)] == [0, 27, 15, 4]
    assert [each.issue for each in sums(views, 1, day="20261120").items] == [
        "20261120002", "20261120001",
    ]  # fmt: skip
    assert sums(views, 2).items == ()


def test_a_sum_knows_the_one_before_it(house: ProjectionHarness) -> None:
    views = drawn(house, [15, 27])
    newest, oldest = sums(views, 1).items
    assert sum_before(views, 1, newest.position) == 15
    assert sum_before(views, 1, oldest.position) is None


def test_a_kind_has_missed_the_draws_since_it_was_last_hit(house: ProjectionHarness) -> None:
    """15 is big and odd, 4 small, even and extreme small, 14 big and even."""
    found = omissions(drawn(house, [15, 4, 14]), 1, END)
    assert found == {
        "big": 0, "small": 1, "odd": 2, "even": 0, "big_odd": 2, "big_even": 0, "small_odd": 3,
        "small_even": 1, "extreme_big": 3, "extreme_small": 1,
    }  # fmt: skip


def test_omissions_reach_back_over_hundreds_of_draws(house: ProjectionHarness) -> None:
    found = omissions(drawn(house, [27, *[15] * 230]), 1, END)
    assert (found["extreme_big"], found["big"], found["small"]) == (230, 0, 231)


def test_omissions_count_only_what_was_drawn_before(house: ProjectionHarness) -> None:
    views = drawn(house, [15, 4, 14])
    newest = sums(views, 1).items[0]
    assert omissions(views, 1, newest.position)["big"] == 1
    assert omissions(views, 2, END) == dict.fromkeys(NAMED_KINDS, 0)


def test_omissions_stepped_draw_by_draw_equal_those_counted_together(
    house: ProjectionHarness,
) -> None:
    totals = [15, 4, 14, 22, 9, 9, 0]
    views = drawn(house, totals)
    steps = omissions_after(dict.fromkeys(NAMED_KINDS, 0), totals)
    assert steps[-1] == omissions(views, 1, END)
    assert [step["big"] for step in steps] == [0, 1, 0, 0, 1, 2, 3]


def test_the_extreme_sums_hit_four_kinds() -> None:
    assert hit(0) == ("small", "even", "small_even", "extreme_small")
    assert hit(5) == ("small", "odd", "small_odd", "extreme_small")
    assert hit(6) == ("small", "even", "small_even")
    assert hit(21) == ("big", "odd", "big_odd")
    assert hit(22) == ("big", "even", "big_even", "extreme_big")
