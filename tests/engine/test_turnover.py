"""The turnover of a round's stakes, and the totals of deposits and losses by period."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bets.decisions import settle
from engine.bets.turnover import effective_turnover
from engine.cashier.facts import TurnoverCounted
from engine.catalogue import DRAWS, NUMBER_KINDS
from engine.money import units
from engine.odds import SPECIFIED
from engine.players import state as players
from engine.players.state import PeriodTotals
from tests.engine.given import DAY, GAME, ISSUE, a_bet, member
from tests.engine.model_rules import effective_turnover as expected

STAKES = st.lists(
    st.tuples(st.sampled_from(SPECIFIED.kinds), st.integers(1, 500).map(units)),
    min_size=1,
    max_size=12,
)


def counted(*stakes: tuple[str, int]) -> tuple[int, int]:
    return effective_turnover(
        a_bet(str(number), units(stake), kind=kind, odds_milli=SPECIFIED.odds_milli[kind])
        for number, (kind, stake) in enumerate(stakes)
    )


@pytest.mark.parametrize(
    ("stakes", "effective_minor"),
    [
        ([("big", 100)], units(100)),
        ([("big", 100), ("small", 100)], units(2)),
        ([("odd", 100), ("even", 100)], units(2)),
        ([("big", 100), ("big", 100)], units(200)),
        ([("13", 7)], units(7)),
    ],
)
def test_both_sides_of_a_bet_count_next_to_nothing(
    stakes: Sequence[tuple[str, int]], effective_minor: int
) -> None:
    assert counted(*stakes)[1] == effective_minor


def test_a_book_that_almost_always_wins_counts_almost_nothing() -> None:
    """All sums but 0, so that it wins 999 times in 1,000 at a small cost."""
    chances = {kind: sum(sum(draw) == int(kind) for draw in DRAWS) for kind in NUMBER_KINDS}
    stakes = [(kind, chances[kind] * 10) for kind in NUMBER_KINDS if kind != "0"]
    stake, effective = counted(*stakes)
    assert stake == units(9_990)
    assert effective * 100 < stake * 10


@given(STAKES)
def test_turnover_follows_from_the_thousand_draws(stakes: list[tuple[str, int]]) -> None:
    bets = [
        a_bet(str(number), stake, kind=kind, odds_milli=SPECIFIED.odds_milli[kind])
        for number, (kind, stake) in enumerate(stakes)
    ]
    stake, effective = effective_turnover(bets)
    assert (stake, effective) == expected(stakes)
    assert 0 <= effective <= stake


def test_all_bets_of_a_round_are_counted_once_with_the_first_that_is_settled() -> None:
    player = member(units(1_000))
    for number, kind in enumerate(("big", "small")):
        players.evolve(player, a_bet(str(number), units(100), kind=kind), DAY)
    turnover, first = settle(player, "0", 20)
    assert turnover == TurnoverCounted(GAME, ISSUE, units(200), units(2))
    for fact in (turnover, first):
        players.evolve(player, fact, DAY)
    assert len(settle(player, "1", 20)) == 1
    assert player.payments.turnover_minor == units(2)
    assert player.payments.due_minor == units(1_000 - 2)


def test_a_bots_bets_count_nothing() -> None:
    """GLI-19 A.7.1."""
    player = member(units(1_000))
    player.bot = True
    players.evolve(player, a_bet(), DAY)
    assert len(settle(player, "bet-1", 20)) == 1


def test_turnover_due_never_falls_below_zero() -> None:
    player = member(units(10))
    players.evolve(player, TurnoverCounted(GAME, ISSUE, units(500), units(500)), DAY)
    assert player.payments.due_minor == 0
    assert player.payments.turnover_minor == units(500)


# The sums of a day, a week and a month.


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("2026-11-21", (5, 5, 5)),
        ("2026-11-22", (0, 5, 5)),
        ("2026-11-23", (0, 0, 5)),
        ("2026-12-01", (0, 0, 0)),
        ("2027-11-21", (0, 0, 0)),
    ],
)
def test_a_period_restarts_with_its_first_day(later: str, expected: tuple[int, int, int]) -> None:
    """2026-11-21 is a Saturday: the week ends on Sunday, the month on the 30th."""
    totals = PeriodTotals().deposit("2026-11-21", 5).settle("2026-11-21", -5).on(later)
    assert totals.deposited == expected
    assert totals.net == (-expected[0], -expected[1], -expected[2])


def test_a_week_may_cross_a_month_and_a_year() -> None:
    totals = PeriodTotals().deposit("2026-12-31", 5).on("2027-01-03")
    assert totals.deposited == (0, 5, 0)


def test_the_turnover_of_the_day_before_is_kept_over_quiet_days() -> None:
    totals = PeriodTotals().turn_over("2026-11-21", 7).on("2026-11-22").on("2026-11-25")
    assert totals.turnover_of("2026-11-21") == 7
    assert totals.turnover_of("2026-11-25") == 0
    assert totals.turn_over("2026-11-25", 3).turnover_of("2026-11-25") == 3
