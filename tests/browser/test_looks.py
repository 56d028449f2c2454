"""How every page sits on a phone: nothing sticks out, only lists scroll, no control is nameless."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import Phones
from tests.browser.house import House, Player
from tests.browser.phone import SMALL, USUAL, await_open_round, choose, enter_room, follow, live_bet

PAGES = (
    *("", "login", "register", "language", "setSecurityCode", "personal", "setting?type=1"),
    *("setting?type=2", "changeline", "about", "system", "baseinfo", "defaultAvatar"),
    *("bankCardManage", "addBankCard", "addVirtualWallet", "changePassword", "actionCenter"),
    *("shareFriend", "notice", "betRecord", "capitalDetail", "withdraw", "recharge", "find"),
    *("lottery?id=0", "lottery?id=2&game_id=4", "lotterytwo", "lotterythree", "betDetail"),
    *("betRoom?id=1", "lotteryDetail?game_id=1", "lotteryExplain", "trendChart", "moreNews"),
    *("aticleDetail", "no-such-page"),
)
SIZES = {"390x844": USUAL, "320x640": SMALL}
LANGUAGES = {"english": "en-US", "chinese": "zh-CN"}

# What sticks out sideways, and whether the document can be moved. What a box cuts off or scrolls
# by itself does not stick out.
_FAULTS = """() => {
  const root = document.scrollingElement, wide = innerWidth, faults = [];
  if (root.scrollWidth > wide) faults.push(`the page is ${root.scrollWidth} px wide`);
  root.scrollTo(0, 1);
  if (root.scrollTop > 0) faults.push("the document scrolls");
  const clipped = (element) => {
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("body *")) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (right > wide + 1 || left < -1) && !clipped(element)) {
      faults.push(`${element.tagName} ${element.className} from ${left} to ${right}`);
    }
  }
  for (const box of document.querySelectorAll("dialog[open], dialog[open] *, main")) {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    if (box.scrollWidth > box.clientWidth + 1 && scrolls) {
      faults.push(`${box.tagName} ${box.className} scrolls sideways`);
    }
  }
  return faults;
}"""

# The page that is left is marked, so that it is not taken for the next.
_TURN = """(path) => {
  const left = new URL(path, location).pathname !== location.pathname;
  document.querySelector("main")?.toggleAttribute("data-left", left);
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""

# Controls that a finger misses or that nobody can name.
_CONTROLS = """() => [...document.querySelectorAll("button, a[href], input")]
  .filter((control) => control.checkVisibility() && !control.closest("[inert]"))
  .filter((control) => !(control.innerText || control.ariaLabel || control.labels?.length))
  .map((control) => control.outerHTML.slice(0, 120))"""


@pytest.fixture(params=[*LANGUAGES.values()], ids=[*LANGUAGES])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[*SIZES.values()], ids=[*SIZES])
def size(request: pytest.FixtureRequest) -> ViewportSize:
    chosen: ViewportSize = request.param
    return chosen


def test_every_page_fits(phones: Phones, member: Player, size: ViewportSize, language: str) -> None:
    phone = phones(member=member, size=size, locale=language)
    phone.goto("")
    faults = {}
    for path in PAGES:
        _turn_to(phone, path)
        if found := phone.evaluate(_FAULTS) + phone.evaluate(_CONTROLS):
            faults[path] = found
    assert faults == {}


def _turn_to(page: Page, path: str) -> None:
    """As by a link: without loading the app anew."""
    page.evaluate(_TURN, f"/vip/{path}")
    expect(page.locator("main:not([data-left])")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def test_the_room_and_its_panels_fit_and_keep_their_buttons_in_view(
    phones: Phones, house: House, member: Player, size: ViewportSize, language: str
) -> None:
    phone = phones(member=member, size=size, locale=language)
    enter_room(phone, 1)
    await_open_round(phone)
    choose(phone, "13", "big")
    _expect_sound(phone)
    phone.get_by_test_id("stake-input").fill("999999999")
    _expect_sound(phone)
    expect(phone.get_by_test_id("buy-submit")).to_be_in_viewport(ratio=1)
    expect(phone.get_by_test_id("stake-input")).to_be_in_viewport(ratio=1)
    phone.keyboard.press("Escape")
    bet = house.member().bet(1, "extreme_small", 1000)["id"]
    expect(live_bet(phone, bet)).to_be_visible()
    _expect_sound(phone)
    follow(phone, bet)
    _expect_sound(phone)
    expect(phone.get_by_test_id("follow-confirm")).to_be_in_viewport(ratio=1)


def _expect_sound(page: Page) -> None:
    assert page.evaluate(_FAULTS) == []
    assert page.evaluate(_CONTROLS) == []
