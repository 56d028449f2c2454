"""Login, registration, browsing as a guest, and the language."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, Player, RunningServer, fresh_name
from tests.browser.pages import choose_language, turn_to
from tests.browser.phone import (
    await_open_round,
    choose,
    enter_room,
    follow,
    sign_in,
    toast,
)

PAGES = (
    *("", "login", "register", "language", "personal", "setting?type=1", "setting?type=2"),
    *("setting?type=3", "setting?type=3&part=progress", "changeline", "about", "notice"),
    *("recharge", "lottery", "lotteryExplain", "betRecord", "capitalDetail"),
    *("lotteryDetail?game_id=2", "moreNews", "aticleDetail?id=limits", "betRoom?id=11"),
)
HOME = re.compile(r"/vip/$")
_MUST_REGISTER = "Visitors can only browse. Register as a full member to play."
REVOKED = 50012
# The brand, a currency and its network, level names, the end of a list as specified, masked names
# and the user's own name. An element with a language of its own is not looked at.
ALLOWED = re.compile(
    r"Fairdraw|USDT|TRC20|VIP\d?|--END--|\w+\*+\w*|tester\d+"
    r"|card-[\d.]+"  # an odds table has the same name in all languages
)


def _log_in(page: Page, name: str, password: str) -> None:
    page.goto("login")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in", exact=True).click()


def test_a_wrong_password_is_reported_without_naming_the_wrong_half(
    phone: Page, member: Player
) -> None:
    _log_in(phone, member.name, "not-the-password")
    expect(toast(phone)).to_have_text("Username or password is wrong")
    _log_in(phone, fresh_name(), PASSWORD)
    expect(toast(phone)).to_have_text("Username or password is wrong")
    expect(phone.get_by_role("heading", name="Welcome back")).to_be_visible()


def test_an_empty_login_form_requires_both_fields(phone: Page) -> None:
    phone.goto("login")
    phone.get_by_role("button", name="Log in", exact=True).click()
    expect(phone.get_by_text("Enter your username")).to_be_visible()
    expect(phone.get_by_text("Please enter a password")).to_be_visible()


def test_a_login_leads_home_and_shows_the_balance(phone: Page, member: Player) -> None:
    sign_in(phone, member)
    expect(phone).to_have_url(HOME)
    expect(phone.get_by_role("link", name=re.compile("^Balance"))).to_contain_text("1,000.00")


def test_remember_me_keeps_the_name_and_never_the_password(phone: Page, member: Player) -> None:
    phone.goto("login")
    expect(phone.get_by_label("Remember me")).to_be_checked()
    sign_in(phone, member)
    phone.goto("login")
    expect(phone.get_by_label("Username")).to_have_value(member.name)
    expect(phone.get_by_label("Password", exact=True)).to_have_value("")
    kept = phone.evaluate("document.cookie + JSON.stringify({...localStorage, ...sessionStorage})")
    assert PASSWORD not in kept


def test_without_remember_me_the_name_is_forgotten(phone: Page, member: Player) -> None:
    sign_in(phone, member)
    phone.goto("login")
    phone.get_by_label("Remember me").uncheck()
    phone.get_by_label("Password", exact=True).fill(PASSWORD)
    phone.get_by_role("button", name="Log in", exact=True).click()
    expect(toast(phone)).to_have_text("Login successful")
    phone.goto("login")
    expect(phone.get_by_label("Username")).to_have_value("")


def test_a_forgotten_password_leads_to_customer_service(phone: Page) -> None:
    phone.goto("login")
    phone.get_by_role("button", name="Forgot password?").click()
    popup = phone.get_by_role("dialog", name="Forgot password")
    expect(popup).to_contain_text("customer service")
    popup.get_by_role("button", name="Customer service").click()
    expect(popup).to_have_count(0)
    service = phone.get_by_role("dialog", name="Customer service")
    service.get_by_role("button", name="Close").click()
    expect(service).to_have_count(0)


def test_closing_the_login_ends_the_session_and_leads_home(
    members_phone: Page, member: Player, house: RunningServer
) -> None:
    phone = members_phone
    phone.goto("login")
    with phone.expect_response("**/user/logout"):
        phone.get_by_role("button", name="Close").click()
    assert house.call("user/userInfo", {"token": member.token})["code"] == REVOKED
    expect(phone).to_have_url(HOME)
    expect(phone.get_by_text("Log in to see your balance")).to_be_visible()
    phone.goto("personal")
    expect(phone).to_have_url(re.compile(r"/vip/login$"))


def _register(page: Page, name: str, password: str, again: str) -> Locator:
    """Fill in and send the registration form."""
    page.goto("register")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_label("Confirm password").fill(again)
    page.get_by_role("button", name="Register", exact=True).click()
    return page.locator("form")


def test_a_user_name_needs_letters_and_digits(phone: Page) -> None:
    form = _register(phone, "", PASSWORD, PASSWORD)
    for name in ("abc12", "onlyletters", "1234567", "with space1", "a2" * 9, "naïve123"):
        phone.get_by_label("Username").fill(name)
        expect(form).to_contain_text("A username has 6 to 16 letters and digits")
    phone.get_by_label("Username").fill("abc123")
    expect(form).not_to_contain_text("A username has")


def test_a_password_is_long_enough_and_typed_twice_the_same(phone: Page) -> None:
    form = _register(phone, fresh_name(), "short", "other")
    expect(form).to_contain_text("A password has 8 to 64 characters")
    expect(form).to_contain_text("The two passwords are inconsistent")


def test_an_empty_registration_requires_each_field(phone: Page) -> None:
    form = _register(phone, "", "", "")
    for words in ("enter a username", "enter a password", "enter the password again"):
        expect(form).to_contain_text(f"Please {words}")
    expect(phone.get_by_label("Username")).to_be_focused()


def test_a_taken_user_name_is_refused_in_words(phone: Page, member: Player) -> None:
    _register(phone, member.name, PASSWORD, PASSWORD)
    expect(toast(phone)).to_have_text("This username is taken")
    name = phone.get_by_label("Username")
    expect(name).to_be_focused()
    expect(name).to_have_accessible_description("This username is taken")
    name.fill(fresh_name())
    expect(name).not_to_have_attribute("aria-invalid", "true")


def test_an_unknown_invitation_code_is_refused_in_words(phone: Page) -> None:
    phone.goto("register?inviter_id=999999999")
    phone.get_by_label("Username").fill(fresh_name())
    phone.get_by_label("Password", exact=True).fill(PASSWORD)
    phone.get_by_label("Confirm password").fill(PASSWORD)
    phone.get_by_role("button", name="Register", exact=True).click()
    expect(toast(phone)).to_have_text("The invitation code is unknown")
    expect(phone.get_by_label("Invitation code")).to_be_focused()
    expect(phone.locator("form")).to_contain_text("The invitation code is unknown")


def test_a_login_without_its_texts_loads_them_where_they_are_missing(phone: Page) -> None:
    phone.goto("login")
    phone.get_by_role("button", name="Log in", exact=True).click()
    expect(phone.get_by_label("Username")).to_be_focused()
    expect(phone.locator("form")).to_contain_text("Please enter a password")
    phone.keyboard.type("somebody1")
    phone.keyboard.press("Enter")
    expect(phone.get_by_label("Password", exact=True)).to_be_focused()


def test_a_visitor_ticks_the_box_looks_round_and_must_register_to_bet(
    phone: Page, member: Player
) -> None:
    phone.goto("login")
    phone.get_by_role("button", name="Browse as a visitor").click()
    phone.get_by_role("button", name="Enter as a visitor").click()
    box = phone.get_by_role("checkbox", name=re.compile("legal age"))
    expect(box).to_be_focused()
    expect(box).to_have_accessible_description("Please tick the box first.")
    box.check()
    expect(phone.get_by_text("Please tick the box first.")).to_have_count(0)
    phone.get_by_role("button", name="Enter as a visitor").click()
    credentials = phone.get_by_role("dialog", name="Your visitor account")
    expect(credentials).to_contain_text(re.compile(r"visitor\d{10}"))
    expect(credentials.get_by_text(re.compile("^[A-Z]{6}$"))).to_be_visible()
    credentials.get_by_role("button", name="Continue").click()
    expect(phone).to_have_url(HOME)
    enter_room(phone, 1)
    await_open_round(phone)
    follow(phone, member.bet(1, "big", 7)["id"])
    following = phone.get_by_role("dialog")
    expect(following).to_contain_text(_MUST_REGISTER)
    expect(following.get_by_role("button", name="Register")).to_be_visible()
    expect(phone.get_by_test_id("follow-confirm")).to_have_count(0)
    phone.keyboard.press("Escape")
    choose(phone, "big")
    expect(phone.get_by_text(_MUST_REGISTER)).to_be_visible()
    expect(phone.get_by_test_id("buy-submit")).to_have_count(0)
    phone.get_by_role("button", name="Register").click()
    expect(phone).to_have_url(re.compile(r"/vip/register$"))


def _session(page: Page) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(page.evaluate("sessionStorage['fairdraw.session']"))
    return stored


def test_a_visitor_who_registers_keeps_their_account(phone: Page, house: RunningServer) -> None:
    phone.goto("login")
    phone.get_by_role("button", name="Browse as a visitor").click()
    phone.get_by_role("checkbox", name=re.compile("legal age")).check()
    phone.get_by_role("button", name="Enter as a visitor").click()
    phone.get_by_role("button", name="Continue").click()
    expect(phone).to_have_url(HOME)
    visitor = _session(phone)
    turn_to(phone, "personal")
    phone.get_by_role("button", name="Register").click()
    expect(phone.get_by_role("heading", name="Become a full member")).to_be_visible()
    expect(phone.locator("main")).to_contain_text(
        f"Your visitor account {visitor['username']} becomes a full account"
    )
    expect(phone.get_by_role("button", name="Browse as a visitor")).to_have_count(0)
    name = fresh_name()
    phone.get_by_label("Username").fill(name)
    phone.get_by_label("Password", exact=True).fill(PASSWORD)
    phone.get_by_label("Confirm password").fill(PASSWORD)
    phone.get_by_role("button", name="Register", exact=True).click()
    expect(toast(phone)).to_have_text("Registration successful")
    expect(phone.get_by_role("link", name=re.compile("^Balance"))).to_contain_text("1,000.00")
    member = _session(phone)
    assert (member["userId"], member["token"]) == (visitor["userId"], visitor["token"])
    assert (member["group_id"], member["username"]) == (1, name)
    turn_to(phone, "personal")
    expect(phone.locator("main")).to_contain_text(name)
    expect(phone.get_by_text("Visitors can only browse")).to_have_count(0)
    again = {"account": name, "password": PASSWORD}
    known = house.call("user/login", {}, **again)["data"]["userinfo"]
    assert str(known["user_id"]) == visitor["userId"]


def test_a_phone_in_another_language_gets_traditional_chinese(phones: Phones) -> None:
    phone = phones(locale="fr-FR")
    phone.goto("login")
    expect(phone.locator("html")).to_have_attribute("lang", "zh-Hant")


def test_choosing_chinese_changes_every_page(members_phone: Page, house: RunningServer) -> None:
    phone = members_phone
    choose_language(phone, "简体中文", "zh-Hans")
    own_texts = _own_texts(house)
    for path in PAGES:
        turn_to(phone, path)
        expect(phone.locator("main")).to_contain_text(re.compile(r"[\u4e00-\u9fff]"))
        assert _english_in(phone, own_texts) == [], path
    await_open_round(phone)
    choose(phone, "big")
    assert _english_in(phone, own_texts) == []


def _own_texts(house: RunningServer) -> list[str]:
    """Texts of the operator about itself and its accounts, which are in one language."""
    answer = house.http.get("/api/index/index").json()
    receiving = house.office("settings")["receiving"]
    return [str(words) for words in (*answer["data"]["operator"].values(), *receiving.values())]


def _english_in(page: Page, own_texts: list[str]) -> list[str]:
    text = page.locator("body").inner_text()
    names_of_languages = page.locator("body [lang]").all_inner_texts()
    for words in (*own_texts, *names_of_languages):
        text = text.replace(words, "")
    return re.findall(r"[A-Za-z]{2,}", ALLOWED.sub("", text))
