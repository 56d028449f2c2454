"""Joining and depositing: once, in a known group, with money that has arrived."""

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.cashier.commands import ApproveDeposit
from engine.cashier.deposits import DepositFact, enter
from engine.cashier.facts import DepositApproved
from engine.money import units
from engine.players import state as players
from engine.players.commands import RegisterPlayer
from engine.players.decisions import register
from engine.players.facts import PlayerRegistered
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS
from tests.engine.given import DAY, DURING_SALE, guest, member, unregistered

JOINING = RegisterPlayer(1, 1, None, "commitment")
DEPOSIT = ApproveDeposit(1, "deposit-1", "bank", 100_000, "commitment")


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("inviter", [None, 10_007])
def test_a_player_joins_as_member_or_guest_invited_or_not(group: int, inviter: int | None) -> None:
    facts = register(replace(JOINING, group=group, inviter=inviter), unregistered())
    assert facts == [PlayerRegistered(group, inviter, False, "commitment")]


@pytest.mark.parametrize("group", [0, 3, -1])
def test_any_other_group_is_unknown(group: int) -> None:
    refused = register(replace(JOINING, group=group), unregistered())
    assert refused == Refused(Refusal.GROUP_UNKNOWN, "group_id")


def test_joining_twice_changes_nothing() -> None:
    assert register(JOINING, member(500)) == []
    assert register(replace(JOINING, group=1, gift_minor=100_000), guest()) == []


def test_demo_money_comes_as_an_approved_demo_deposit() -> None:
    facts = register(replace(JOINING, gift_minor=100_000), unregistered())
    assert isinstance(facts, list)
    assert facts[1] == DepositApproved("demo-1", "demo", 100_000, "")


def entered(command: ApproveDeposit, player: Player) -> list[DepositFact] | Refused:
    return enter(command, player, DEFAULT_TERMS, DURING_SALE, DAY)


def test_a_deposit_is_usable_once_it_is_approved() -> None:
    player = member()
    (fact,) = entered(DEPOSIT, player)  # type: ignore[misc]
    players.evolve(player, fact, DAY)
    assert player.available == 100_000


@pytest.mark.parametrize("amount", [0, -1, -100_000, units(1_000_000_000) + 1])
def test_an_amount_that_is_no_deposit_is_refused(amount: int) -> None:
    refused = entered(replace(DEPOSIT, amount_minor=amount), member())
    assert refused == Refused(Refusal.AMOUNT_INVALID, "amount")


@pytest.mark.parametrize("amount", [1, units(1_000_000_000)])
def test_the_smallest_and_the_largest_deposit_are_taken(amount: int) -> None:
    assert isinstance(entered(replace(DEPOSIT, amount_minor=amount), member()), list)


@pytest.mark.parametrize("channel", ["", "cash", "house", "player:2"])
def test_money_comes_only_over_a_known_channel(channel: str) -> None:
    """GLI-19 2.5.6f: in particular not from another player."""
    refused = entered(replace(DEPOSIT, channel=channel), member())
    assert refused == Refused(Refusal.CHANNEL_UNKNOWN, "channel")


def test_the_first_broken_condition_in_the_list_is_returned() -> None:
    wrong = replace(DEPOSIT, amount_minor=0, channel="cash")
    assert entered(wrong, unregistered()) == Refused(Refusal.PLAYER_UNKNOWN, "player")
    assert entered(wrong, member()) == Refused(Refusal.AMOUNT_INVALID, "amount")
