"""A player's phone: a real Chromium with a small touch screen, and the actions of its owner."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    expect,
)

from scripts.devtools.browser import CHROMIUM_FLAGS, find_chromium
from tests.browser.fonts import OWN, FontSetup, replacement
from tests.browser.house import PASSWORD, ROOT, ROUND_SECONDS, Player, RunningServer, game_of

USUAL: ViewportSize = {"width": 390, "height": 844}
SMALL: ViewportSize = {"width": 320, "height": 640}
_TAGS = {"en": "en-US", "my": "ms-MY", "tw": "zh-TW", "zh": "zh-CN"}
#: The app's languages, as a phone names them.
LANGUAGES = tuple(
    sorted(
        _TAGS.get(folder.name, folder.name)
        for folder in (ROOT / "webapp/src/i18n").iterdir()
        if folder.is_dir()
    )
)
# Far from the operator's zone, so that a day computed in the phone's zone would be noticed.
ZONE = "America/New_York"

# The features that playwright disables, because this list replaces its own, and the two pages that
# Chromium would load for each window's address bar: as much work as a page of the app.
_UNUSED = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
)
_ANSWER_MS = 10_000
MINUS = "\N{MINUS SIGN}"

# Records every text of the named parts of the page ("" while a part is absent), so that a test can
# check afterwards a text that was visible only briefly.
_WATCH = """(() => {
  const parts = ["room-state", "room-notice", "win-banner"];
  const seen = JSON.parse(sessionStorage.getItem("seen") ?? "{}");
  const look = () => {
    for (const part of parts) {
      const text = document.querySelector(`[data-testid=${part}]`)?.innerText ?? "";
      const texts = (seen[part] ??= [""]);
      if (texts.at(-1) !== text) texts.push(text);
    }
    sessionStorage.setItem("seen", JSON.stringify(seen));
  };
  look();
  const all = {subtree: true, childList: true, characterData: true};
  new MutationObserver(look).observe(document, all);
})()"""


def launched(playwright: Playwright, font_configuration: Path) -> Browser:
    """The system's Chromium, installed by `scripts/test`, with the fonts of a fontconfig."""
    return playwright.chromium.launch(
        executable_path=find_chromium(),
        args=[*CHROMIUM_FLAGS, f"--disable-features={','.join(_UNUSED)}"],
        env={**os.environ, "FONTCONFIG_FILE": str(font_configuration)},
    )


@contextmanager
def a_phone(
    browser: Browser,
    house: RunningServer,
    *,
    member: Player | None = None,
    size: ViewportSize = USUAL,
    may_complain: bool = False,
    fonts: FontSetup = OWN,
    **options: Any,
) -> Iterator[Page]:
    """A new phone, on which `member` has just signed in; signed out without one.

    A console message fails the test unless `may_complain`, for example when a server is killed.
    """
    chosen: dict[str, Any] = {"locale": "en-US", "reduced_motion": "reduce", **options}
    context = browser.new_context(
        base_url=house.address,
        viewport=size,
        has_touch=True,
        is_mobile=True,
        timezone_id=ZONE,
        **chosen,
    )
    context.set_default_timeout(_ANSWER_MS)
    context.add_init_script(_WATCH)
    context.add_init_script(replacement(fonts))
    if member is not None:
        _leave_signed_in(context, house, member)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "console",
        lambda line: troubles.append(line.text) if line.type in {"error", "warning"} else None,
    )
    try:
        yield page
    finally:
        # A request that a test still intercepts ends with the phone and is not a fault.
        page.unroute_all(behavior="ignoreErrors")
        context.close()
    assert may_complain or not troubles, troubles


def _leave_signed_in(context: BrowserContext, house: RunningServer, member: Player) -> None:
    """Store what a login by the form stores. `sign_in` uses the form and takes seconds."""
    user = {"user_id": member.user_id, "id": member.user_id, "username": member.name}
    session = json.dumps({**user, "userId": member.user_id, "token": member.token, "group_id": 1})
    context.add_init_script(f"sessionStorage['fairdraw.session'] ??= {json.dumps(session)}")
    stream = urljoin(house.address, "/api/Lottery/stream")
    context.add_cookies(
        [
            {"name": "fairdraw_signed_in", "value": "1", "url": house.address},
            {"name": "fairdraw_stream", "value": member.token, "url": stream},
        ]
    )


def seen(page: Page, part: str) -> list[str]:
    """The texts that a part of the page has had since the phone was opened."""
    texts: list[str] = json.loads(page.evaluate("sessionStorage.getItem('seen')"))[part]
    return [text for text in texts if text]


def signed(amount: Decimal) -> str:
    """An amount with its sign, as the app writes changes."""
    return f"{'+' if amount > 0 else MINUS}{abs(amount):,.2f}"


def stop_clock(page: Page) -> None:
    """Stop the page's clock; only `page.clock.run_for` moves it. Needs `clock.install`.

    It stops two seconds ahead, which covers a slow machine and the time of the start mark.
    """
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 2"))


def painted(page: Page) -> None:
    """Wait until the page has rendered the data that it has received so far."""
    page.evaluate("new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))")


def wait_until_started(page: Page) -> None:
    """Wait until the start mark, which covers the page at first, is gone.

    A press that the mark blocks would be retried with the page scrolled elsewhere.
    """
    expect(page.get_by_role("status").filter(has_text="Fairdraw")).to_have_count(0)


def toast(page: Page) -> Locator:
    return page.locator("[popover=manual]:popover-open")


def sign_in(page: Page, player: Player) -> None:
    page.goto("login")
    page.get_by_label("Username").fill(player.name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(toast(page)).to_have_text("Login successful")


def enter_room(page: Page, plan: int) -> None:
    page.goto(f"betRoom?id={plan}&game_id={game_of(plan)}")
    expect(page.get_by_test_id("room-countdown")).to_be_visible()
    # The buy panel and the follow dialog, which load after the room, and the earlier draws.
    expect(page.locator("dialog").nth(2)).to_be_attached()


def await_open_round(page: Page, *, seconds: int = 7, of: int = ROUND_SECONDS) -> None:
    """Wait for a round with at least `seconds` of sale left, where rounds last `of` seconds."""
    enough = "|".join(f"{left // 60}:{left % 60:02d}" for left in range(seconds, of))
    expect(page.get_by_role("timer", name=re.compile(f" ({enough})$"))).to_be_visible(
        timeout=2_000 * of
    )


def choose(page: Page, *kinds: str) -> None:
    """Open the buy panel and choose kinds of bets."""
    page.get_by_test_id("buy-open").click()
    for kind in kinds:
        page.get_by_test_id("tab-numbers" if kind.isdigit() else "tab-base").click()
        page.get_by_test_id(f"odds-{kind}").click()


def buy(page: Page, stake: int, *kinds: str) -> None:
    """Bet the same stake on each kind and check that the bets are accepted."""
    choose(page, *kinds)
    page.get_by_test_id("stake-input").fill(str(stake))
    page.get_by_test_id("buy-submit").click()
    expect(toast(page)).to_contain_text("Order placed successfully")
    expect(page.get_by_role("dialog")).to_have_count(0)


def live_bet(page: Page, bet: str) -> Locator:
    """A bet in the room's live list, by its id."""
    return page.locator(f"[data-testid=live-bet][data-id='{bet}']")


def follow(page: Page, bet: str) -> None:
    """Request the same bet; a dialog then asks for confirmation."""
    live_bet(page, bet).get_by_test_id("follow-button").click()


def balance(page: Page) -> Decimal:
    shown = page.get_by_test_id("room-balance")
    expect(shown).to_contain_text(re.compile(r"\d"))
    return amount_in(shown.inner_text())


def amount_in(text: str) -> Decimal:
    """The only number with two decimals in a text, negative after a minus sign."""
    (found,) = re.findall(rf"[+{MINUS}]?[\d,]+\.\d\d", text)
    return Decimal(found.replace(",", "").replace(MINUS, "-"))
