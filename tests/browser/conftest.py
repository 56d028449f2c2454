"""One server with short rounds for the whole run, and phones that visit it."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from tests.browser.fonts import OWN, FontSetup, configuration
from tests.browser.house import Player, RunningServer, running_house
from tests.browser.phone import a_phone, launched

Phones = Callable[..., Page]


@pytest.fixture(scope="session")
def house() -> Iterator[RunningServer]:
    with tempfile.TemporaryDirectory(prefix="fairdraw-browser-") as folder:
        # The database server's own account needs to traverse this folder.
        Path(folder).chmod(0o711)
        with running_house(Path(folder, "data")) as running:
            yield running


class Browsers:
    """One browser for each set of installed fonts, launched when first needed."""

    def __init__(self, playwright: Playwright, folder: Path) -> None:
        self._playwright = playwright
        self._folder = folder
        self._launched: dict[tuple[str, ...], Browser] = {}

    def with_fonts(self, setup: FontSetup) -> Browser:
        if setup.installed not in self._launched:
            file = configuration(setup, self._folder / setup.name)
            self._launched[setup.installed] = launched(self._playwright, file)
        return self._launched[setup.installed]

    def close(self) -> None:
        for browser in self._launched.values():
            browser.close()


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    expect.set_options(timeout=10_000)
    with (
        tempfile.TemporaryDirectory(prefix="fairdraw-fonts-") as folder,
        sync_playwright() as playwright,
    ):
        browsers = Browsers(playwright, Path(folder))
        yield browsers
        browsers.close()


@pytest.fixture
def fonts(request: pytest.FixtureRequest) -> FontSetup:
    """The app's own font. A test that runs with other fonts names them with `in_fonts`."""
    setup: FontSetup = getattr(request, "param", OWN)
    return setup


@pytest.fixture
def browser(browsers: Browsers, fonts: FontSetup) -> Browser:
    return browsers.with_fonts(fonts)


@pytest.fixture
def phones(browser: Browser, house: RunningServer, fonts: FontSetup) -> Iterator[Phones]:
    """Opens as many phones as a test needs, each with options of a browser context."""
    with ExitStack() as switched_on:

        def switch_on(**options: Any) -> Page:
            return switched_on.enter_context(a_phone(browser, house, fonts=fonts, **options))

        yield switch_on


@pytest.fixture
def phone(phones: Phones) -> Page:
    return phones()


@pytest.fixture
def members_phone(phones: Phones, member: Player) -> Page:
    """A phone on which `member` is signed in."""
    return phones(member=member)


@pytest.fixture
def member(house: RunningServer) -> Player:
    return house.member()
