"""Every page of the app, and how a test goes from one page to another."""

from typing import Final

from playwright.sync_api import Locator, Page, expect

PAGES: Final = (
    *("", "login", "register", "language", "setSecurityCode", "personal", "setting?type=1"),
    *("setting?type=2", "setting?type=3", "setting?type=3&part=progress", "setting?type=4"),
    *("changeline", "about", "system", "baseinfo", "defaultAvatar"),
    "setSecurityCode?isTrue=false",
    *("bankCardManage", "addBankCard", "addVirtualWallet", "changePassword", "actionCenter"),
    *("shareFriend", "notice", "betRecord", "capitalDetail", "withdraw", "recharge", "find"),
    *("lottery?id=0", "lottery?id=2&game_id=4", "lotterytwo", "lotterythree", "betDetail"),
    *("betRoom?id=1", "lotteryDetail?game_id=1", "lotteryExplain", "trendChart", "moreNews"),
    *("aticleDetail", "statistics", "fairness", "no-such-page"),
)

# Marks the page that is left, so that the test does not take it for the new one.
_TURN = """(path) => {
  const left = new URL(path, location).pathname !== location.pathname;
  document.querySelector("main")?.toggleAttribute("data-left", left);
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""


def turn_to(page: Page, path: str) -> None:
    """Navigate as a link does, without reloading the app."""
    page.evaluate(_TURN, f"/vip/{path}")
    expect(page.locator("main:not([data-left])")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def follow_link(page: Page, link: Locator) -> None:
    """Click a link to another page. The page that is left can still be clicked for a while."""
    page.evaluate("document.querySelector('main').toggleAttribute('data-left', true)")
    link.click()
    expect(page.locator("main:not([data-left])")).to_be_visible()


def choose_language(page: Page, name: str, lang: str) -> None:
    """Choose a language on the language page, which reloads the app in that language."""
    page.goto("language")
    # The app may set the language before it reloads. The reload removes this mark.
    page.evaluate("window.leaving = true")
    page.get_by_role("button", name=name).click()
    page.wait_for_function(
        "lang => !window.leaving && document.documentElement.lang === lang", arg=lang
    )
    # The language is set before the router listens: it would miss a navigation in between.
    expect(page.get_by_role("button", name=name)).to_be_visible()


def open_proof(page: Page, issue: str) -> None:
    """Open the proof of a round of game 1 in any state, with the values of its first step."""
    turn_to(page, f"lotteryDetail?game_id=1&issue={issue}")
    expect(page.get_by_test_id("step-sum")).to_be_visible()
    page.locator("dialog summary").first.click()
