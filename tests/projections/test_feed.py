"""The rooms' feed and the winners."""

from engine.bets.facts import BetPlaced
from projections import bets, winners
from tests.projections.history import ISSUE, NOON, SECOND, bet
from tests.projections.support import ProjectionHarness


def issue(number: int) -> str:
    return f"20261121{number:03d}"


def players(house: ProjectionHarness, *numbers: int) -> None:
    house.history.joins(*numbers)
    for number in numbers:
        house.history.deposits(number, 1_000_000)


def wins(house: ProjectionHarness, player: int, placed: BetPlaced) -> None:
    house.history.settles(player, placed, 19, placed.stake_minor * 198 // 100)


def test_a_hall_shows_the_bets_of_its_round_oldest_first(house: ProjectionHarness) -> None:
    players(house, 1, 2)
    house.history.opens()
    house.history.bets(1, bet(1, 2_000, kind="odd"), bet(2, plan=2))
    house.history.later(1)
    house.history.bets(2, bet(3))

    found = bets.live(house.catch_up(), {1: [ISSUE]})[1]

    assert [(it.bet, it.player, it.kind, it.stake) for it in found] == [
        ("bet-1", 1, "odd", 2_000),
        ("bet-3", 2, "big", 1_000),
    ]
    assert [(it.plan, it.issue, it.bot, it.at) for it in found] == [
        (1, ISSUE, False, NOON),
        (1, ISSUE, False, NOON + SECOND),
    ]


def test_the_newest_bets_push_out_the_oldest(house: ProjectionHarness) -> None:
    players(house, 1)
    house.history.opens()
    house.history.bets(1, *(bet(number, 100) for number in range(5)), bet(9, plan=2))

    found = bets.live(house.catch_up(), {1: [ISSUE]}, limit=3)

    assert [it.bet for it in found[1]] == ["bet-2", "bet-3", "bet-4"]
    assert [it.bet for it in found[2]] == ["bet-9"]


def test_recalled_bets_keep_their_place_and_show_the_position_of_the_recall(
    house: ProjectionHarness,
) -> None:
    players(house, 1)
    house.history.opens()
    stays, back, elsewhere = bet(1), bet(2), bet(3, plan=2)
    house.history.bets(1, stays, back, elsewhere)
    house.history.recalls(1, back, elsewhere)
    views = house.catch_up()

    assert [it.bet for it in bets.live(views, {1: [ISSUE]})[1]] == ["bet-1", "bet-2"]
    recalled = bets.recalled(views, {1: [ISSUE]})
    assert {plan: [it.bet for it in found] for plan, found in recalled.items()} == {
        1: ["bet-2"],
        2: ["bet-3"],
    }
    assert 0 < recalled[1][0].position < recalled[2][0].position


def test_bots_are_marked(house: ProjectionHarness) -> None:
    house.history.joins(9, bot=True)
    house.history.deposits(9, 10_000, "demo")
    house.catch_up()
    house.history.opens()
    house.history.bets(9, bet(1))

    (found,) = bets.live(house.catch_up(), {1: [ISSUE]})[1]

    assert found.bot


def test_every_round_of_every_game_has_its_own_bets(house: ProjectionHarness) -> None:
    players(house, 1)
    for number in (1, 2):
        house.history.opens(1, issue(number))
        placed = bet(number, issue=issue(number))
        again = bet(10 + number, issue=issue(number))
        house.history.bets(1, placed, again)
        house.history.recalls(1, again)
    house.history.opens(2, issue(1))
    house.history.bets(1, bet(4, game=2, issue=issue(1), plan=10))
    views = house.catch_up()

    found = {
        (game, number): [
            it.bet for hall in bets.live(views, {game: [issue(number)]}).values() for it in hall
        ]
        for game in (1, 2)
        for number in (1, 2)
    }
    recalled = [
        [(it.bet, it.issue) for it in bets.recalled(views, {1: [issue(number)]})[1]]
        for number in (1, 2)
    ]
    both = bets.live(views, {1: [issue(1), issue(2)]})[1]
    of_two_games = bets.live(views, {1: [issue(2)], 2: [issue(1)]})

    assert found == {
        (1, 1): ["bet-1", "bet-11"],
        (1, 2): ["bet-2", "bet-12"],
        (2, 1): ["bet-4"],
        (2, 2): [],
    }
    assert recalled == [[("bet-11", issue(1))], [("bet-12", issue(2))]]
    assert [it.bet for it in both] == ["bet-1", "bet-11", "bet-2", "bet-12"]
    assert {plan: [it.bet for it in hall] for plan, hall in of_two_games.items()} == {
        1: ["bet-2", "bet-12"],
        10: ["bet-4"],
    }


def test_a_winner_won_more_than_they_staked_in_the_whole_round(house: ProjectionHarness) -> None:
    players(house, 1, 2, 3)
    house.history.opens()
    big, small, hedge, lost = bet(1, 3_000), bet(2, 500), bet(3, 3_000), bet(4)
    house.history.bets(1, big, small)
    house.history.bets(2, hedge, bet(5, 3_000))
    house.history.bets(3, lost)
    wins(house, 1, big)
    house.catch_up()
    house.history.settles(1, small, 19, 0)
    wins(house, 2, hedge)
    house.history.settles(2, bet(5, 3_000), 19, 0)
    house.history.settles(3, lost, 19, 0)
    house.history.later(1)
    house.history.ends()

    found = winners.winners(house.catch_up(), 10)

    assert [(it.player, it.stake, it.payout, it.profit) for it in found] == [
        (1, 3_500, 5_940, 2_440)
    ]
    assert (found[0].game, found[0].issue, found[0].at) == (1, ISSUE, NOON + SECOND)


def test_there_is_no_winner_before_the_round_is_settled(house: ProjectionHarness) -> None:
    players(house, 1)
    house.history.opens()
    won = bet(1)
    house.history.bets(1, won)
    wins(house, 1, won)

    assert winners.winners(house.catch_up(), 10) == ()


def test_bots_never_win(house: ProjectionHarness) -> None:
    house.history.joins(9, bot=True)
    house.history.deposits(9, 10_000, "demo")
    house.history.opens()
    won = bet(1)
    house.history.bets(9, won)
    wins(house, 9, won)
    house.history.ends()

    assert winners.winners(house.catch_up(), 10) == ()


def test_winners_are_listed_newest_round_first_then_by_profit(house: ProjectionHarness) -> None:
    players(house, 1, 2)
    for number, game in ((1, 1), (2, 2), (3, 1)):
        house.history.opens(game, issue(number))
        less = bet(number, 1_000, game=game, issue=issue(number))
        more = bet(10 + number, 2_000, game=game, issue=issue(number))
        house.history.bets(1, less)
        house.history.bets(2, more)
        wins(house, 1, less)
        wins(house, 2, more)
        house.history.ends(game, issue(number))
    views = house.catch_up()

    newest = winners.winners(views, 4)
    of_game = winners.winners(views, 10, game=2)

    assert [(it.issue, it.player) for it in newest] == [
        (issue(3), 2),
        (issue(3), 1),
        (issue(2), 2),
        (issue(2), 1),
    ]
    assert [(it.issue, it.player) for it in of_game] == [(issue(2), 2), (issue(2), 1)]
