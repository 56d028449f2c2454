"""Balances, profits and statements."""

import pytest

from engine.bets.facts import BetPlaced
from engine.cashier.facts import GiftGranted
from projections import accounts, statements
from tests.projections.history import ISSUE, NOON, SECOND, bet
from tests.projections.support import ALWAYS, ProjectionHarness

DAY = 86_400 * SECOND


def test_a_deposit_is_available_immediately(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)

    found = accounts.account(house.catch_up(), 1)

    assert found is not None
    assert (found.available, found.total, found.version, found.position) == (10_000, 10_000, 2, 2)
    assert (found.group, found.bot) == (1, False)


def test_a_stake_leaves_available_money_until_its_bet_is_answered(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.bets(1, bet(1, 3_000))

    found = accounts.account(house.catch_up(), 1)

    assert found is not None
    assert (found.available, found.staked, found.total) == (7_000, 3_000, 10_000)


def test_several_facts_of_one_player_in_one_page_add_up(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    won, lost, back = bet(1, 1_000), bet(2, 2_000), bet(3, 3_000)
    house.history.bets(1, won, lost, back)
    house.history.recalls(1, back)
    house.history.settles(1, won, 19, 1_980)
    house.history.settles(1, lost, 19, 0)

    found = accounts.account(house.catch_up(), 1)

    assert found is not None
    assert (found.available, found.staked, found.version) == (8_980, 0, 8)


def test_no_player_has_an_account_before_registration(house: ProjectionHarness) -> None:
    assert accounts.account(house.catch_up(), 1) is None


def test_profits_count_by_the_operators_calendar_day_of_the_settlement(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    won, lost, tomorrows = bet(1), bet(2, 400), bet(3, 100)
    house.history.bets(1, won, lost, tomorrows)
    house.history.at = NOON + 12 * 3_600 * SECOND - 1
    house.history.settles(1, won, 19, 1_980)
    house.history.settles(1, lost, 19, 0)
    house.history.at += 1
    house.history.settles(1, tomorrows, 19, 198)

    profits = accounts.profits(house.catch_up(), 1, ["2026-11-20", "2026-11-21", "2026-11-22"])

    assert profits == {"2026-11-20": 0, "2026-11-21": 580, "2026-11-22": 98}


def test_a_statement_shows_what_each_fact_changed(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000, "usdt")
    won, back, voided = bet(1, 1_000), bet(2, 2_000, kind="7"), bet(3, 3_000)
    house.history.bets(1, won, back, voided)
    house.history.recalls(1, back)
    house.history.voids(1, voided)
    house.history.settles(1, won, 19, 1_980)

    entries = statements.statement(house.catch_up(), 1, *ALWAYS).items

    rows = [(it.type, it.amount, it.before, it.after, it.bet, it.detail) for it in entries]
    assert rows == [
        (3, 1_980, 9_000, 10_980, "bet-1", "19"),
        (2, 3_000, 6_000, 9_000, "bet-3", ""),
        (2, 2_000, 4_000, 6_000, "bet-2", ""),
        (2, -3_000, 7_000, 4_000, "bet-3", "big"),
        (2, -2_000, 9_000, 7_000, "bet-2", "7"),
        (2, -1_000, 10_000, 9_000, "bet-1", "big"),
        (0, 10_000, 0, 10_000, "", "usdt"),
    ]


def test_an_entry_names_its_fact_and_who_did_it(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.bets(1, bet(1))

    entry = statements.statement(house.catch_up(), 1, *ALWAYS).items[0]

    assert (entry.id, entry.position, entry.version) == (3, 3, 3)
    assert (entry.topic, entry.command_id, entry.actor) == (
        "bet-placed.1", "command-3", "player-1",
    )  # fmt: skip
    assert (entry.game, entry.issue, entry.status, entry.at) == (1, ISSUE, 1, NOON)


def test_a_losing_bet_adds_nothing_to_the_statement(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    lost = bet(1)
    house.history.bets(1, lost)
    house.history.settles(1, lost, 3, 0)

    entries = statements.statement(house.catch_up(), 1, *ALWAYS).items

    assert [it.type for it in entries] == [2, 0]


def test_a_statement_is_continued_by_its_cursor(house: ProjectionHarness) -> None:
    house.history.joins(1, 2)
    for _ in range(3):
        house.history.deposits(1, 100)
        house.history.deposits(2, 100)
        house.history.deposits(1, 100)
        house.history.later(1)
    views = house.catch_up()

    first = statements.statement(views, 1, *ALWAYS, limit=4)
    second = statements.statement(views, 1, *ALWAYS, limit=4, cursor=first.cursor)

    assert [it.after for it in first.items + second.items] == [600, 500, 400, 300, 200, 100]
    assert second.cursor is None


def test_a_statement_keeps_to_its_period_and_type(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.at += DAY
    house.history.deposits(1, 5_000)
    house.history.bets(1, bet(1))
    house.history.at += DAY
    house.history.deposits(1, 1_000)

    listed = statements.statement(house.catch_up(), 1, NOON + DAY, NOON + 2 * DAY, kind=0)

    assert [it.amount for it in listed.items] == [5_000]


def test_a_foreign_cursor_is_refused(house: ProjectionHarness) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        statements.statement(house.catch_up(), 1, *ALWAYS, cursor="the one from yesterday")


def test_takings_are_what_players_lost_and_liabilities_what_they_have(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    lost, won = bet(1, 3_000), bet(2, 1_000)
    house.history.bets(1, lost, won)
    house.history.settles(1, lost, 19, 0)
    house.history.settles(1, won, 19, 1_980)
    views = house.catch_up()

    balances = {it.account: it.balance for it in accounts.trial_balance(views)}

    assert balances["house:takings"] == 2_020
    assert balances["world:bank"] == -10_000
    assert sum(it for name, it in balances.items() if name.startswith("player:")) == 7_980


def test_bots_are_excluded_from_liabilities_and_takings(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.joins(2, bot=True)
    house.history.deposits(1, 1_000)
    house.history.deposits(2, 9_000, "demo")
    lost = bet(1)
    house.history.bets(2, lost)
    house.history.settles(2, lost, 3, 0)
    views = house.catch_up()

    totals = {(it.account, it.bots): it.balance for it in accounts.trial_balance(views)}

    assert totals["player:available", False] == 1_000
    assert totals["house:takings", True] == 1_000
    assert ("house:takings", False) not in totals
    for bots in (False, True):
        assert sum(balance for (_, of_bots), balance in totals.items() if of_bots is bots) == 0


def test_bonus_money_is_no_part_of_the_available_balance(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 400)
    house.history.append_for(1, GiftGranted("gift-1", "staff", 600, 600, NOON, ""), by="staff:ann")
    views = house.catch_up()
    mixed: BetPlaced = bet(1, 1_000, bonus_minor=600)
    house.history.bets(1, mixed)
    house.history.settles(1, mixed, 19, 1_980)
    house.catch_up()

    entries = statements.statement(views, 1, *ALWAYS).items[:2]
    found = accounts.account(views, 1)

    rows = [(it.amount, it.bonus, it.before, it.after) for it in entries]
    assert rows == [(1_980, 1_188, 0, 792), (-1_000, -600, 400, 0)]
    assert found is not None
    assert (found.available, found.bonus) == (792, 1_188)
