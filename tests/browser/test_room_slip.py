"""The bet slip: payouts, several bets at once, changed odds, and what it keeps."""

import json
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.fonts import SETUPS, in_fonts
from tests.browser.house import Player, RunningServer
from tests.browser.phone import SMALL, await_open_round, choose, enter_room, toast

# Australia's mid-level hall of the first level, without bots: 10u and more.
PLAN = 29
GAME = 4


@pytest.fixture
def room(members_phone: Page) -> Page:
    """The player's phone in a hall without bots, in a round with time left."""
    enter_room(members_phone, PLAN)
    await_open_round(members_phone)
    return members_phone


def _look_again(page: Page) -> None:
    """As when the phone is unlocked: the page requests all data again."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def _plain(figure: Decimal | int) -> str:
    """A number without trailing zeros."""
    return f"{Decimal(figure).normalize():f}"


def test_every_bet_shows_its_odds_and_what_it_returns(room: Page, member: Player) -> None:
    odds = member.call("Lottery/oddsList", plan_id=PLAN, game_id=GAME, id=PLAN)
    choose(room)
    for tab, items in (("base", odds["rule_base"]), ("numbers", odds["rule_num"])):
        room.get_by_test_id(f"tab-{tab}").click()
        for item in items:
            tile = room.get_by_test_id(f"odds-{item['class']}").inner_text()
            assert _plain(item["odds"]) in tile, item
            percent = Decimal(item["return_percent"]).quantize(Decimal("0.1"), ROUND_HALF_UP)
            assert f"{_plain(percent)}%" in tile, item


def test_of_several_bets_the_refused_one_is_reported_kept_and_tried_again(
    room: Page, member: Player
) -> None:
    """Another device of the player spends some of the money first."""
    choose(room, "big", "odd", "13")
    room.get_by_test_id("stake-input").fill("300")

    def spend_first(route: Route) -> None:
        member.bet(PLAN, "even", 300)
        route.continue_()

    room.route("**/Lottery/playOrder", spend_first, times=1)
    submit = room.get_by_test_id("buy-submit")
    submit.click()
    report = room.get_by_test_id("buy-report")
    expect(report).to_contain_text("2 of 3 accepted, 600u.")
    expect(report.locator("[data-accepted=true]")).to_have_count(2)
    expect(report.locator("[data-accepted=false]")).to_contain_text("Insufficient balance")
    expect(report).to_contain_text("What was not accepted is still on your slip.")
    expect(room.locator("[data-testid^=tab-] span")).to_have_text(["1"])
    expect(submit).to_be_disabled()
    room.get_by_test_id("stake-input").fill("40")
    expect(submit).to_have_text("Try again · 40u")
    submit.click()
    expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 40u.")
    assert sorted(order["quantity"] for order in member.orders()) == [40, 300, 300, 300]
    expect(room.get_by_test_id("room-balance")).to_contain_text("60.00")


def test_two_immediate_presses_are_one_bet(room: Page, member: Player) -> None:
    choose(room, "big")
    room.get_by_test_id("stake-input").fill("10")
    room.get_by_test_id("buy-submit").evaluate("button => { button.click(); button.click(); }")
    expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 10u.")
    assert len(member.orders()) == 1


def _with_big_at(odds: float) -> Any:
    def change(route: Route) -> None:
        answer = route.fetch()
        envelope = answer.json()
        for item in envelope["data"]["rule_base"]:
            if item["class"] == "big":
                item["odds"] = odds
        route.fulfill(response=answer, body=json.dumps(envelope))

    return change


def test_changed_odds_are_shown_and_taken_only_on_confirmation_and_a_reload_keeps_the_slip(
    members_phone: Page, member: Player
) -> None:
    """A phone that still shows outdated odds."""
    room = members_phone
    old = _with_big_at(2.05)
    room.route("**/Lottery/oddsList", old)
    enter_room(room, PLAN)
    await_open_round(room)
    choose(room, "big")
    room.get_by_test_id("stake-input").fill("20")
    room.reload()
    await_open_round(room, seconds=12)
    choose(room)
    expect(room.get_by_test_id("odds-big")).to_have_attribute("aria-pressed", "true")
    expect(room.get_by_test_id("stake-input")).to_have_value("20")
    expect(room.get_by_test_id("slip-best")).to_contain_text("+21.00")
    room.unroute("**/Lottery/oddsList", old)
    _look_again(room)
    notice = room.get_by_test_id("odds-changed")
    expect(notice).to_contain_text("The odds changed since you chose")
    expect(notice).to_contain_text("2.05 → 1.98")
    expect(room.get_by_test_id("buy-submit")).to_be_disabled()
    assert member.orders() == []
    room.get_by_test_id("accept-odds").click()
    expect(notice).to_have_count(0)
    expect(room.get_by_test_id("slip-best")).to_contain_text("+19.60")
    room.get_by_test_id("buy-submit").click()
    expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 20u.")


def test_another_member_on_the_same_phone_finds_no_slip(
    room: Page, member: Player, house: RunningServer
) -> None:
    choose(room, "odd")
    other = house.member()
    token, user = json.dumps(other.token), json.dumps(other.user_id)
    # As the page loads: until then the app writes the session of its own member.
    room.add_init_script(
        "const session = JSON.parse(sessionStorage['fairdraw.session']);"
        " sessionStorage['fairdraw.session'] ="
        f" JSON.stringify({{...session, token: {token}, userId: {user}, id: {user}}});"
    )
    room.reload()
    await_open_round(room)
    choose(room)
    expect(room.get_by_test_id("odds-odd")).to_have_attribute("aria-pressed", "false")
    assert member.orders() == []


@in_fonts(*SETUPS)
def test_the_longest_stake_is_shown_whole_on_the_smallest_phone(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, size=SMALL)
    enter_room(phone, PLAN)
    await_open_round(phone)
    choose(phone, "big")
    stake = phone.get_by_test_id("stake-input")
    stake.fill("999999999")
    assert stake.evaluate("field => field.scrollWidth <= field.clientWidth")


@in_fonts(*SETUPS)
@pytest.mark.parametrize("language", ["en-US", "ru-RU", "ms-MY"])
def test_a_short_phone_explains_the_numbers_below_all_kinds(
    phones: Phones, member: Player, language: str
) -> None:
    phone = phones(member=member, size={"width": 360, "height": 640}, locale=language)
    enter_room(phone, PLAN)
    await_open_round(phone)
    choose(phone, "big")
    meaning = phone.get_by_role("dialog").locator("p").filter(has_text="18+")
    expect(meaning).to_be_in_viewport(ratio=1)
    expect(phone.get_by_test_id("odds-big")).to_be_in_viewport(ratio=1)
