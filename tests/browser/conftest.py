"""One house for the whole run, on short rounds, and phones to visit it with."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.house import House, Player, running_house
from tests.browser.phone import a_phone, launched

Phones = Callable[..., Page]


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory(prefix="fairdraw-browser-") as folder:
        # The database server's own account has to pass through it.
        Path(folder).chmod(0o711)
        with running_house(Path(folder, "data")) as running:
            yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=10_000)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def phones(browser: Browser, house: House) -> Iterator[Phones]:
    """Switches on as many phones as a test wants, with a browser context's options."""
    with ExitStack() as switched_on:

        def switch_on(**options: Any) -> Page:
            return switched_on.enter_context(a_phone(browser, house, **options))

        yield switch_on


@pytest.fixture
def phone(phones: Phones) -> Page:
    return phones()


@pytest.fixture
def members_phone(phones: Phones, member: Player) -> Page:
    """A phone on which `member` is signed in."""
    return phones(member=member)


@pytest.fixture
def member(house: House) -> Player:
    return house.member()
