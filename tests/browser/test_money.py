"""Money coming in and going out: deposits, payout accounts, the security code, the statement."""

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Response, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, ROUND_MS, House, Player, game_of
from tests.browser.phone import (
    SMALL,
    amount_in,
    await_open_round,
    enter_room,
    sign_in,
    stop_clock,
    toast,
)

CODE, WRONG = "480215", "735926"
WALLET = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
HOLDER = "Grace Hopper"
PLAN = 1
TIMEOUT_MS, PAUSE_MS = 7_000, 2_000
A_DAY_S = 86_400
MINUS = "\N{MINUS SIGN}"
MANAGE = re.compile(r"/bankCardManage\?type=0$")


def _card_number() -> str:
    """A card is one member's only."""
    return f"62220212{secrets.randbelow(10**8):08d}"


def _ready(player: Player) -> None:
    """Everything that a withdrawal needs, given already."""
    player.call("user/profile", idcard=f"S{secrets.token_hex(6)}")
    player.call(
        "user/setPayInfo", type=0, acc=_card_number(), acc_name=HOLDER, acc_bank="Bank One"
    )
    player.call("user/setSafety", new_code=CODE, after_code="")


@pytest.fixture
def no_waiting(house: House) -> Iterator[None]:
    """New payout accounts and codes may be used at once."""
    house.office("terms", cooling_s=0)
    yield
    house.office("terms", cooling_s=A_DAY_S)


def _data(answered: Response) -> dict[str, Any]:
    data: dict[str, Any] = answered.json()["data"]
    return data


def _notice(page: Page) -> Locator:
    return page.get_by_role("form", name="Tell us about your deposit")


def _latest(page: Page) -> Locator:
    return page.get_by_role("region", name="Your last deposits").get_by_role("listitem")


def _keypad(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Security code")


def _ask(page: Page, amount: str) -> None:
    page.get_by_label("Amount").fill(amount)
    page.get_by_role("button", name="Withdraw", exact=True).click()


def _tap(keypad: Locator, code: str) -> None:
    for digit in code:
        keypad.get_by_role("button", name=digit, exact=True).click()


# The journey: in, played with, and out again.


@dataclass
class Network:
    """Loses the first answer."""

    sent: list[tuple[str, Any]] = field(default_factory=list)

    def carry(self, route: Route) -> None:
        key = route.request.headers["idempotency-key"]
        self.sent.append((key, json.loads(route.request.post_data or "")))
        if len(self.sent) == 1:
            route.fetch()
        else:
            route.continue_()


@pytest.mark.usefixtures("no_waiting")
def test_money_comes_in_is_played_with_and_goes_out_and_the_ledger_shows_it(
    phones: Phones, house: House, member: Player
) -> None:
    phone = phones(member=member)
    phone.clock.install()
    _pay_in(phone, house)
    _play(phone, house, member)
    _bind_what_is_asked_for(phone, member)
    before = member.money()
    _see_what_is_refused(phone)
    number = _withdraw(phone, member)
    assert member.money() == before - 150
    _staff_pay(phone, house, number)
    _read_the_ledger(phone, before)


def _pay_in(phone: Page, house: House) -> None:
    phone.goto("recharge")
    notice = _notice(phone)
    notice.get_by_label("Amount").fill("500")
    expect(notice).to_contain_text("1,000.00u now, 1,500.00u with this deposit")
    notice.get_by_label("Reference").fill("invoice 7")
    with phone.expect_response("**/user/deposit") as answered:
        notice.get_by_role("button", name="I have paid").click()
    expect(toast(phone)).to_have_text("Submitted successfully")
    expect(_latest(phone).first).to_contain_text("Waiting for approval")
    expect(notice.get_by_label("Amount")).to_have_value("")
    house.office("depositDecision", id=_data(answered.value)["id"], approve=True)
    phone.reload()
    expect(_latest(phone).first).to_contain_text("Credited")
    expect(phone.get_by_text("1,500.00").first).to_be_visible()


def _play(phone: Page, house: House, member: Player) -> None:
    """Turn everything over, on one bet; what came of it, a correction of 300u goes on top."""
    phone.goto("withdraw")
    expect(phone).to_have_url(MANAGE)
    enter_room(phone, PLAN)
    await_open_round(phone)
    member.bet(PLAN, "big", 1_500)
    expect(phone.get_by_test_id("answer")).to_have_count(1, timeout=2 * ROUND_MS)
    body = {"player": member.name, "amount": 300, "reason": "a goodwill"}
    number = house.office("adjustment", **body)["id"]
    house.office("adjustmentDecision", staff="ben", id=number, approve=True)


def _bind_what_is_asked_for(phone: Page, member: Player) -> None:
    """A card on its page; base info and the code have pages that are tested elsewhere."""
    phone.goto("withdraw")
    expect(phone).to_have_url(MANAGE)
    phone.get_by_role("button", name="Add bank card").click()
    phone.get_by_label("Card holder").fill(HOLDER)
    phone.get_by_label("Card number").fill(_card_number())
    phone.get_by_label("Bank name").fill("Bank One")
    phone.get_by_role("button", name="Confirm").click()
    expect(toast(phone)).to_have_text("Added successfully")
    expect(phone).to_have_url(MANAGE)
    for page, call in (
        ("/baseinfo", lambda: member.call("user/profile", idcard=f"S{secrets.token_hex(6)}")),
        (
            "/setSecurityCode?isTrue=false",
            lambda: member.call("user/setSafety", new_code=CODE, after_code=""),
        ),
    ):
        phone.goto("withdraw")
        _ask(phone, "")
        expect(phone).to_have_url(re.compile(f"{re.escape(page)}$"))
        call()


def _see_what_is_refused(phone: Page) -> None:
    phone.goto("personal")
    phone.get_by_role("button", name="Withdraw").click()
    form = phone.locator("form")
    for typed, words in (
        ("", "Please enter the withdrawal amount"),
        ("1,5,0", "Please enter an amount such as 150 or 150.50"),
        ("99.99", "The minimum withdrawal is 100"),
    ):
        _ask(phone, typed)
        expect(form).to_contain_text(words)
        expect(phone.get_by_label("Amount")).to_be_focused()
        expect(_keypad(phone)).to_have_count(0)
    _ask(phone, "999999")
    phone.keyboard.type(CODE)
    expect(toast(phone)).to_have_text("Insufficient balance, transfer out failed")
    expect(_keypad(phone)).to_have_count(0)


def _withdraw(phone: Page, member: Player) -> str:
    """By a wrong code first, then the right one, whose answer is lost on the way."""
    network = Network()
    expect(phone.get_by_text("You cannot cancel a withdrawal once it is requested.")).to_be_visible()
    _ask(phone, "150")
    keypad = _keypad(phone)
    expect(keypad).to_contain_text("Confirm 150.00u to Bank One, Gra****")
    _tap(keypad, WRONG)
    expect(keypad.get_by_role("alert")).to_have_text("Wrong code. Ten wrong tries in all lock it.")
    _tap(keypad, CODE[:3])
    keypad.get_by_role("button", name="Delete last digit").click()
    expect(keypad.get_by_text("2 of 6 digits typed")).to_be_attached()
    stop_clock(phone)
    phone.route("**/user/withdrawAction", network.carry)
    with phone.expect_request("**/user/withdrawAction"):
        _tap(keypad, CODE[2:])
    phone.clock.run_for(TIMEOUT_MS)
    with phone.expect_response("**/user/withdrawAction") as answered:
        phone.clock.run_for(PAUSE_MS)
    assert network.sent[0] == network.sent[1]
    phone.clock.resume()
    done = phone.get_by_role("dialog", name="Withdrawal requested")
    expect(done).to_contain_text("150.00")
    waiting = member.call("user/withdrawInfo")["withdrawals"]
    assert [each["quantity"] for each in waiting] == [150]
    done.get_by_role("button", name="OK").click()
    expect(phone).to_have_url(re.compile(r"/vip/personal$"))
    number: str = _data(answered.value)["id"]
    return number


def _staff_pay(phone: Page, house: House, number: str) -> None:
    phone.get_by_role("button", name="Withdraw").click()
    waiting = phone.get_by_role("region", name="On their way")
    expect(waiting).to_contain_text("Waiting for approval")
    house.office("withdrawalDecision", id=number, approve=True)
    phone.reload()
    expect(waiting).to_contain_text("Approved, about to be sent")
    house.office("withdrawalPayment", id=number, reference="paid 7")
    phone.reload()
    expect(phone.get_by_label("Amount")).to_be_visible()
    expect(waiting).to_have_count(0)


def _read_the_ledger(phone: Page, before: Decimal) -> None:
    phone.goto("capitalDetail")
    expect(phone.get_by_text("--END--")).to_be_visible()
    row = phone.locator("main li").first
    expect(row).to_contain_text("Withdraw")
    expect(row).to_contain_text(f"{MINUS}150.00")
    expect(row).to_contain_text("Passed")
    expect(row).to_contain_text(f"{before - 150:,.2f}")
    kinds = [text.split("\n")[0] for text in phone.locator("main li").all_inner_texts()]
    assert {"Deposit", "Purchase", "Withdraw"} <= set(kinds)
    with phone.expect_download() as saved:
        phone.get_by_role("button", name="Save as a CSV file").click()
    file = saved.value
    assert re.fullmatch(r"statement-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv", file.suggested_filename)
    lines = Path(file.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("id,time,type,status")
    assert len(lines) == len(kinds) + 1
    assert "withdrawal" in lines[1]
    assert "-150" in lines[1]
    expect(toast(phone)).to_contain_text(f"{len(kinds)} entries saved")


# Payout accounts.


def test_a_card_asks_for_each_field_and_is_shown_masked_and_waiting(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto("bankCardManage?type=0")
    phone.get_by_role("button", name="Add bank card").click()
    confirm = phone.get_by_role("button", name="Confirm")
    confirm.click()
    form = phone.locator("form")
    for words in ("the card holder", "the card number", "the bank name"):
        expect(form.get_by_text(f"Please enter {words}", exact=True)).to_be_visible()
    holder, number = phone.get_by_label("Card holder"), phone.get_by_label("Card number")
    expect(holder).to_be_focused()
    expect(number).to_have_attribute("inputmode", "numeric")
    expect(form).to_contain_text("The card must belong to you")
    holder.fill(HOLDER)
    phone.get_by_label("Bank name").fill("Bank One")
    number.fill("12 ab 34")
    expect(number).to_have_value("1234")
    confirm.click()
    expect(toast(phone)).to_have_text("The payout account is not valid")
    expect(number).to_be_focused()
    number.fill(card := _card_number())
    confirm.click()
    expect(toast(phone)).to_have_text("Added successfully")
    saved = phone.get_by_role("region", name="Bank card")
    expect(saved).to_contain_text("Gra****")
    expect(saved).to_contain_text(card[-4:])
    assert card[:8] not in saved.inner_text()
    expect(phone.get_by_text(re.compile(r"^New: withdrawals to it open on \d{4}-"))).to_be_visible()
    phone.get_by_role("button", name="Replace bank card").click()
    expect(phone).to_have_url(re.compile(r"/addBankCard$"))


def test_a_wallet_has_an_address_of_one_of_three_types(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("bankCardManage?type=1")
    phone.get_by_role("button", name="Add virtual wallet").click()
    confirm = phone.get_by_role("button", name="Confirm")
    confirm.click()
    form = phone.locator("form")
    expect(form.get_by_text("Please enter the wallet address", exact=True)).to_be_visible()
    expect(form.get_by_text("Please choose the wallet type", exact=True)).to_be_visible()
    assert form.get_by_role("radio").count() == 3
    phone.get_by_label("Wallet address").fill(f"{WALLET[:-1]}F")
    phone.get_by_role("radio", name="TRC20").check()
    confirm.click()
    expect(toast(phone)).to_have_text("The payout account is not valid")
    phone.get_by_label("Wallet address").fill(WALLET)
    confirm.click()
    expect(toast(phone)).to_have_text("Added successfully")
    saved = phone.get_by_role("region", name="Virtual wallet")
    expect(saved).to_contain_text("USDT · TRC20")
    expect(saved).to_contain_text(WALLET[-4:])
    phone.goto("withdraw")
    expect(phone.get_by_role("radio", name="Virtual wallet")).to_be_checked()


# What holds a withdrawal back.


def test_what_holds_a_withdrawal_back_is_said_before_it_is_asked_for(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    _ready(member)
    member.call("user/reserveQuota")
    phone.goto("withdraw")
    held = phone.get_by_role("region", name="What holds a withdrawal back")
    expect(held).to_contain_text(re.compile(r"Withdrawals to it open on \d{4}-"))
    expect(held).to_contain_text("1,000.00u of turnover are still due")
    expect(held).to_contain_text("Senior financing is reserved for you until")
    expect(phone.get_by_text("Free to withdraw")).to_be_visible()
    held.get_by_role("button", name="Release the reservation").click()
    expect(toast(phone)).to_have_text("Set successfully")
    expect(held.get_by_text("Senior financing")).to_have_count(0)
    _ask(phone, "100")
    _tap(_keypad(phone), CODE)
    expect(toast(phone)).to_contain_text("after its waiting time")


def test_a_locked_code_is_said_on_the_page_and_takes_no_more_digits(
    members_phone: Page, member: Player
) -> None:
    _ready(member)
    phone = members_phone
    phone.goto("withdraw")
    _ask(phone, "100")
    keypad = _keypad(phone)
    for _ in range(10):
        token = {"token": member.token}
        member.house.call("user/setSafety", token, new_code="591837", after_code=WRONG)
    _tap(keypad, WRONG)
    expect(keypad.get_by_role("alert")).to_contain_text("Customer service unlocks it")
    expect(keypad.get_by_role("button", name="1", exact=True)).to_be_disabled()
    phone.keyboard.press("Escape")
    expect(keypad).to_have_count(0)
    held = phone.get_by_role("region", name="What holds a withdrawal back")
    held.get_by_role("button", name="Customer service").click()
    expect(phone.get_by_role("dialog", name="Customer service")).to_be_visible()


# Deposits.


def test_the_deposit_page_says_where_to_and_copies_it_with_a_tap(
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
    phone.get_by_role("link", name=re.compile("^Tell us who you are")).click()
    expect(phone).to_have_url(re.compile(r"/baseinfo$"))


def test_a_notice_without_sense_is_not_sent(members_phone: Page, member: Player) -> None:
    phone = members_phone
    member.call("user/setLimit", subject="deposit", span="day", amount=1_200)
    phone.goto("recharge")
    expect(phone.get_by_text("Your own limits leave 200.00u for now.")).to_be_visible()
    notice = _notice(phone)
    notice.get_by_role("button", name="I have paid").click()
    expect(notice).to_contain_text("Please enter the amount")
    expect(notice).to_contain_text("Please enter what your transfer says")
    expect(notice.get_by_label("Amount")).to_be_focused()
    notice.get_by_label("Reference").fill("invoice 8")
    for typed, words in (
        ("-5", "Please enter an amount such as"),
        ("0", "Please enter an amount such as"),
        ("lots", "Please enter an amount such as"),
        ("200.01", "Your own limits leave 200.00u for now"),
    ):
        notice.get_by_label("Amount").fill(typed)
        notice.get_by_role("button", name="I have paid").click()
        expect(notice).to_contain_text(words)
    assert member.call("user/recharge")["pending"] == 0


def test_a_limit_set_elsewhere_meanwhile_is_told_in_the_houses_words(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto("recharge")
    notice = _notice(phone)
    notice.get_by_label("Amount").fill("300")
    notice.get_by_label("Reference").fill("invoice 9")
    member.call("user/setLimit", subject="deposit", span="day", amount=1_100)
    notice.get_by_role("button", name="I have paid").click()
    expect(toast(phone)).to_have_text("This deposit would pass your own deposit limit")
    expect(notice).to_contain_text("Your own limits leave 100.00u for now")


def test_an_online_deposit_leads_to_the_payment_page(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("recharge")
    phone.get_by_role("tab", name="Online").click()
    notice = _notice(phone)
    expect(notice.get_by_label("Reference")).to_have_count(0)
    notice.get_by_label("Amount").fill("250,50")
    with phone.expect_response("**/user/deposit") as answered:
        notice.get_by_role("button", name="Pay online").click()
    order = phone.get_by_role("dialog", name="Pay this order")
    expect(order).to_contain_text("250.50")
    link = order.get_by_role("link", name="Go to 127.0.0.1:8100")
    number = _data(answered.value)["id"]
    expect(link).to_have_attribute("href", re.compile(f"/pay\\?order={number}&amount=250\\.50$"))
    order.get_by_role("button", name="Close").click()
    expect(_latest(phone).first).to_contain_text("Online deposit")


def test_whoever_takes_a_break_sees_until_when_and_no_form(
    members_phone: Page, member: Player
) -> None:
    member.call("user/timeOut", hours=24)
    members_phone.goto("recharge")
    expect(members_phone.get_by_text(re.compile("You are taking a break until"))).to_be_visible()
    expect(_notice(members_phone)).to_have_count(0)


def test_a_visitor_is_told_to_register_wherever_money_moves(phone: Page, house: House) -> None:
    name = f"visitor{secrets.randbelow(10**10):010d}"
    body = {"username": name, "password": PASSWORD, "group_id": 2, "inviter_id": ""}
    made = house.call("user/register", {"Idempotency-Key": secrets.token_hex(8)}, **body)
    user = made["data"]["userinfo"]
    sign_in(phone, Player(house, name, str(user["user_id"]), user["token"]))
    for path in ("withdraw", "recharge", "bankCardManage", "addBankCard", "addVirtualWallet"):
        phone.goto(path)
        expect(phone.get_by_text(re.compile("^A visitor looks round"))).to_be_visible()
        expect(phone.locator("form")).to_have_count(0)
    phone.get_by_role("button", name="Register").click()
    expect(phone).to_have_url(re.compile(r"/register$"))


# The statement.


def test_days_outside_the_range_are_moved_into_it(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("capitalDetail")
    phone.get_by_role("button", name="Filter").click()
    drawer = phone.get_by_role("dialog", name="Filter")
    begin = drawer.get_by_label("Start date")
    expect(begin).to_have_attribute("min", "2018-01-01")
    today = begin.get_attribute("max")
    begin.fill("1999-12-31")
    drawer.get_by_label("End date").fill("2099-01-01")
    with phone.expect_request("**/user/quantityLogList") as asked:
        drawer.get_by_role("button", name="Confirm").click()
    sent = json.loads(asked.value.post_data or "")
    assert (sent["begin_date"], sent["end_date"]) == ("2018-01-01", today)
    expect(phone.get_by_text("--END--")).to_be_visible()
    phone.get_by_role("button", name="Filter").click()
    drawer.get_by_role("button", name="Gift", exact=True).click()
    drawer.get_by_role("button", name="Reset").click()
    all_types = drawer.get_by_role("button", name="All", exact=True)
    expect(all_types).to_have_attribute("aria-pressed", "true")


def test_the_back_button_leads_back(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("personal")
    phone.get_by_role("link", name="Fund details").click()
    expect(phone.get_by_role("heading", name="Fund details")).to_be_visible()
    phone.get_by_role("button", name="Back").click()
    expect(phone).to_have_url(re.compile(r"/personal$"))
