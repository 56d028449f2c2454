"""Which pages a guest or player may see, and what happens when a session ends."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player
from tests.browser.phone import sign_in, stop_clock, toast

LOGIN = re.compile(r"/vip/login$")
GUARDED = (
    *("personal", "setting", "changeline", "about", "system", "baseinfo", "defaultAvatar"),
    *("bankCardManage", "addBankCard", "addVirtualWallet", "changePassword", "actionCenter"),
    *("shareFriend", "notice", "betRecord", "capitalDetail", "withdraw", "recharge", "find"),
    *("lottery", "lotterytwo", "lotterythree", "betDetail", "betRoom", "lotteryDetail"),
    *("lotteryExplain", "trendChart", "moreNews", "aticleDetail"),
)
PUBLIC = ("", "login", "register", "language", "setSecurityCode", "statistics", "fairness")
TOKENS = {"of an unknown token": "no-such-token", "of no sense": "\u00e4" * 3}


def test_a_visitor_is_sent_to_the_login_after_a_loading_toast(phone: Page) -> None:
    phone.clock.install()
    phone.goto("")
    stop_clock(phone)
    _move_to(phone, "personal")
    expect(toast(phone)).to_have_text("Loading")
    phone.clock.run_for(499)
    expect(phone).to_have_url(re.compile(r"/vip/personal$"))
    phone.clock.run_for(1)
    expect(phone).to_have_url(LOGIN)


def test_no_members_page_opens_for_a_visitor(phone: Page) -> None:
    phone.clock.install()
    phone.goto("")
    stop_clock(phone)
    for path in GUARDED:
        _move_to(phone, path)
        expect(toast(phone)).to_have_text("Loading")
        expect(phone.locator("main")).to_have_count(0)
        phone.clock.run_for(500)
        expect(phone).to_have_url(LOGIN)
        expect(phone.get_by_label("Username")).to_be_visible()


def _move_to(page: Page, path: str) -> None:
    """Navigate as a link does, without reloading the app."""
    page.evaluate(
        "(path) => { history.pushState(null, '', path);"
        " dispatchEvent(new PopStateEvent('popstate')) }",
        path,
    )


def test_the_public_pages_open_for_a_visitor(phone: Page) -> None:
    for path in PUBLIC:
        phone.goto(path)
        expect(phone.locator("main")).to_be_visible()
        expect(toast(phone)).to_have_count(0)
        expect(phone).to_have_url(re.compile(rf"/vip/{path}$"))


def test_a_members_address_typed_by_a_visitor_leads_to_the_login(phone: Page) -> None:
    phone.goto("betRoom?id=1&game_id=1")
    expect(phone).to_have_url(LOGIN)
    expect(phone.get_by_role("heading", name="Welcome back")).to_be_visible()


def test_a_reload_keeps_a_member_signed_in(phone: Page, member: Player) -> None:
    sign_in(phone, member)
    phone.goto("personal")
    phone.reload()
    expect(phone.get_by_role("heading", name=member.name)).to_be_visible()
    expect(phone.get_by_text("1,000.00").first).to_be_visible()


def test_another_phone_knows_nothing_of_it(phones: Phones, member: Player) -> None:
    phones(member=member).goto("personal")
    other = phones()
    other.goto("personal")
    expect(other).to_have_url(LOGIN)


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
def test_a_session_that_the_house_does_not_know_ends_at_the_login(
    members_phone: Page, token: str
) -> None:
    members_phone.goto("")
    expect(members_phone.get_by_text("1,000.00").first).to_be_visible()
    members_phone.evaluate(
        "(token) => { const kept = JSON.parse(sessionStorage['fairdraw.session']);"
        " sessionStorage['fairdraw.session'] = JSON.stringify({...kept, token}) }",
        token,
    )
    members_phone.goto("personal")
    expect(members_phone).to_have_url(LOGIN)
    kept = json.loads(members_phone.evaluate("sessionStorage['fairdraw.session']"))
    assert (kept["token"], kept["userId"], kept["money"]) == ("", "", None)


def test_leaving_settings_only_opens_the_login_and_keeps_the_session(
    members_phone: Page, member: Player
) -> None:
    members_phone.goto("setting?type=1")
    members_phone.get_by_role("button", name="Exit login").click()
    expect(members_phone).to_have_url(LOGIN)
    members_phone.goto("personal")
    expect(members_phone.get_by_role("heading", name=member.name)).to_be_visible()
