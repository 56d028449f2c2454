"""Opens a page on a phone and takes a screenshot of it."""

import html
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, ViewportSize
from playwright.sync_api import Error as BrowserError

from scripts.devtools.browser import CHROMIUM_FLAGS, find_chromium
from tests.instruments.screenshot_tool.demo_server import DemoServer, ScreenshotPlayer
from tests.instruments.screenshot_tool.pages import View

_DENSITY = 2
_SETTLED_MS = 15_000
_TEXT_PX = 16
_SETTLED = "() => document.querySelector('main') && !document.querySelector('[aria-busy=true]')"
_START_OVERLAY_MS = 1_300
_ACROSS = 6
_WIDTH = 260
_STYLE = (
    "body{margin:0;padding:12px;background:#777;font:12px sans-serif;display:grid;"
    f"grid-template-columns:repeat({_ACROSS},{_WIDTH}px);gap:12px}}"
    "figure{margin:0}img{width:100%;display:block}figcaption{color:#fff;padding:4px 0}"
)


@dataclass(frozen=True)
class Phone:
    """A phone's display; `name` is the folder of its pictures, `text` a size in percent."""

    name: str
    size: ViewportSize
    language: str
    theme: str
    text: int = 100


def chromium(playwright: Playwright) -> Browser:
    """The system's Chromium."""
    # A canvas reads the screen's own density and would be drawn coarsely without this.
    screen = f"--force-device-scale-factor={_DENSITY}"
    return playwright.chromium.launch(
        executable_path=find_chromium(), args=[*CHROMIUM_FLAGS, screen]
    )


@contextmanager
def opened_page(
    browser: Browser, server: DemoServer, phone: Phone, player: ScreenshotPlayer | None
) -> Iterator[Page]:
    """A new page, on which `member` is signed in."""
    context = browser.new_context(
        base_url=f"{server.address}/vip/",
        viewport=phone.size,
        device_scale_factor=_DENSITY,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    settings = json.dumps({"locale": phone.language, "theme": phone.theme})
    context.add_init_script(f"localStorage['fairdraw.settings'] ??= {json.dumps(settings)}")
    if player is not None:
        _store_session(context, server, player)
    page = context.new_page()
    sizes = {"standard": _TEXT_PX * phone.text // 100, "fixed": _TEXT_PX * phone.text // 100}
    context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    yield page
    context.close()


def _store_session(context: BrowserContext, server: DemoServer, player: ScreenshotPlayer) -> None:
    user = {"userId": player.user_id, "id": player.user_id, "username": player.name}
    session = json.dumps({**user, "token": player.token, "group_id": 1})
    context.add_init_script(f"sessionStorage['fairdraw.session'] ??= {json.dumps(session)}")
    context.add_cookies(
        [
            {"name": "fairdraw_signed_in", "value": "1", "url": f"{server.address}/vip/"},
            {
                "name": "fairdraw_stream",
                "value": player.token,
                "url": f"{server.address}/api/Lottery/stream",
            },
        ]
    )


def take_picture(page: Page, view: View, player: ScreenshotPlayer, file: Path) -> str | None:
    """Take the view's picture. Returns the error if it could not be shown.

    It is tried twice: a room that is closing sells nothing, and is open a moment later.
    """
    return _try_once(page, view, player, file) and _try_once(page, view, player, file)


def _try_once(page: Page, view: View, player: ScreenshotPlayer, file: Path) -> str | None:
    order = quote(json.dumps(dict(player.order)))
    path = view.path.replace("{order}", order).replace("{issue}", str(player.order["issue"]))
    try:
        page.goto(path)
        page.wait_for_timeout(_START_OVERLAY_MS)
        page.wait_for_function(_SETTLED, timeout=_SETTLED_MS)
        for part in view.press:
            page.locator(part).click(timeout=_SETTLED_MS)
        page.wait_for_timeout(_START_OVERLAY_MS / 2)
        page.screenshot(path=file)
    except BrowserError as error:
        return f"{view.name}: {error.message.splitlines()[0]}"
    return None


def write_sheet(browser: Browser, pictures: Sequence[Path], file: Path) -> None:
    """Lay the pictures out on one sheet, in their order."""
    figures = "".join(
        f"<figure><img src='{picture.as_uri()}'>"
        f"<figcaption>{html.escape(picture.stem)}</figcaption></figure>"
        for picture in pictures
    )
    layout = file.with_suffix(".html")
    layout.write_text(f"<style>{_STYLE}</style>{figures}")
    page = browser.new_page(viewport={"width": _ACROSS * (_WIDTH + 12) + 12, "height": 800})
    page.goto(layout.as_uri())
    page.screenshot(path=file, full_page=True)
    page.close()
    layout.unlink()
