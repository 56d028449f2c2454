"""Account security: security code, password, devices, and password confirmation."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.house import PASSWORD, Player, RunningServer
from tests.browser.phone import toast

CODE, OTHER_CODE, WRONG_CODE = "518372", "730184", "111222"
NEW_PASSWORD = "another-secret-2"
TRIES = 10
BACK_AT_ACCOUNT = re.compile(r"/vip/setting\?type=2$")
IDLE = {
    "code": 0,
    "reason": "step_up_needed",
    "msg": "Please confirm your password to go on",
    "time": 0,
    "data": None,
}


def _from_account(page: Page, entry: str) -> None:
    """Open a page of the account by its entry, as a player does."""
    page.goto("setting?type=2")
    page.get_by_role("link", name=re.compile(f"^{entry}")).click()


def _type_on_the_keypad(page: Page, code: str) -> None:
    for digit in code:
        page.get_by_role("button", name=digit, exact=True).click()


def _change_code(page: Page, old: str, new: str) -> None:
    page.get_by_label("Old code").fill(old)
    page.get_by_label("New code").fill(new)
    page.get_by_role("button", name="Confirm").click()


def _change_password(page: Page, old: str, new: str, again: str) -> None:
    page.get_by_label("Old password").fill(old)
    page.get_by_label("New password").fill(new)
    page.get_by_label("Confirm password").fill(again)
    page.get_by_role("button", name="Confirm", exact=True).click()


def _sign_in(
    house: RunningServer, player: Player, password: str = PASSWORD, agent: str = ""
) -> Any:
    """Returns the envelope of a login from a device of this kind."""
    body = {"account": player.name, "password": password}
    return house.call("user/login", {"User-Agent": agent}, **body)


def test_a_first_code_is_set_by_its_sixth_digit(members_phone: Page, member: Player) -> None:
    phone = members_phone
    _from_account(phone, "Security code")
    expect(phone.get_by_text("bank card or your login password")).to_be_visible()
    _type_on_the_keypad(phone, "123456")
    expect(phone.get_by_role("alert")).to_contain_text("This security code is too easy to guess")
    expect(phone.get_by_text("0 of 6 digits typed")).to_be_attached()
    assert member.call("user/safetyInfo")["isTrue"] is False
    # Some players type with a keyboard.
    phone.keyboard.type(CODE[:5])
    expect(phone.get_by_text("5 of 6 digits typed")).to_be_attached()
    phone.keyboard.press("Backspace")
    _type_on_the_keypad(phone, CODE[4:])
    expect(toast(phone)).to_contain_text("Set successfully. It confirms withdrawals from ")
    expect(phone).to_have_url(BACK_AT_ACCOUNT)
    assert member.call("user/safetyInfo")["isTrue"] is True


def test_a_code_is_changed_by_the_old_one(members_phone: Page, member: Player) -> None:
    phone = members_phone
    phone.goto("setSecurityCode?isTrue=true")
    confirm = phone.get_by_role("button", name="Confirm")
    confirm.click()
    expect(phone.get_by_text("Please enter the old code")).to_be_visible()
    expect(phone.get_by_text("Please enter the new code")).to_be_visible()
    expect(phone.get_by_label("Old code")).to_be_focused()
    phone.get_by_label("Old code").press_sequentially("51a8 3-7299")
    expect(phone.get_by_label("Old code")).to_have_value(CODE)
    _change_code(phone, CODE, "7301")
    expect(phone.get_by_text("A security code has six digits")).to_be_visible()
    _change_code(phone, CODE, CODE)
    expect(phone.get_by_text("The new code must differ from the old one")).to_be_visible()
    # The server has no code yet, although the address says so.
    _change_code(phone, CODE, OTHER_CODE)
    expect(toast(phone)).to_have_text("Please set a security code first")
    _type_on_the_keypad(phone, CODE)
    expect(toast(phone)).to_contain_text("Set successfully")
    phone.goto("setSecurityCode?isTrue=true")
    _change_code(phone, CODE, "121212")
    expect(phone.get_by_text("This security code is too easy to guess")).to_be_visible()
    expect(phone.get_by_label("New code")).to_be_focused()
    _change_code(phone, CODE, OTHER_CODE)
    expect(toast(phone)).to_contain_text("Set successfully")
    answer = member.house.call(
        "user/setSafety", {"token": member.token}, new_code="640253", after_code=CODE
    )
    assert answer["reason"] == "security_code_wrong"


def test_a_code_that_is_set_already_leads_to_the_old_one(
    members_phone: Page, member: Player
) -> None:
    member.call("user/setSafety", new_code=CODE, after_code="")
    members_phone.goto("setSecurityCode?isTrue=false")
    _type_on_the_keypad(members_phone, OTHER_CODE)
    expect(toast(members_phone)).to_contain_text("A security code is set already")
    expect(members_phone.get_by_label("Old code")).to_be_visible()


def test_ten_wrong_codes_lock_until_customer_service_helps(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    member.call("user/setSafety", new_code=CODE, after_code="")
    _from_account(phone, "Security code")
    for left in range(TRIES - 1, 0, -1):
        _change_code(phone, WRONG_CODE, OTHER_CODE)
        tries = "try" if left == 1 else "tries"
        expect(phone.locator("form")).to_contain_text(f"At most {left} more {tries}")
        expect(phone.get_by_label("Old code")).to_be_focused()
        expect(phone.get_by_label("Old code")).to_have_value("")
    _change_code(phone, WRONG_CODE, OTHER_CODE)
    locked = phone.get_by_text("The security code is locked after ten wrong tries.")
    expect(locked).to_contain_text("customer service")
    expect(phone.locator("form")).to_have_count(0)
    phone.get_by_role("button", name="Customer service").click()
    expect(phone.get_by_role("dialog", name="Customer service")).to_be_visible()
    phone.reload()
    expect(locked).to_be_visible()
    answer = member.house.call(
        "user/setSafety", {"token": member.token}, new_code=OTHER_CODE, after_code=CODE
    )
    assert answer["reason"] == "security_code_locked"


def test_callers_without_an_account_and_visitors_see_who_may_have_a_code(phone: Page) -> None:
    phone.goto("setSecurityCode?isTrue=false")
    expect(phone.get_by_text("Please log in first")).to_be_visible()
    phone.get_by_role("button", name="Log in").click()
    phone.get_by_role("button", name="Browse as a visitor").click()
    phone.get_by_role("checkbox", name=re.compile("legal age")).check()
    phone.get_by_role("button", name="Enter as a visitor").click()
    phone.get_by_role("button", name="Continue").click()
    expect(phone).to_have_url(re.compile(r"/vip/$"))
    for path in ("setSecurityCode", "baseinfo", "shareFriend"):
        phone.goto(path)
        phone.get_by_role("button", name="Register").click()
        expect(phone).to_have_url(re.compile(r"/vip/register$"))


def test_a_password_is_changed_by_the_old_one_and_ends_other_devices(
    members_phone: Page, member: Player, house: RunningServer
) -> None:
    phone = members_phone
    other = _sign_in(house, member)["data"]["userinfo"]["token"]
    _from_account(phone, "Change login password")
    phone.get_by_role("button", name="Confirm", exact=True).click()
    for words in ("the old password", "the new password", "the new password again"):
        expect(phone.get_by_text(f"Please enter {words}", exact=True)).to_be_visible()
    expect(phone.get_by_label("Old password")).to_be_focused()
    _change_password(phone, "not-this-one", "short77", "other")
    expect(phone.get_by_text("A password has 8 to 64 characters")).to_be_visible()
    expect(phone.get_by_text("The two passwords are inconsistent")).to_be_visible()
    _change_password(phone, PASSWORD, PASSWORD, PASSWORD)
    expect(phone.get_by_text("must differ from the old one")).to_be_visible()
    _change_password(phone, "not-this-one", NEW_PASSWORD, NEW_PASSWORD)
    expect(phone.get_by_text("The old password is wrong")).to_be_visible()
    expect(phone.get_by_label("Old password")).to_be_focused()
    _change_password(phone, PASSWORD, NEW_PASSWORD, NEW_PASSWORD)
    expect(toast(phone)).to_have_text("Set successfully. Your other devices are logged out.")
    expect(phone).to_have_url(BACK_AT_ACCOUNT)
    phone.goto("personal")
    expect(phone.get_by_role("heading", name=member.name)).to_be_visible()
    assert house.call("user/userInfo", {"token": other})["code"] == 50012
    assert _sign_in(house, member)["reason"] == "credentials_wrong"
    assert _sign_in(house, member, NEW_PASSWORD)["code"] == 1


def test_devices_are_seen_and_logged_out(
    members_phone: Page, member: Player, house: RunningServer
) -> None:
    phone = members_phone
    agents = ("(iPhone) Safari/604.1", "(Android 14) Chrome/120.0", "(Windows NT 10.0) Edg/120.0")
    tokens = [_sign_in(house, member, agent=agent)["data"]["userinfo"]["token"] for agent in agents]
    _from_account(phone, "Devices")
    rows = phone.get_by_role("listitem")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="This device").get_by_role("button")).to_have_count(0)
    phone.get_by_role("button", name="Log out Chrome · Android").click()
    expect(toast(phone)).to_have_text("That device is logged out")
    expect(rows).to_have_count(3)
    assert [_is_signed_in(house, token) for token in tokens] == [True, False, True]
    phone.get_by_role("button", name="Log out all other devices").click()
    expect(toast(phone)).to_have_text("All other devices are logged out")
    expect(rows).to_have_count(1)
    expect(phone.get_by_text("You are logged in on this device alone.")).to_be_visible()
    assert [_is_signed_in(house, token) for token in tokens] == [False, False, False]
    assert _is_signed_in(house, member.token)


def _is_signed_in(house: RunningServer, token: str) -> bool:
    return bool(house.call("user/userInfo", {"token": token})["code"] == 1)


@pytest.fixture
def password_dialog(members_phone: Page) -> Locator:
    """The password dialog of an idle session, opened by setting a code."""
    first = [True]

    def answer(route: Route) -> None:
        if first.pop() if first else False:
            route.fulfill(json=IDLE)
        else:
            route.fallback()

    members_phone.route("**/api/user/setSafety", answer)
    members_phone.goto("setSecurityCode?isTrue=false")
    _type_on_the_keypad(members_phone, CODE)
    return members_phone.get_by_role("dialog", name="Confirm your password")


def test_an_idle_device_confirms_the_password_and_then_continues(
    members_phone: Page, member: Player, password_dialog: Locator
) -> None:
    password, confirm = (
        password_dialog.get_by_label("Password"),
        password_dialog.get_by_role("button", name="Confirm"),
    )
    expect(password).to_be_focused()
    confirm.click()
    expect(password_dialog.get_by_text("Please enter your password")).to_be_visible()
    password.fill("not-this-one")
    confirm.click()
    expect(password_dialog.get_by_text("The password is wrong.")).to_be_visible()
    password.fill(PASSWORD)
    password.press("Enter")
    expect(toast(members_phone)).to_contain_text("Set successfully")
    expect(password_dialog).to_have_count(0)
    assert member.call("user/safetyInfo")["isTrue"] is True


def test_an_idle_device_that_confirms_nothing_changes_nothing(
    members_phone: Page, member: Player, password_dialog: Locator
) -> None:
    expect(password_dialog).to_be_visible()
    members_phone.keyboard.press("Escape")
    expect(members_phone.get_by_role("alert")).to_have_text("Cancelled.")
    assert member.call("user/safetyInfo")["isTrue"] is False
    _type_on_the_keypad(members_phone, CODE)
    expect(toast(members_phone)).to_contain_text("Set successfully")
