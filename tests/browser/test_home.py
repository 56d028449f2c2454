"""Animations of the home page and their timing, remembered choices, and empty lists."""

import re
import time
from typing import Any

from playwright.sync_api import APIResponse, Locator, Page, Response, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player
from tests.browser.phone import sign_in, toast

FRAME_MS = 16
# React shows a page that had to be loaded 300 ms after it started waiting for it.
PAGE_WAITS_MS = 290
PICTURES = [
    {"image": f"/vip/banners/{name}.svg", "title": name, "content": "", "link": ""}
    for name in ("draw", "proof", "limits")
]
HEADLINES = [{"id": name, "title": f"On {name}", "content": f"All of {name}."} for name in "abc"]
WINNERS = [
    {"nickname": f"pl***{number}", "game_name": "Singapore", "profit": number}
    for number in range(6)
]


def _opened(phone: Page) -> Page:
    """The home page, whose clock moves only by `page.clock.run_for` from the start."""
    phone.clock.install(time=0)
    phone.clock.pause_at(1_000)
    phone.route("**/api/index/index*", _with_pictures)
    phone.goto("")
    return phone


def _frozen(phone: Page) -> Page:
    """The home page at the moment its pictures have appeared."""
    _opened(phone)
    expect(_mark(phone)).to_be_visible()
    _let_work(phone)
    if not _pictures(phone).count():
        phone.clock.run_for(PAGE_WAITS_MS)
    _until_shown(phone, _pictures(phone))
    return phone


def _until_shown(phone: Page, part: Locator) -> None:
    """Advance the clock in the smallest steps until the part is on the page."""
    while not part.count():
        phone.clock.run_for(1)
        _let_work(phone)


def _let_work(phone: Page) -> None:
    """Let the page finish its current work while its clock is stopped."""
    phone.evaluate(
        "new Promise((done) => { const { port1, port2 } = new MessageChannel();"
        " port1.onmessage = done; port2.postMessage(0) })"
    )


def _mark(phone: Page) -> Locator:
    return phone.get_by_role("status").filter(has_text="Fairdraw")


def _pictures(phone: Page) -> Locator:
    return phone.get_by_role("region", name="Pictures")


def test_the_start_mark_stays_until_a_second_has_passed_since_the_start(phone: Page) -> None:
    mark = _mark(_opened(phone))
    expect(mark).to_be_visible()
    left = 1_000 - int(phone.evaluate("performance.now()"))
    phone.clock.run_for(left - 1)
    expect(mark).to_be_visible()
    phone.clock.run_for(1)
    expect(mark).to_have_count(0)


def test_the_pictures_change_every_three_seconds(phones: Phones) -> None:
    phone = _frozen(phones(reduced_motion="no-preference"))
    dots = _pictures(phone).locator("i")
    _until_shown(phone, dots)
    for shown, wait in (
        (0, 2_990),
        (1, 10),
    ):  # the first picture has been shown for a moment already
        phone.clock.run_for(wait)
        expect(dots.nth(shown)).to_have_attribute("data-on", "true")


def test_the_pictures_wait_for_the_keyboard_a_finger_and_reduced_motion(
    phones: Phones,
) -> None:
    phone = _frozen(phones(reduced_motion="no-preference"))
    dots = _pictures(phone).locator("i")
    _until_shown(phone, dots)
    track = _pictures(phone).locator("[tabindex='0']").first
    while not track.evaluate("track => track === document.activeElement"):
        phone.keyboard.press("Tab")
    phone.clock.run_for(9_000)
    expect(dots.nth(0)).to_have_attribute("data-on", "true")
    track.evaluate("track => track.blur()")
    track.dispatch_event("touchstart")
    phone.clock.run_for(9_000)
    expect(dots.nth(0)).to_have_attribute("data-on", "true")
    track.dispatch_event("touchend")
    phone.clock.run_for(3_000)
    expect(dots.nth(1)).to_have_attribute("data-on", "true")
    still = _frozen(phones(reduced_motion="reduce"))
    dots = _pictures(still).locator("i")
    _until_shown(still, dots)
    still.clock.run_for(9_000)
    expect(dots.nth(0)).to_have_attribute("data-on", "true")


def test_the_announcements_swipe_up_every_three_seconds_for_one(phones: Phones) -> None:
    phone = _frozen(phones(reduced_motion="no-preference"))
    bar = phone.get_by_role("region", name="Announcements")
    _until_shown(phone, bar)
    headlines = bar.locator("li")
    phone.clock.run_for(2_990)  # the first picture has been shown for a moment already
    expect(headlines.nth(1)).to_have_attribute("inert", "")
    phone.clock.run_for(10)
    expect(headlines.nth(0)).to_have_attribute("inert", "")
    expect(headlines.nth(1)).not_to_have_attribute("inert", "")
    for moving in (headlines.nth(0), headlines.nth(1)):
        expect(moving).to_have_css("animation-duration", "1s")


def test_a_finger_moves_the_announcements_and_a_press_opens_one_over_the_page(phone: Page) -> None:
    _frozen(phone)
    bar = phone.get_by_role("region", name="Announcements")
    _until_shown(phone, bar)
    headlines = bar.locator("li")
    window = bar.get_by_role("list")
    for way, shown in ((-30, 1), (30, 0), (30, 2)):
        window.dispatch_event("touchstart", _touching(100))
        window.dispatch_event("touchend", _touching(100 + way))
        expect(headlines.nth(shown)).not_to_have_attribute("inert", "")
    phone.clock.run_for(1_000)  # the start mark is gone by then
    headlines.nth(2).get_by_role("button").click()
    dialog = phone.get_by_role("dialog", name="On c")
    expect(dialog).to_contain_text("All of c.")
    phone.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    phone.clock.run_for(100)


def _touching(y: int) -> dict[str, Any]:
    touch = {"identifier": 0, "clientX": 200, "clientY": y}
    return {"touches": [touch], "changedTouches": [touch]}


def test_the_winners_scroll_by_a_fifth_of_a_pixel_and_wait_a_second(phones: Phones) -> None:
    phone = phones(reduced_motion="no-preference")
    phone.route("**/api/Lottery/heart", _with_winners)
    _frozen(phone)
    winners = phone.get_by_role("list").filter(has_text="pl***0")
    _until_shown(phone, winners)
    top = "list => list.scrollTop"
    row = winners.evaluate("list => list.clientHeight / 3")
    phone.clock.run_for(1_000 - 2 * FRAME_MS)
    assert winners.evaluate(top) == 0
    phone.clock.run_for(102 * FRAME_MS)
    assert abs(winners.evaluate(top) - 20) <= 1  # about 100 frames of 0.2 px
    phone.clock.run_for(int(row / 0.2 - 98) * FRAME_MS)
    reached = winners.evaluate(top)
    assert abs(reached - row) <= 1
    phone.clock.run_for(900)
    assert winners.evaluate(top) == reached


def _with_pictures(route: Route) -> None:
    """The configuration with three pictures and three headlines of the test."""
    answer = route.fetch()
    envelope: dict[str, Any] = answer.json()
    envelope["data"]["banner"] = PICTURES
    envelope["data"]["announcements"] = HEADLINES
    route.fulfill(response=answer, json=envelope)


def _with_winners(route: Route) -> None:
    answer = route.fetch()
    envelope: dict[str, Any] = answer.json()
    envelope["data"]["hit_notice"] = WINNERS
    route.fulfill(response=answer, json=envelope)


def test_the_banner_about_limits_leads_to_the_limits(members_phone: Page) -> None:
    members_phone.goto("")
    banner = members_phone.get_by_role("region", name="Pictures").get_by_role("link").nth(2)
    expect(banner).to_have_attribute("href", "/vip/setting?type=3")


def test_the_remembered_name_is_kept_for_fourteen_days_or_cleared(
    phone: Page, member: Player
) -> None:
    sign_in(phone, member)
    days = (_remembered(phone)[0]["expires"] - time.time()) / 86_400
    assert 13.9 < days <= 14
    phone.goto("login")
    phone.get_by_label("Remember me").uncheck()
    sign_in_again(phone)
    assert _remembered(phone) == []


def sign_in_again(phone: Page) -> None:
    """Sign in with the user name that is still in its field."""
    phone.get_by_label("Password", exact=True).fill("a-long-enough-word")
    phone.get_by_role("button", name="Log in", exact=True).click()
    expect(toast(phone)).to_have_text("Login successful")


def _remembered(phone: Page) -> list[Any]:
    return [each for each in phone.context.cookies() if each.get("name") == "fairdraw_username"]


def test_lists_without_entries_are_reported_and_can_be_read_again(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("betRecord")
    expect(phone.get_by_text("No bets in this period.")).to_be_visible()
    with phone.expect_response("**/user/orderList"):
        phone.get_by_role("button", name="Reload").click()
    phone.goto("capitalDetail")
    phone.get_by_role("button", name="Filter").click()
    drawer = phone.get_by_role("dialog", name="Filter")
    drawer.get_by_role("button", name="Gift", exact=True).click()
    drawer.get_by_role("button", name="Confirm").click()
    expect(toast(phone)).to_have_text("No data")
    expect(phone.get_by_text("No entries in this period.")).to_be_visible()
    with phone.expect_response("**/user/quantityLogList"):
        phone.get_by_role("button", name="Reload").click()


def test_the_line_selector_opened_at_once_waits_for_its_words(phone: Page) -> None:
    """Its rows and their texts load separately. A key in place of a text fails by the console."""
    words: list[tuple[Route, APIResponse]] = []
    rows_are_there = False

    def words_last(route: Route) -> None:
        answer = route.fetch()
        if "Start investing" in answer.text() and not rows_are_there:
            words.append((route, answer))
        else:
            route.fulfill(response=answer)

    def rows(response: Response) -> bool:
        return response.url.endswith(".js") and "lineUse" in response.text()

    phone.route(re.compile(r"/assets/.*\.js$"), words_last)
    with phone.expect_response(rows):
        phone.goto("")
        phone.get_by_role("button", name="Line 1").click()
    rows_are_there = True
    for route, answer in words:
        route.fulfill(response=answer)
    lines = phone.get_by_role("dialog", name="Choose a line")
    expect(lines.get_by_role("button", name="Start investing")).to_have_count(2)
