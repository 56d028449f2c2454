"""With text at twice its size, all of it can still be read and all controls reached."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.fonts import SETUPS, in_fonts
from tests.browser.house import Player, RunningServer
from tests.browser.looking import AT_REST, OUT_OF_PLACE, UNREACHABLE, UNREADABLE
from tests.browser.money import made_ready
from tests.browser.pages import PAGES, open_proof, turn_to
from tests.browser.phone import (
    SMALL,
    await_open_round,
    choose,
    enter_room,
    follow,
    live_bet,
    painted,
    wait_until_started,
)

pytestmark = in_fonts(*SETUPS)

EXAMPLES = Path(__file__).parents[2] / "api" / "http" / "openapi" / "examples" / "lottery.json"
USUAL_PX = 16
LARGE_PX = 2 * USUAL_PX


@pytest.fixture
def large(phones: Phones, member: Player) -> Page:
    """A player's phone with text at twice its size."""
    phone = phones(member=member)
    _set_text(phone, LARGE_PX)
    return phone


def _set_text(phone: Page, standard: int) -> None:
    sizes = {"standard": standard, "fixed": standard}
    phone.context.new_cdp_session(phone).send("Page.setFontSizes", {"fontSizes": sizes})


def _faults(page: Page) -> list[str]:
    page.wait_for_function(AT_REST)
    # Rows that come into view are laid out in the next frame.
    painted(page)
    looks = (OUT_OF_PLACE, UNREADABLE, UNREACHABLE)
    return [fault for look in looks for fault in page.evaluate(look)]


def test_every_page_can_be_read_and_used_at_twice_the_size(large: Page, member: Player) -> None:
    made_ready(member)
    large.goto("")
    assert large.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") == LARGE_PX
    wait_until_started(large)
    faults = {}
    for path in PAGES:
        turn_to(large, path)
        if found := _faults(large):
            faults[path] = found
    assert faults == {}
    open_proof(large, member.issue(1))
    assert _faults(large) == []


def test_a_bet_can_be_placed_and_followed_at_twice_the_size(
    large: Page, house: RunningServer
) -> None:
    neighbour = house.member()
    enter_room(large, 1)
    wait_until_started(large)
    assert _faults(large) == []
    await_open_round(large)
    choose(large, "13", "big")
    large.get_by_test_id("stake-input").fill("999999999")
    assert _faults(large) == []
    large.keyboard.press("Escape")
    await_open_round(large)
    bet = neighbour.bet(1, "extreme_small", 1000)["id"]
    expect(live_bet(large, bet)).to_be_visible()
    assert _faults(large) == []
    follow(large, bet)
    expect(large.get_by_test_id("follow-confirm")).to_be_visible()
    assert _faults(large) == []
    large.keyboard.press("Escape")
    large.get_by_role("tab").last.click()
    expect(large.get_by_label("Your message")).to_be_visible()
    assert _faults(large) == []


def test_a_long_title_leaves_room_for_the_buttons_next_to_it(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, size={"width": 360, "height": 640}, locale="ru-RU")
    _set_text(phone, LARGE_PX)
    phone.goto("capitalDetail")
    title = phone.get_by_role("heading", name="Движение средств")
    title_box = title.bounding_box()
    controls = phone.get_by_role("banner").get_by_role("button")
    expect(controls).to_have_count(3)
    boxes = [control.bounding_box() for control in controls.all()]
    assert title_box
    for box in boxes:
        assert box
        right_of, left_of = (
            box["x"] - title_box["x"] - title_box["width"],
            title_box["x"] - box["x"],
        )
        assert max(right_of, left_of - box["width"]) >= 0, (title_box, box)


@pytest.mark.parametrize("locale", ["en-US", "ru-RU"])
def test_a_proof_with_an_own_bet_can_be_read_at_twice_the_size_on_a_small_phone(
    phones: Phones, member: Player, locale: str
) -> None:
    bet = member.bet(1, "big", 10)
    phone = phones(member=member, size=SMALL, locale=locale)
    _set_text(phone, LARGE_PX)
    phone.goto("")
    wait_until_started(phone)
    open_proof(phone, str(bet["issue"]))
    log, own = phone.get_by_test_id("log"), phone.get_by_test_id("own-bet")
    expect(log).to_have_attribute("data-verdict", "right")
    expect(own.get_by_role("button").first).to_be_visible()
    for part in (log.locator("summary").last, own.locator("summary")):
        part.click()
    assert _faults(phone) == []


def test_the_statistics_of_many_draws_can_be_read_at_twice_the_size(large: Page) -> None:
    """A house of the tests has too few draws for the tests of its numbers."""
    example = json.loads(EXAMPLES.read_text())["/api/Lottery/statistics"]["data"]

    def answer(route: Route) -> None:
        envelope = route.fetch().json()
        route.fulfill(json=envelope | {"data": example})

    large.route("**/Lottery/statistics*", answer)
    large.goto("")
    wait_until_started(large)
    turn_to(large, "statistics")
    expect(large.get_by_test_id("uniformity-row").first).to_be_visible()
    assert _faults(large) == []
