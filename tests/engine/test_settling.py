"""Settling bets: paid once at their own odds, bonus money in proportion; or returned in full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bets.decisions import settle, void
from engine.bets.facts import BetPlaced, BetSettled, BetVoided
from engine.catalogue import KINDS, SUMS, SUMS_OF
from engine.players import state as players
from engine.players.state import Player
from tests.engine.given import DAY, a_bet, member

STAKES = st.integers(1, 50_000).map(lambda stake_u: stake_u * 100)


def player_with(bet: BetPlaced) -> Player:
    return players.evolve(member(bet.stake_minor - bet.bonus_minor, bet.bonus_minor), bet, DAY)


def settled(bet: BetPlaced, total: int) -> BetSettled:
    *_, fact = settle(player_with(bet), bet.bet, total)
    assert isinstance(fact, BetSettled)
    return fact


@pytest.mark.parametrize("kind", KINDS)
def test_a_bet_wins_its_odds_on_its_sums_and_nothing_on_the_others(kind: str) -> None:
    bet = a_bet(stake_minor=1_000, kind=kind, odds_milli=2_500)
    for total in SUMS:
        paid = 2_500 if total in SUMS_OF[kind] else 0
        assert settled(bet, total).payout_minor == paid
        assert settled(bet, total).total == total


def test_a_bet_is_paid_at_the_odds_it_was_taken_at() -> None:
    """GLI-19 A.5.1e: even if the table has changed since."""
    assert settled(a_bet(kind="big", odds_milli=1_980), 20).payout_minor == 1_980
    assert settled(a_bet(kind="big", odds_milli=1_001), 20).payout_minor == 1_001


def test_a_fraction_of_a_minor_unit_is_not_paid() -> None:
    assert settled(a_bet(stake_minor=100, odds_milli=1_999), 20).payout_minor == 199


@pytest.mark.parametrize(
    ("stake", "bonus", "payout", "returned_as_bonus"),
    [
        (1_000, 0, 1_980, 0),
        (1_000, 300, 1_980, 594),
        (1_000, 1_000, 1_980, 1_980),
        (300, 100, 594, 198),
        (700, 300, 1_386, 594),
        (300, 1, 594, 1),  # 1.98 of it: the fraction goes to the available balance
    ],
)
def test_a_payout_returns_in_the_proportion_the_stake_was_taken_in(
    stake: int, bonus: int, payout: int, returned_as_bonus: int
) -> None:
    bet = a_bet(stake_minor=stake, bonus_minor=bonus)
    player = player_with(bet)
    *_, fact = settle(player, bet.bet, 20)
    assert isinstance(fact, BetSettled)
    assert (fact.payout_minor, fact.payout_bonus_minor) == (payout, returned_as_bonus)
    players.evolve(player, fact, DAY)
    assert (player.available, player.bonus) == (payout - returned_as_bonus, returned_as_bonus)
    assert player.staked == 0


def test_a_bet_is_settled_once() -> None:
    """GLI-19 4.3.3d: settling a settled bet yields no facts."""
    bet = a_bet()
    player = player_with(bet)
    *_, fact = settle(player, bet.bet, 20)
    players.evolve(player, fact, DAY)
    assert settle(player, bet.bet, 20) == []
    assert void(player, bet.bet) == []


def test_an_unknown_bet_yields_no_facts() -> None:
    assert settle(member(), "no such bet", 20) == []
    assert void(member(), "no such bet") == []


def test_a_void_returns_each_part_of_the_stake_once() -> None:
    bet = a_bet(stake_minor=1_000, bonus_minor=400)
    player = player_with(bet)
    (fact,) = void(player, bet.bet)
    assert fact == BetVoided(bet.bet, bet.game, bet.issue, 1_000, 400)
    players.evolve(player, fact, DAY)
    assert (player.available, player.bonus, player.staked) == (600, 400, 0)
    assert void(player, bet.bet) == []
    assert settle(player, bet.bet, 20) == []


@given(STAKES, st.data(), st.sampled_from(KINDS), st.integers(1_000, 950_000), st.integers(0, 27))
def test_no_part_of_a_payout_is_lost_or_made(
    stake: int, data: st.DataObject, kind: str, odds_milli: int, total: int
) -> None:
    bonus = data.draw(st.integers(0, stake))
    bet = a_bet(stake_minor=stake, kind=kind, bonus_minor=bonus, odds_milli=odds_milli)
    player = player_with(bet)
    *_, fact = settle(player, bet.bet, total)
    players.evolve(player, fact, DAY)
    assert isinstance(fact, BetSettled)
    assert player.available + player.bonus == fact.payout_minor
    assert 0 <= fact.payout_bonus_minor <= fact.payout_minor
    assert fact.payout_bonus_minor * stake <= fact.payout_minor * bonus
    assert fact.payout_minor * bonus < (fact.payout_bonus_minor + 1) * stake
