"""Recalls: own bets only, in an open round; each part of the stake returns to its balance."""

import pytest

from engine.answers import Refused
from engine.bets.commands import RecallBets
from engine.bets.decisions import recall
from engine.bets.facts import BetPlaced, BetRecalled
from engine.odds import SPECIFIED
from engine.players import state as players
from engine.players.state import Player
from engine.refusals import Refusal
from engine.rounds.state import Round
from tests.engine.given import (
    AT_CLOSE,
    DAY,
    DURING_SALE,
    NEXT_ISSUE,
    a_bet,
    add_open_bet,
    member,
    recalling,
    sale,
    unregistered,
)


def player_with(*bets: BetPlaced) -> tuple[Player, Round]:
    player, on = member(100_000), sale()
    for bet in bets:
        add_open_bet(bet, player, on)
    return player, on


def recalled(command: RecallBets, player: Player, on: Round) -> list[str]:
    facts = recall(command, player, on, DURING_SALE)
    assert isinstance(facts, list), facts
    assert all(isinstance(fact, BetRecalled) for fact in facts)
    return [fact.bet for fact in facts if isinstance(fact, BetRecalled)]


def refusal(
    command: RecallBets, player: Player, on: Round | None, now: int = DURING_SALE
) -> Refusal:
    refused = recall(command, player, on, now)
    assert isinstance(refused, Refused), refused
    return refused.refusal


def test_one_bet_is_recalled_by_its_id() -> None:
    player, on = player_with(a_bet("one"), a_bet("two"), a_bet("three"))
    assert recalled(recalling("two"), player, on) == ["two"]


def test_without_an_id_every_open_bet_of_the_round_is_recalled_in_any_hall() -> None:
    player, on = player_with(a_bet("one"), a_bet("two", kind="13"), a_bet("three"))
    assert recalled(recalling(), player, on) == ["one", "two", "three"]


def test_bets_of_another_game_or_round_stay() -> None:
    player, on = player_with(a_bet("one"))
    for bet in (
        BetPlaced("elsewhere", 2, on.issue, 10, "big", 100, 0, 1_980, SPECIFIED.id, AT_CLOSE, ""),
        BetPlaced("earlier", 1, "20261120274", 1, "big", 100, 0, 1_980, SPECIFIED.id, AT_CLOSE, ""),
    ):
        player.bets.add(bet.bet, bet)
    assert recalled(recalling(), player, on) == ["one"]
    assert refusal(recalling("elsewhere"), player, on) == Refusal.BET_UNKNOWN


def test_no_player_recalls_another_players_bet() -> None:
    """ASVS 8.2.2: another's bet answers as if it were absent."""
    _, on = player_with(a_bet("theirs"))
    assert refusal(recalling("theirs"), member(), on) == Refusal.BET_UNKNOWN
    assert refusal(recalling("no such bet"), member(), on) == Refusal.BET_UNKNOWN


def test_a_bet_is_recalled_once() -> None:
    player, on = player_with(a_bet("one"))
    (fact,) = recall(recalling("one"), player, on, DURING_SALE)  # type: ignore[misc]
    players.evolve(player, fact, DAY)
    assert refusal(recalling("one"), player, on) == Refusal.BET_UNKNOWN
    assert refusal(recalling(), player, on) == Refusal.NOTHING_TO_RECALL


def test_with_no_open_bet_there_is_nothing_to_recall() -> None:
    assert refusal(recalling(), member(), sale()) == Refusal.NOTHING_TO_RECALL


def test_a_recall_is_accepted_until_the_last_microsecond_before_the_close() -> None:
    """GLI-19 2.8.2o: only while the round is open."""
    player, on = player_with(a_bet("one"))
    assert isinstance(recall(recalling("one"), player, on, AT_CLOSE - 1), list)
    assert refusal(recalling("one"), player, on, AT_CLOSE) == Refusal.ROUND_CLOSED
    assert refusal(recalling(), player, on, AT_CLOSE + 1) == Refusal.ROUND_CLOSED


@pytest.mark.parametrize(
    ("issue", "named"),
    [
        ("x", Refusal.ROUND_UNKNOWN),
        (NEXT_ISSUE, Refusal.NOTHING_TO_RECALL),
        ("20261120274", Refusal.ROUND_CLOSED),
    ],
)
def test_only_bets_of_the_current_round_are_recalled(issue: str, named: Refusal) -> None:
    player, on = player_with(a_bet("one"))
    assert refusal(recalling(issue=issue), player, on) == named


def test_a_bet_is_not_found_on_a_round_that_is_still_to_come() -> None:
    player, on = player_with(a_bet("one"))
    assert refusal(recalling("one", issue=NEXT_ISSUE), player, on) == Refusal.BET_UNKNOWN


def test_the_first_broken_condition_in_the_list_is_returned() -> None:
    on = sale()
    assert refusal(recalling(issue="x"), unregistered(), on) == Refusal.PLAYER_UNKNOWN
    assert refusal(recalling("none", issue="x"), member(), on, AT_CLOSE) == Refusal.ROUND_UNKNOWN
    assert refusal(recalling("none"), member(), on, AT_CLOSE) == Refusal.ROUND_CLOSED
    assert refusal(recalling("none"), member(), None) == Refusal.ROUND_CLOSED


@pytest.mark.parametrize("bonus", [0, 1, 333, 1_000])
def test_each_part_of_the_stake_returns_where_it_came_from(bonus: int) -> None:
    player = member(5_000, 2_000)
    on = sale()
    before = player.fork()
    add_open_bet(a_bet("one", 1_000, bonus_minor=bonus), player, on)
    (fact,) = recall(recalling("one"), player, on, DURING_SALE)  # type: ignore[misc]
    players.evolve(player, fact, DAY)
    assert (player.available, player.bonus, player.staked) == (before.available, before.bonus, 0)
    assert list(player.bets) == []
