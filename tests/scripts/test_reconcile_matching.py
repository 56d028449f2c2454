"""Matching of statement lines with movements, on generated ones."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.audit_tool.reconciling.items import (
    Ambiguity,
    Dispute,
    Item,
    Match,
    MatchOutcome,
    MatchTolerance,
)
from scripts.audit_tool.reconciling.matching import SubsetSums, reconcile, sums

LIMITS = MatchTolerance()


def item(key: int, amount: int, day: int = 100, *references: str) -> Item:
    return Item(key, day, amount, references)


def matches(
    lines: list[Item], movements: list[Item], limits: MatchTolerance = LIMITS
) -> list[Match]:
    return list(reconcile(lines, movements, limits).matches)


def test_one_reference_is_one_payment() -> None:
    lines = [item(1, 500, 100, "A-1"), item(2, 500, 100, "A-2")]
    movements = [item(1, 500, 101, "A-2"), item(2, 500, 101, "A-1")]
    assert matches(lines, movements) == [
        Match((1,), (2,), "reference"),
        Match((2,), (1,), "reference"),
    ]


def test_a_retyped_reference_is_recognised() -> None:
    assert matches([item(1, 500, 100, "inv 77/b")], [item(1, 500, 100, "INV-77-B")]) == [
        Match((1,), (1,), "similar reference")
    ]


def test_an_exact_reference_has_precedence_over_a_retyped_one() -> None:
    lines = [item(1, 500, 100, "ab")]
    movements = [item(1, 500, 100, "AB"), item(2, 500, 100, "ab")]
    assert matches(lines, movements) == [Match((1,), (2,), "reference")]


def test_a_reference_with_another_amount_is_disputed_and_matched_with_nothing_else() -> None:
    outcome = reconcile(
        [item(1, 490, 100, "A-1")], [item(1, 500, 100, "A-1"), item(2, 490)], LIMITS
    )
    assert outcome.disputes == (Dispute(1, 1),)
    assert outcome.matches == ()
    assert outcome.movements == (2,)


def test_a_reference_from_another_time_is_disputed() -> None:
    outcome = reconcile([item(1, 500, 100, "A")], [item(1, 500, 104, "A")], LIMITS)
    assert outcome.disputes == (Dispute(1, 1),)


def test_one_line_pays_all_movements_of_its_reference() -> None:
    movements = [item(key, 100, 100, "batch 9") for key in range(1, 8)]
    assert matches([item(1, 700, 100, "batch 9")], movements) == [
        Match((1,), tuple(range(1, 8)), "reference")
    ]


def test_several_lines_of_one_reference_are_one_movement() -> None:
    lines = [item(1, 300, 100, "A"), item(2, 200, 101, "A")]
    assert matches(lines, [item(1, 500, 100, "A")]) == [Match((1, 2), (1,), "reference")]


def test_without_a_reference_amount_and_day_decide_when_only_one_fits() -> None:
    assert matches([item(1, 500)], [item(1, 500, 103), item(2, 500, 104), item(3, -500)]) == [
        Match((1,), (1,), "amount and day")
    ]


def test_two_movements_that_fit_one_line_are_listed_and_neither_is_chosen() -> None:
    outcome = reconcile([item(1, 500)], [item(1, 500, 100), item(2, 500, 101)], LIMITS)
    assert outcome.matches == ()
    assert outcome.ambiguities == (
        Ambiguity(
            (1,),
            (1, 2),
            (Match((1,), (1,), "amount and day"), Match((1,), (2,), "amount and day")),
            more=False,
        ),
    )
    assert (outcome.lines, outcome.movements) == ((), ())


def test_hundreds_of_equal_amounts_are_one_ambiguity_of_which_some_readings_are_listed() -> None:
    many = [item(key, 500) for key in range(1, 301)]
    (ambiguity,) = reconcile(many, many, LIMITS).ambiguities
    assert len(ambiguity.lines) == len(ambiguity.movements) == 300
    assert len(ambiguity.alternatives) == 12
    assert ambiguity.more


def test_a_line_is_the_sum_of_movements() -> None:
    movements = [item(1, 120), item(2, 180), item(3, 275), item(4, -300)]
    assert matches([item(1, 300)], movements) == [Match((1,), (1, 2), "sum")]


def test_a_movement_is_the_sum_of_lines() -> None:
    lines = [item(1, -120), item(2, -180), item(3, -275)]
    assert matches(lines, [item(1, -300)]) == [Match((1, 2), (1,), "sum")]


def test_the_parts_of_a_sum_are_within_the_days_on_either_side() -> None:
    movements = [item(1, 120, 97), item(2, 180, 103)]
    assert matches([item(1, 300)], movements) == [Match((1,), (1, 2), "sum")]
    assert matches([item(1, 300)], movements, MatchTolerance(days=2)) == []
    assert matches([item(1, 300, 101)], movements) == []


def test_a_sum_has_no_more_parts_than_allowed() -> None:
    movements = [item(1, 100), item(2, 201), item(3, 402)]
    assert matches([item(1, 703)], movements, MatchTolerance(parts=2)) == []
    assert matches([item(1, 703)], movements, MatchTolerance(parts=3)) != []
    assert matches([item(1, 301)], movements, MatchTolerance(parts=1)) == []


def test_two_sums_that_fit_are_listed_and_neither_is_chosen() -> None:
    movements = [item(1, 100), item(2, 200), item(3, 50), item(4, 250)]
    outcome = reconcile([item(1, 300)], movements, LIMITS)
    assert outcome.matches == ()
    assert [each.movements for each in outcome.ambiguities[0].alternatives] == [(1, 2), (3, 4)]


def test_a_movement_that_fits_two_sums_is_matched_with_neither() -> None:
    movements = [item(1, 100), item(2, 210), item(3, 320)]
    outcome = reconcile([item(1, 310), item(2, 420)], movements, LIMITS)
    assert outcome.matches == ()
    assert outcome.ambiguities[0].lines == (1, 2)


def test_an_abandoned_search_is_reported_and_takes_nothing() -> None:
    odd = [item(key, 2 * key + 1_001) for key in range(1, 200)]
    outcome = reconcile([item(1, 4_800), item(2, 2_008)], odd, LIMITS)
    assert outcome.matches == ()
    assert 1 in (*outcome.unsearched_lines, *outcome.ambiguities[0].lines)
    assert all(ambiguity.more for ambiguity in outcome.ambiguities)


def test_the_tolerance_is_for_the_whole_of_a_match() -> None:
    movements = [item(1, 120), item(2, 180)]
    assert matches([item(1, 302)], movements, MatchTolerance(tolerance_minor=2)) != []
    assert matches([item(1, 303)], movements, MatchTolerance(tolerance_minor=2)) == []


@pytest.mark.parametrize(("line", "movement"), [(10, -10), (-10, 10), (0, 0), (0, 5), (-5, 0)])
def test_small_amounts_never_match_another_direction_or_zero(line: int, movement: int) -> None:
    limits = MatchTolerance(tolerance_minor=50)
    assert reconcile([item(1, line)], [item(1, movement)], limits).lines == (1,)
    assert reconcile([item(1, line)], [item(1, movement)], limits).movements == (1,)


def test_a_line_of_zero_never_matches_a_sum_of_small_movements() -> None:
    movements = [item(1, -10, 100, "r"), item(2, -10, 100, "r")]
    limits = MatchTolerance(tolerance_minor=50)
    assert matches([item(1, 0, 100, "r")], movements, limits) == []


def test_a_reference_of_punctuation_counts_as_empty() -> None:
    assert matches([item(1, 500, 100, "-")], [item(1, 500, 100, "/")]) == [
        Match((1,), (1,), "amount and day")
    ]


def test_a_movement_of_an_incomplete_sum_search_is_not_matched() -> None:
    movements = [*(item(key, 1_000) for key in range(1, 31)), item(31, 700), item(32, 800)]
    assert matches([item(1, 1_500)], movements) == [Match((1,), (31, 32), "sum")]
    outcome = reconcile([item(1, 1_500), item(2, 4_000)], movements, LIMITS)
    assert outcome.matches == ()
    assert Match((1,), (31, 32), "sum") in outcome.ambiguities[0].alternatives
    assert outcome.ambiguities[0].more


REFERENCES = st.sampled_from([(), (), ("a",), ("A ",), ("b",), ("a", "c"), ("c",)])
AMOUNTS = (
    st.integers(-4, 8).map(lambda amount: amount * 100) | st.integers(-3, 3) | st.integers(95, 305)
)
DAYS = st.integers(0, 6)


def sides(max_size: int = 7) -> st.SearchStrategy[list[Item]]:
    made = st.lists(st.tuples(DAYS, AMOUNTS, REFERENCES), max_size=max_size)
    return made.map(lambda rows: [Item(key, *row) for key, row in enumerate(rows, 1)])


LIMITS_DRAWN = st.builds(
    MatchTolerance, st.sampled_from([0, 0, 3, 100]), st.integers(0, 3), st.just(4)
)


@given(sides(), sides(), LIMITS_DRAWN)
def test_every_line_and_movement_comes_out_once(
    lines: list[Item], movements: list[Item], limits: MatchTolerance
) -> None:
    outcome = reconcile(lines, movements, limits)
    groups: list[Match | Ambiguity] = [*outcome.matches, *outcome.ambiguities]
    found_lines = [key for group in groups for key in group.lines]
    found_movements = [key for group in groups for key in group.movements]
    found_lines += [*outcome.lines, *(it.line for it in outcome.disputes)]
    found_movements += [*outcome.movements, *(it.movement for it in outcome.disputes)]
    assert sorted(found_lines) == [it.key for it in lines]
    assert sorted(found_movements) == [it.key for it in movements]


@given(sides(), sides(), LIMITS_DRAWN)
def test_matches_are_within_the_tolerances(
    lines: list[Item], movements: list[Item], limits: MatchTolerance
) -> None:
    outcome = reconcile(lines, movements, limits)
    movement_of = {it.key: it for it in movements}
    line_of = {it.key: it for it in lines}
    readings = [reading for it in outcome.ambiguities for reading in it.alternatives]
    for match in (*outcome.matches, *readings):
        left = [line_of[key] for key in match.lines]
        right = [movement_of[key] for key in match.movements]
        apart = sum(it.amount_minor for it in left) - sum(it.amount_minor for it in right)
        assert abs(apart) <= limits.tolerance_minor
        assert all(abs(a.day - b.day) <= limits.days for a in left for b in right)
        assert len({it.amount_minor > 0 for it in (*left, *right)}) == 1
        assert min(len(left), len(right)) == 1


@given(sides(), sides(), LIMITS_DRAWN, st.randoms())
def test_the_order_of_lines_and_movements_changes_nothing(
    lines: list[Item], movements: list[Item], limits: MatchTolerance, chance: object
) -> None:
    expected = reconcile(lines, movements, limits)
    chance.shuffle(lines)  # type: ignore[attr-defined]
    chance.shuffle(movements)  # type: ignore[attr-defined]
    assert reconcile(lines, movements, limits) == expected


@given(sides(), sides(), LIMITS_DRAWN)
def test_the_two_sides_are_treated_alike(
    lines: list[Item], movements: list[Item], limits: MatchTolerance
) -> None:
    def turned(match: Match) -> Match:
        return Match(match.movements, match.lines, match.rule)

    there, back = reconcile(lines, movements, limits), reconcile(movements, lines, limits)
    assert sorted(map(turned, back.matches)) == list(there.matches)


@given(sides(), sides(), LIMITS_DRAWN, AMOUNTS)
def test_a_line_of_another_time_changes_no_match(
    lines: list[Item], movements: list[Item], limits: MatchTolerance, amount: int
) -> None:
    expected = reconcile(lines, movements, limits)
    apart = Item(99, 50, amount, ("unmatched",))
    found = reconcile([*lines, apart], movements, limits)
    assert found.lines == (*expected.lines, 99)
    assert _without_lines(found) == _without_lines(expected)


def _without_lines(outcome: MatchOutcome) -> tuple[object, ...]:
    return outcome.matches, outcome.disputes, outcome.ambiguities, outcome.movements


@given(sides(), sides(), LIMITS_DRAWN)
def test_what_was_matched_by_its_amount_had_no_other_fitting_partner(
    lines: list[Item], movements: list[Item], limits: MatchTolerance
) -> None:
    """Every other fitting movement was matched earlier, by its reference."""
    outcome = reconcile(lines, movements, limits)
    readings = [reading for it in outcome.ambiguities for reading in it.alternatives]
    earlier = {
        key
        for match in (*outcome.matches, *readings)
        for key in match.movements
        if "reference" in match.rule
    } | {it.movement for it in outcome.disputes}
    line_of = {it.key: it for it in lines}
    for match in outcome.matches:
        if match.rule == "amount and day":
            line = line_of[match.lines[0]]
            fitting = {it.key for it in movements if _fits(line, it, limits)}
            assert fitting - earlier == set(match.movements)


def _fits(line: Item, movement: Item, limits: MatchTolerance) -> bool:
    return (
        line.amount_minor * movement.amount_minor > 0
        and abs(line.amount_minor - movement.amount_minor) <= limits.tolerance_minor
        and abs(line.day - movement.day) <= limits.days
    )


@given(
    st.lists(st.integers(1, 60), max_size=9), st.integers(-5, 120), st.integers(0, 6),
    st.integers(1, 5),
)  # fmt: skip
def test_the_search_finds_exactly_the_subsets_with_the_sum(
    amounts: list[int], low: int, width: int, parts: int
) -> None:
    amounts.sort(reverse=True)
    found = sums(amounts, low, low + width, parts=parts, steps=1 << 30, max_found=1 << 30)
    expected = {
        chosen
        for size in range(2, parts + 1)
        for chosen in combinations(range(len(amounts)), size)
        if low <= sum(amounts[index] for index in chosen) <= low + width
    }
    assert found.complete
    assert sorted(found.found) == sorted(expected)


def test_an_incomplete_search_is_reported_as_incomplete() -> None:
    assert sums([10] * 5, 20, 20, parts=4, steps=1_000, max_found=10) == SubsetSums(
        tuple(combinations(range(5), 2)), complete=True
    )
    found = sums([10] * 5, 20, 20, parts=4, steps=1_000, max_found=9)
    assert (len(found.found), found.complete) == (9, False)
    found = sums([10] * 5, 20, 20, parts=4, steps=2, max_found=10)
    assert (len(found.found), found.complete) == (4, False)
