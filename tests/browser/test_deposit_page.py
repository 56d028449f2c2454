"""Deposits: the receiving account, the announcement, and who may not deposit."""

import json
import re
import secrets

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, Player, RunningServer
from tests.browser.money import data_of, latest_deposits, notice
from tests.browser.phone import SMALL, sign_in, toast


def test_the_deposit_page_shows_the_account_and_copies_it_with_a_tap(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, size=SMALL, permissions=["clipboard-read", "clipboard-write"])
    phone.goto("recharge")
    bank = phone.get_by_role("region", name="Bank deposit: transfer to")
    expect(bank).to_contain_text("Bank of Play Money")
    expect(bank).to_contain_text("Fairdraw demo")
    bank.get_by_role("button", name="Copy: Card number").click()
    expect(toast(phone)).to_have_text("Copied")
    assert phone.evaluate("navigator.clipboard.readText()") == "0000 0000 0000 0028"
    trc20 = phone.get_by_test_id("trc20")
    expect(trc20).to_be_attached()
    expect(trc20).to_be_hidden()
    expect(phone.locator("footer")).to_contain_text("change from time to time")
    phone.locator("footer").get_by_role("button", name="Customer service").click()
    service = phone.get_by_role("dialog", name="Customer service")
    service.get_by_role("button", name="Close").click()
    phone.get_by_role("link", name=re.compile("^Complete your personal details")).click()
    expect(phone).to_have_url(re.compile(r"/baseinfo$"))


def test_a_notice_without_sense_is_not_sent(members_phone: Page, member: Player) -> None:
    phone = members_phone
    member.call("user/setLimit", subject="deposit", span="day", amount=1_200)
    phone.goto("recharge")
    expect(phone.get_by_text("Your limits allow up to 200.00u at the moment.")).to_be_visible()
    form = notice(phone)
    form.get_by_role("button", name="I have paid").click()
    expect(form).to_contain_text("Please enter the amount")
    expect(form).to_contain_text("Please enter the reference of your transfer")
    expect(form.get_by_label("Amount")).to_be_focused()
    form.get_by_label("Reference").fill("invoice 8")
    for typed, words in (
        ("-5", "Please enter an amount such as"),
        ("0", "Please enter an amount such as"),
        ("lots", "Please enter an amount such as"),
        ("200.01", "Your limits allow up to 200.00u at the moment"),
    ):
        form.get_by_label("Amount").fill(typed)
        form.get_by_role("button", name="I have paid").click()
        expect(form).to_contain_text(words)
    assert member.call("user/recharge")["pending"] == 0


def test_a_limit_set_elsewhere_meanwhile_is_shown_with_the_servers_message(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto("recharge")
    form = notice(phone)
    form.get_by_label("Amount").fill("300")
    form.get_by_label("Reference").fill("invoice 9")
    member.call("user/setLimit", subject="deposit", span="day", amount=1_100)
    form.get_by_role("button", name="I have paid").click()
    expect(toast(phone)).to_have_text("This deposit would exceed your own deposit limit")
    expect(form).to_contain_text("Your limits allow up to 100.00u at the moment")


def test_an_online_deposit_leads_to_the_payment_page(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("recharge")
    phone.get_by_role("tab", name="Online").click()
    form = notice(phone)
    expect(form.get_by_label("Reference")).to_have_count(0)
    form.get_by_label("Amount").fill("250,50")
    with phone.expect_response("**/user/deposit") as answered:
        form.get_by_role("button", name="Pay online").click()
    order = phone.get_by_role("dialog", name="Pay this order")
    expect(order).to_contain_text("250.50")
    link = order.get_by_role("link", name="Go to 127.0.0.1:8100")
    number = data_of(answered.value)["id"]
    expect(link).to_have_attribute("href", re.compile(f"/pay\\?order={number}&amount=250\\.50$"))
    order.get_by_role("button", name="Close").click()
    expect(latest_deposits(phone).first).to_contain_text("Online deposit")


def test_a_member_on_a_break_sees_until_when_and_no_form(
    members_phone: Page, member: Player
) -> None:
    member.call("user/timeOut", hours=24)
    members_phone.goto("recharge")
    expect(members_phone.get_by_text(re.compile("^Time-out until"))).to_be_visible()
    expect(notice(members_phone)).to_have_count(0)


def test_a_visitor_has_to_register_wherever_money_moves(phone: Page, house: RunningServer) -> None:
    name = f"visitor{secrets.randbelow(10**10):010d}"
    body = {"username": name, "password": PASSWORD, "group_id": 2, "inviter_id": ""}
    made = house.call("user/register", {"Idempotency-Key": secrets.token_hex(8)}, **body)
    user = made["data"]["userinfo"]
    sign_in(phone, Player(house, name, str(user["user_id"]), user["token"]))
    for path in ("withdraw", "recharge", "bankCardManage", "addBankCard", "addVirtualWallet"):
        phone.goto(path)
        expect(phone.get_by_text(re.compile("^Visitors can only browse"))).to_be_visible()
        expect(phone.locator("form")).to_have_count(0)
    phone.get_by_role("button", name="Register").click()
    expect(phone).to_have_url(re.compile(r"/register$"))


def _ended(route: Route) -> None:
    """The server's answer once sales have ended."""
    answer = route.fetch()
    envelope = answer.json()
    envelope["data"]["channels"] = []
    route.fulfill(response=answer, body=json.dumps(envelope))


def test_once_nothing_is_sold_any_more_the_page_explains_how_to_leave(
    members_phone: Page,
) -> None:
    phone = members_phone
    phone.route("**/user/recharge", _ended)
    phone.goto("recharge")
    leave = phone.get_by_role("link", name=re.compile("^The product has been discontinued"))
    expect(leave).to_contain_text("Your money can be withdrawn at any time.")
    expect(phone.get_by_role("button", name="I have paid")).to_have_count(0)
    expect(phone.get_by_test_id("trc20")).to_have_count(0)
    leave.click()
    expect(phone).to_have_url(re.compile("/(withdraw|bankCardManage)"))
