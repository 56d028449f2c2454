"""Layout of every page on a phone: no overflow, only lists scroll, every control has a name."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import Phones
from tests.browser.fonts import OWN, WIDEST, in_fonts
from tests.browser.house import Player, RunningServer
from tests.browser.looking import NAMELESS, OUT_OF_PLACE
from tests.browser.pages import PAGES, open_proof, turn_to
from tests.browser.phone import (
    LANGUAGES,
    SMALL,
    USUAL,
    await_open_round,
    choose,
    enter_room,
    follow,
    live_bet,
)

pytestmark = in_fonts(OWN, WIDEST)


class Look(NamedTuple):
    """A phone's size and language."""

    size: ViewportSize
    language: str


COMFORTABLE: ViewportSize = {"width": 360, "height": 640}
ON_SMALL = ("en-US", "zh-CN")
LOOKS = (
    (USUAL, "en-US"),
    *((SMALL, language) for language in ON_SMALL),
    # What fits the small phone fits this one.
    *((COMFORTABLE, language) for language in LANGUAGES if language not in ON_SMALL),
)


@pytest.fixture(params=LOOKS, ids=[f"{size['width']}-{language}" for size, language in LOOKS])
def look(request: pytest.FixtureRequest) -> Look:
    return Look(*request.param)


def test_every_page_fits(phones: Phones, member: Player, look: Look) -> None:
    phone = phones(member=member, size=look.size, locale=look.language)
    phone.goto("")
    faults = {}
    for path in PAGES:
        turn_to(phone, path)
        if found := phone.evaluate(OUT_OF_PLACE) + phone.evaluate(NAMELESS):
            faults[path] = found
    assert faults == {}
    open_proof(phone, member.issue(1))
    _expect_sound(phone)


def test_the_room_and_its_panels_fit_and_keep_their_buttons_in_view(
    phones: Phones, house: RunningServer, member: Player, look: Look
) -> None:
    neighbour = house.member()
    phone = phones(member=member, size=look.size, locale=look.language)
    enter_room(phone, 1)
    await_open_round(phone)
    choose(phone, "13", "big")
    _expect_sound(phone)
    phone.get_by_test_id("stake-input").fill("999999999")
    _expect_sound(phone)
    expect(phone.get_by_test_id("buy-submit")).to_be_in_viewport(ratio=1)
    expect(phone.get_by_test_id("stake-input")).to_be_in_viewport(ratio=1)
    phone.keyboard.press("Escape")
    await_open_round(phone, seconds=12)
    bet = neighbour.bet(1, "extreme_small", 1000)["id"]
    expect(live_bet(phone, bet)).to_be_visible()
    _expect_sound(phone)
    follow(phone, bet)
    _expect_sound(phone)
    expect(phone.get_by_test_id("follow-confirm")).to_be_in_viewport(ratio=1)


def _expect_sound(page: Page) -> None:
    assert page.evaluate(OUT_OF_PLACE) == []
    assert page.evaluate(NAMELESS) == []
