"""The font that the app ships: shown everywhere, without layout shift when it loads late."""

import pytest
from playwright.sync_api import Page, Route

from scripts.devtools.browser import CJK_FONT, WIDE_FONT
from tests.browser.conftest import Phones
from tests.browser.fonts import FontSetup, in_fonts
from tests.browser.phone import wait_until_started

# Half of the total that a good page may have. In Russian it is 0.022, from bold words.
MAX_SHIFT = 0.05
_LOADED = """async () => {
  await document.fonts.ready;
  const loaded = [...document.fonts].filter((face) => face.status === "loaded");
  return loaded.filter((face) => face.family.includes("Fairdraw Sans")).length;
}"""
_WATCH_SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(
    ("language", "files"), [("en-US", 1), ("ru-RU", 2), ("vi-VN", 2), ("ja-JP", 1)]
)
def test_a_page_loads_the_files_of_its_own_script_alone(
    phones: Phones, language: str, files: int
) -> None:
    phone = phones(locale=language)
    phone.goto("")
    wait_until_started(phone)
    assert phone.evaluate(_LOADED) == files


@in_fonts(FontSetup("late", (CJK_FONT, WIDE_FONT)))
@pytest.mark.parametrize("language", ["en-US", "ru-RU"])
def test_a_font_that_arrives_late_moves_nothing(phones: Phones, language: str) -> None:
    phone = phones(locale=language)
    phone.add_init_script(_WATCH_SHIFTS)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.route("**/*.woff2", hold)
    phone.goto("", wait_until="commit")
    wait_until_started(phone)
    phone.wait_for_function("document.querySelector('main') && document.fonts.status === 'loading'")
    before = _shift(phone)
    for route in held:
        route.continue_()
    phone.unroute("**/*.woff2")
    assert phone.evaluate(_LOADED) > 0
    assert _shift(phone) - before < MAX_SHIFT


def _shift(page: Page) -> float:
    page.evaluate("new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))")
    shift: float = page.evaluate("window.shift")
    return shift
