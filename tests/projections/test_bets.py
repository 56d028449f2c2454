"""The history of bets."""

from projections import bets
from tests.projections.history import ISSUE, NOON, SECOND, bet
from tests.projections.support import ALWAYS, ProjectionHarness


def test_a_bet_is_listed_as_accepted_from_its_placing(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.bets(1, bet(1, 2_000, kind="7", plan=4))

    (order,) = bets.list_bets(house.catch_up(), 1, *ALWAYS).items

    assert (order.bet, order.player, order.game, order.issue) == ("bet-1", 1, 1, ISSUE)
    assert (order.plan, order.kind, order.stake, order.bonus) == (4, "7", 2_000, 0)
    assert (order.odds, order.odds_table, order.placed_at) == (1_980, "card-21.04.02", NOON)
    assert (order.status, order.payout, order.total) == (0, 0, -1)
    assert (order.position, order.answered_position) == (3, 0)


def test_a_bet_ends_settled_recalled_or_voided(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    won, lost, back, voided = bet(1), bet(2), bet(3), bet(4)
    house.history.bets(1, won, lost, back, voided)
    house.catch_up()
    house.history.later(5)
    house.history.recalls(1, back)
    house.history.settles(1, won, 19, 1_980)
    house.history.settles(1, lost, 19, 0)
    house.history.voids(1, voided)

    orders = bets.list_bets(house.catch_up(), 1, *ALWAYS).items

    rows = [(it.bet, it.status, it.payout, it.total) for it in orders]
    assert rows == [
        ("bet-4", 3, 0, -1),
        ("bet-3", 2, 0, -1),
        ("bet-2", 1, 0, 19),
        ("bet-1", 1, 1_980, 19),
    ]


def test_a_bet_placed_and_answered_in_one_page_is_settled(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    won = bet(1)
    house.history.bets(1, won)
    house.history.settles(1, won, 19, 1_980)

    assert house.runner.step() == 4

    (order,) = bets.in_round(house.views, 1, 1, ISSUE)
    assert order.status == 1


def test_orders_are_listed_by_period_game_and_round(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.bets(1, bet(1))
    house.history.later(60)
    house.history.bets(1, bet(2), bet(3, game=2), bet(4, issue="20261121002"))
    house.history.later(60)
    house.history.bets(1, bet(5))
    views = house.catch_up()
    period = (NOON + 60 * SECOND, NOON + 120 * SECOND)

    assert [it.bet for it in bets.list_bets(views, 1, *period).items] == ["bet-4", "bet-3", "bet-2"]
    assert [it.bet for it in bets.list_bets(views, 1, *period, game=2).items] == ["bet-3"]
    of_round = bets.list_bets(views, 1, *period, game=1, issue="20261121002")
    assert [it.bet for it in of_round.items] == ["bet-4"]


def test_a_list_of_orders_is_cut_and_continued(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.bets(1, *(bet(number, 100) for number in range(5)))
    views = house.catch_up()

    first = bets.list_bets(views, 1, *ALWAYS, limit=3)
    second = bets.list_bets(views, 1, *ALWAYS, limit=3, cursor=first.cursor)

    assert [it.bet for it in first.items + second.items] == [f"bet-{n}" for n in (4, 3, 2, 1, 0)]
    assert second.cursor is None


def test_an_order_is_shown_to_its_owner_only(house: ProjectionHarness) -> None:
    house.history.joins(1, 2)
    house.history.deposits(1, 10_000)
    house.history.bets(1, bet(1))
    views = house.catch_up()

    assert [it.bet for it in bets.in_round(views, 1, 1, ISSUE)] == ["bet-1"]
    assert bets.in_round(views, 2, 1, ISSUE) == ()


def test_open_bets_of_a_round_are_those_without_an_answer(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    still, back, elsewhere = bet(1), bet(2), bet(3, game=2)
    house.history.bets(1, still, back, elsewhere)
    house.history.recalls(1, back)
    views = house.catch_up()

    everything = bets.in_round(views, 1, 1, ISSUE)
    still_open = bets.in_round(views, 1, 1, ISSUE, only_open=True)

    assert [it.bet for it in everything] == ["bet-2", "bet-1"]
    assert [it.bet for it in still_open] == ["bet-1"]
