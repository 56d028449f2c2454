"""Nothing covers what a player reads, presses or writes in."""

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import ROUND_MS, Player, RunningServer
from tests.browser.looking import UNREADABLE
from tests.browser.money import CODE, ask_for, keypad, made_ready, tap
from tests.browser.phone import (
    LANGUAGES,
    SMALL,
    USUAL,
    await_open_round,
    buy,
    enter_room,
    painted,
    toast,
    wait_until_started,
)

# Mid-level halls without bots or messages, one for each size.
QUIET = {844: 29, 640: 20}


def _box(part: Locator) -> FloatRect:
    expect(part).to_be_visible()
    box = part.bounding_box()
    assert box is not None
    return box


def _below(upper: Locator, lower: Locator) -> bool:
    painted(upper.page)
    above = _box(upper)
    return above["y"] + above["height"] <= _box(lower)["y"]


@pytest.mark.parametrize("height", [844, 640])
def test_the_outcome_of_a_draw_covers_neither_bets_nor_texts(
    phones: Phones, house: RunningServer, member: Player, height: int
) -> None:
    hall = QUIET[height]
    phone = phones(member=member, size={"width": 360, "height": height})
    enter_room(phone, hall)
    await_open_round(phone)
    for kind in ("big", "small"):
        member.bet(hall, kind, 20)
    house.member().bet(hall, "odd", 20)
    card = phone.get_by_test_id("answers")
    expect(card.get_by_test_id("answer")).to_have_count(2, timeout=2 * ROUND_MS)
    # Big and small with the same stake: one of them wins in every draw.
    banner = phone.get_by_test_id("win-banner")
    expect(banner).to_be_visible()
    assert _below(banner, card)
    expect(phone.get_by_test_id("live-bet")).to_have_count(3)
    assert _below(card, phone.get_by_role("region", name="Bets of this room, newest last"))
    phone.get_by_role("tab", name="Chat").click()
    field = phone.get_by_label("Your message")
    expect(field).to_be_enabled()
    assert _below(card, phone.get_by_text("No messages yet."))
    expect(field).to_be_in_viewport(ratio=1)


def test_a_toast_is_above_the_pressed_button_and_the_focused_field(
    phones: Phones, member: Player
) -> None:
    made_ready(member)
    phone = phones(member=member, size=USUAL)
    enter_room(phone, QUIET[844])
    await_open_round(phone)
    buy(phone, 20, "big")
    assert _below(toast(phone), phone.get_by_test_id("buy-open"))
    phone.get_by_role("tab", name="Chat").click()
    expect(toast(phone)).to_have_text("Joined chat room successfully")
    field = phone.get_by_label("Your message")
    assert _below(toast(phone), phone.locator("form").filter(has=field))


def test_a_toast_moves_with_the_button_that_it_is_above(
    members_phone: Page, member: Player
) -> None:
    """A refused withdrawal reloads data that may be a line shorter and move the button up."""
    made_ready(member)
    phone = members_phone
    phone.goto("withdraw")
    wait_until_started(phone)
    due = phone.get_by_text("of turnover is still due")
    expect(due).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.route("**/user/withdrawInfo", hold)
    with phone.expect_request("**/user/withdrawInfo"):
        ask_for(phone, "100")
        tap(keypad(phone), CODE)
    expect(toast(phone)).to_contain_text("after its waiting time")
    assert _below(toast(phone), _button(phone))
    _answer_without_turnover(held[0])
    expect(due).to_have_count(0)
    assert _below(toast(phone), _button(phone))


def test_a_second_toast_is_above_the_button_as_the_first(
    members_phone: Page, member: Player
) -> None:
    made_ready(member)
    phone = members_phone
    phone.goto("withdraw")
    wait_until_started(phone)
    for _ in range(2):
        ask_for(phone, "100")
        tap(keypad(phone), CODE)
        expect(toast(phone)).to_contain_text("after its waiting time")
        assert _below(toast(phone), _button(phone))
        expect(toast(phone)).to_have_count(0)


def _answer_without_turnover(route: Route) -> None:
    answer = route.fetch()
    envelope = answer.json()
    envelope["data"]["turnover"]["due"] = 0
    route.fulfill(response=answer, json=envelope)


def _button(phone: Page) -> Locator:
    return phone.get_by_role("button", name=re.compile("^Withdraw$"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_of_a_closed_room_is_read_whole_on_the_smallest_phone(
    phones: Phones, member: Player, language: str
) -> None:
    """Its longest texts: of a closed hall, and of a server that is polled."""
    phone = phones(member=member, size=SMALL, locale=language)
    phone.route("**/Lottery/stream*", lambda route: route.fulfill(status=204))
    phone.route("**/Lottery/heart", _close_room)
    enter_room(phone, QUIET[640])
    expect(phone.get_by_test_id("room-state")).to_have_attribute("data-phase", "game_closed")
    expect(phone.locator("[data-link=polling]")).to_be_visible()
    wait_until_started(phone)
    assert phone.evaluate(UNREADABLE) == []


def _close_room(route: Route) -> None:
    answer = route.fetch()
    body = answer.json()
    body["data"]["game_status"] = 0
    route.fulfill(response=answer, json=body)
