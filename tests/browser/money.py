"""Shared by the tests of money pages: a player's data, and parts of the pages."""

import secrets
from typing import Any

from playwright.sync_api import Locator, Page, Response

from tests.browser.house import Player

CODE, WRONG = "480215", "735926"
HOLDER = "Grace Hopper"


def card_number() -> str:
    """A new card number, because a card belongs to one player only."""
    return f"62220212{secrets.randbelow(10**8):08d}"


def idcard() -> str:
    """A new ID-card number."""
    return f"S{secrets.token_hex(6)}"


def made_ready(player: Player) -> None:
    """Give everything that a withdrawal needs."""
    player.call("user/profile", idcard=idcard())
    player.call("user/setPayInfo", type=0, acc=card_number(), acc_name=HOLDER, acc_bank="Bank One")
    player.call("user/setSafety", new_code=CODE, after_code="")


def data_of(answered: Response) -> dict[str, Any]:
    """The data of an accepted call."""
    data: dict[str, Any] = answered.json()["data"]
    return data


def notice(page: Page) -> Locator:
    """The form that announces a deposit."""
    return page.get_by_role("form", name="Tell us about your deposit")


def latest_deposits(page: Page) -> Locator:
    """The list of the last deposits, newest first."""
    return page.get_by_role("region", name="Your latest deposits").get_by_role("listitem")


def keypad(page: Page) -> Locator:
    """The sheet that asks for the security code."""
    return page.get_by_role("dialog", name="Security code")


def ask_for(page: Page, amount: str) -> None:
    """Fill in the amount and press the button."""
    page.get_by_label("Amount").fill(amount)
    page.get_by_role("button", name="Withdraw", exact=True).click()


def tap(keys: Locator, code: str) -> None:
    """Type a code on the keypad."""
    for digit in code:
        keys.get_by_role("button", name=digit, exact=True).click()
