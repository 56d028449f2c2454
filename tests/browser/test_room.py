"""The bet room: other players' bets, buying, refusals and recalls."""

import re
from decimal import Decimal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import ROUND_MS, Player, RunningServer
from tests.browser.phone import (
    await_open_round,
    balance,
    buy,
    choose,
    enter_room,
    follow,
    live_bet,
    stop_clock,
    toast,
)

# Halls without bots: New Zealand's mid-level one takes 10u and more.
QUIET = 11
CLOSED = "Closed, stop buying."


@pytest.fixture
def room(members_phone: Page) -> Page:
    """The player's phone in a hall without bots, in a round with time left."""
    enter_room(members_phone, QUIET)
    await_open_round(members_phone)
    return members_phone


@pytest.fixture
def neighbour(house: RunningServer) -> Player:
    return house.member()


def test_anothers_bet_appears_live_and_following_places_the_same(
    room: Page, member: Player, neighbour: Player
) -> None:
    bet = neighbour.bet(QUIET, "small_odd", 30)
    row = live_bet(room, bet["id"])
    expect(row).to_contain_text("30u")
    expect(row).to_contain_text("Small odd")
    expect(row).not_to_contain_text(neighbour.name)
    follow(room, bet["id"])
    dialog = room.get_by_role("dialog", name="Follow this bet?")
    expect(dialog).to_contain_text("If it hits")
    assert member.orders() == []
    dialog.get_by_role("button", name="Follow for 30u").click()
    expect(toast(room)).to_have_text("Order placed successfully.")
    (order,) = member.orders()
    assert (order["play_type"], order["quantity"]) == ("small_odd", 30)
    expect(room.get_by_test_id("room-balance")).to_contain_text("970.00")


def test_following_a_bots_bet_shows_that_it_is_a_bots(members_phone: Page) -> None:
    phone = members_phone
    enter_room(phone, 1)
    await_open_round(phone)
    # A round that just opened has no bets yet; those of the round before cannot be followed.
    bots = phone.locator("[data-testid=live-bet]:has([data-testid=bot]):has([data-current=true])")
    bots.last.get_by_test_id("follow-button").click()
    dialog = phone.get_by_role("dialog", name="Follow this bet?")
    expect(dialog.get_by_test_id("bot")).to_have_text("Bot")
    expect(dialog.get_by_test_id("bot")).to_have_attribute("title", re.compile("not a player"))


def test_a_recalled_bet_vanishes_from_the_others_lists(room: Page, neighbour: Player) -> None:
    bet = neighbour.bet(QUIET, "big", 10)
    expect(live_bet(room, bet["id"])).to_be_visible()
    neighbour.recall(QUIET, bet["orderNo"])
    expect(live_bet(room, bet["id"])).to_have_count(0)


def test_ones_own_bet_is_marked_and_cannot_be_followed(room: Page) -> None:
    buy(room, 10, "even")
    own = room.get_by_test_id("live-bet").filter(has_text="You")
    expect(own).to_contain_text("10u")
    expect(own.get_by_test_id("follow-button")).to_have_count(0)


def test_several_bets_at_once_are_answered_with_one_summary(room: Page, member: Player) -> None:
    await_open_round(room, seconds=12)
    choose(room, "big", "small_odd", "extreme_small", "0", "27")
    room.get_by_test_id("stake-input").fill("12")
    expect(room.get_by_test_id("slip-cost")).to_contain_text("60.00")
    # The best of the thousand draws is sum 0: extreme small pays 11 and the sum itself 950.
    expect(room.get_by_test_id("slip-best")).to_contain_text("+11,472.00")
    expect(room.get_by_test_id("slip-worst")).to_contain_text("60.00")
    room.get_by_test_id("buy-submit").click()
    expect(toast(room)).to_have_text("Order placed successfully: 5 bets, 60u.")
    assert [order["quantity"] for order in member.orders()] == [12] * 5
    expect(room.get_by_test_id("room-balance")).to_contain_text("940.00")


def test_recall_all_takes_every_bet_of_the_round_back(room: Page, member: Player) -> None:
    await_open_round(room, seconds=12)
    buy(room, 20, "big", "odd", "13")
    assert balance(room) == Decimal(940)
    room.get_by_test_id("recall-open").click()
    room.get_by_test_id("recall-all").click()
    expect(toast(room)).to_have_text("Cancelled successfully")
    expect(room.locator("[data-testid=my-bet][data-status='2']")).to_have_count(3)
    expect(room.get_by_test_id("recall-all")).to_be_disabled()
    expect(room.get_by_test_id("room-balance")).to_contain_text("1,000.00")
    assert {order["status"] for order in member.orders()} == {2}


def test_the_panel_refuses_stakes_that_the_house_would_refuse(room: Page) -> None:
    choose(room, "big")
    stake, submit = room.get_by_test_id("stake-input"), room.get_by_test_id("buy-submit")
    refused = {
        "1.5": "Stakes are whole u, without decimals.",
        "-20": "Stakes are whole u, without decimals.",
        "ten": "Stakes are whole u, without decimals.",
        "0": "The minimum stake here is 10u per bet.",
        "9": "The minimum stake here is 10u per bet.",
        "1001": "The balance does not cover this slip.",
    }
    for typed, words in refused.items():
        stake.fill(typed)
        expect(room.get_by_role("dialog")).to_contain_text(words)
        expect(submit).to_be_disabled()
    stake.fill("10")
    expect(submit).to_be_enabled()


def test_quick_amounts_fill_the_stake_and_the_last_leaves_one_unit(room: Page) -> None:
    choose(room, "odd")
    stake = room.get_by_test_id("stake-input")
    for amount in ("5", "10", "50", "300", "500"):
        room.get_by_test_id(f"quick-{amount}").click()
        expect(stake).to_have_value(amount)
    room.get_by_test_id("quick-rest").click()
    expect(stake).to_have_value("999")
    room.get_by_test_id("buy-submit").click()
    expect(toast(room)).to_contain_text("Order placed successfully")
    expect(room.get_by_test_id("room-balance")).to_contain_text(re.compile(r"[^\d,]1\.00"))


def test_a_balance_spent_elsewhere_meanwhile_gives_the_servers_message(
    room: Page, member: Player
) -> None:
    """The other device bets before the phone has the new balance."""
    choose(room, "big")
    room.get_by_test_id("stake-input").fill("800")

    def spend_first(route: Route) -> None:
        member.bet(QUIET, "small", 300)
        route.continue_()

    room.route("**/Lottery/playOrder", spend_first, times=1)
    room.get_by_test_id("buy-submit").click()
    report = room.get_by_test_id("buy-report")
    expect(report).to_contain_text("Not accepted.")
    expect(report).to_contain_text("Insufficient balance")
    (order,) = member.orders()
    assert order["quantity"] == 300
    assert member.money() == Decimal(700)


def test_a_tap_on_the_balance_reads_it_again(room: Page) -> None:
    with room.expect_response("**/user/userInfo"):
        room.get_by_test_id("room-balance").click()
    assert balance(room) == Decimal(1000)


def test_a_round_that_closed_takes_no_late_bet_and_no_followers(
    phones: Phones, member: Player, neighbour: Player
) -> None:
    """A press that is held back until the round has closed, and a bet still in the list."""
    room = phones(member=member)
    room.clock.install()
    enter_room(room, QUIET)
    await_open_round(room, seconds=7)
    choose(room, "big")
    room.get_by_test_id("stake-input").fill("10")
    stop_clock(room)
    issue = neighbour.issue(QUIET)
    left_over = neighbour.bet(QUIET, "small", 10)["id"]
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    room.route("**/Lottery/playOrder", hold)
    with room.expect_request("**/Lottery/playOrder"):
        room.get_by_test_id("buy-submit").click()
    panel = room.get_by_role("dialog")
    expect(panel).not_to_contain_text(f"Round {issue}", timeout=2 * ROUND_MS)
    held[0].continue_()
    expect(room.get_by_test_id("buy-report")).to_contain_text("Closed, stop buying")
    assert member.orders() == []
    room.keyboard.press("Escape")
    follow(room, left_over)
    expect(toast(room)).to_have_text("Only the current round can be followed.")
    expect(room.get_by_role("dialog")).to_have_count(0)


def test_nothing_is_bought_or_followed_once_the_clock_is_past_the_close(
    phones: Phones, member: Player, neighbour: Player
) -> None:
    """The phone's clock is set ahead and closes the room before the server does."""
    room = phones(member=member)
    room.clock.install()
    enter_room(room, QUIET)
    await_open_round(room)
    bet = neighbour.bet(QUIET, "big", 10)["id"]
    expect(live_bet(room, bet)).to_be_visible()
    room.clock.fast_forward(ROUND_MS)
    expect(room.get_by_test_id("room-notice")).to_contain_text(CLOSED)
    room.get_by_test_id("buy-open").click()
    expect(toast(room)).to_have_text(CLOSED)
    room.clock.fast_forward(10_000)
    expect(toast(room)).to_have_count(0)
    follow(room, bet)
    expect(toast(room)).to_have_text(CLOSED)
    expect(room.get_by_role("dialog")).to_have_count(0)
    assert member.orders() == []
