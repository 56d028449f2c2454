"""Accessibility of every page: axe finds no fault in both themes, and the keyboard is enough."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, ROOT, ROUND_MS, Player, RunningServer
from tests.browser.looking import AT_REST
from tests.browser.pages import PAGES, open_proof, turn_to
from tests.browser.phone import await_open_round, choose, enter_room, toast

_AXE = (ROOT / "webapp/node_modules/axe-core/axe.min.js").read_text()
_RUN = """async () => {
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run({ runOnly: rules });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}"""


@pytest.fixture(params=["dark", "light"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_axe_finds_nothing_on_any_page(phones: Phones, member: Player, theme: str) -> None:
    phone = _painted(phones(member=member), theme)
    faults = {}
    for path in PAGES:
        turn_to(phone, path)
        if found := _faults(phone):
            faults[path] = found
    assert faults == {}
    open_proof(phone, member.issue(1))
    assert _faults(phone) == []


def test_axe_finds_nothing_in_the_room_at_work(
    phones: Phones, house: RunningServer, member: Player, theme: str
) -> None:
    phone = _painted(phones(member=member), theme)
    enter_room(phone, 1)
    await_open_round(phone)
    house.member().bet(1, "big", 100)
    choose(phone, "13", "big")
    assert _faults(phone) == []


def test_axe_names_a_fault_that_is_there(phones: Phones) -> None:
    phone = _painted(phones(), "dark")
    phone.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert any(fault.startswith("button-name") for fault in _faults(phone))


def _faults(phone: Page) -> list[str]:
    """The faults that axe finds on the page."""
    if not phone.evaluate("'axe' in window"):
        phone.evaluate(_AXE)
    # Elements that slide or fade in are checked at their final place.
    phone.wait_for_function(AT_REST)
    faults: list[str] = phone.evaluate(_RUN)
    return faults


def _painted(phone: Page, theme: str) -> Page:
    """The home page in a theme."""
    settings = json.dumps({"locale": "en", "theme": theme})
    phone.add_init_script(f"localStorage['fairdraw.settings'] = {json.dumps(settings)}")
    phone.goto("")
    expect(phone.locator("html")).to_have_attribute("data-theme", theme)
    expect(phone.get_by_role("main")).to_be_visible()
    return phone


def test_keys_are_enough_from_signing_in_to_a_settled_bet(phones: Phones, member: Player) -> None:
    phone = phones()
    phone.goto("login")
    _to(phone, phone.get_by_label("Username"))
    phone.keyboard.type(member.name)
    _to(phone, phone.get_by_label("Password", exact=True))
    phone.keyboard.type(PASSWORD)
    phone.keyboard.press("Enter")
    expect(toast(phone)).to_have_text("Login successful")
    _press(phone, phone.get_by_role("link", name="VIP1"))
    _press(phone, phone.locator("main button, main a").filter(has_text="Ordinary hall").first)
    await_open_round(phone, seconds=11)
    _press(phone, phone.get_by_test_id("buy-open"))
    _press(phone, phone.get_by_test_id("odds-big"))
    _to(phone, phone.get_by_test_id("stake-input"))
    phone.keyboard.press("ControlOrMeta+A")
    phone.keyboard.type("25")
    _press(phone, phone.get_by_test_id("buy-submit"))
    expect(toast(phone)).to_contain_text("Order placed successfully")
    expect(phone.get_by_role("dialog")).to_have_count(0)
    (order,) = member.orders()
    assert (order["play_type"], order["quantity"]) == ("big", 25)
    expect(phone.get_by_test_id("room-state")).to_be_visible()
    _await_settled(phone, member)


def _await_settled(phone: Page, member: Player) -> None:
    """Wait until the room shows the results of the bets after the round."""
    expect(phone.get_by_test_id("answers")).to_be_visible(timeout=3 * ROUND_MS)
    member.await_settled()


def _press(phone: Page, control: Locator) -> None:
    _to(phone, control)
    phone.keyboard.press("Enter")


def _to(phone: Page, control: Locator) -> None:
    """Press Tab until the control has the focus, and check that a focus ring is visible."""
    expect(control).to_be_visible()
    for _ in range(120):
        if control.evaluate("control => control === document.activeElement"):
            break
        phone.keyboard.press("Tab")
    expect(control).to_be_focused()
    ring: dict[str, Any] = control.evaluate(
        "control => { const { outlineStyle, boxShadow } = getComputedStyle(control);"
        " return { outlineStyle, boxShadow }; }"
    )
    assert ring["outlineStyle"] != "none" or ring["boxShadow"] != "none"
