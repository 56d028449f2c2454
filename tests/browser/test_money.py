"""Money from deposit to withdrawal: deposit, bets, withdrawal, ledger and CSV file."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import ROUND_MS, ZONE, Player, RunningServer
from tests.browser.money import (
    CODE,
    HOLDER,
    WRONG,
    ask_for,
    card_number,
    data_of,
    idcard,
    keypad,
    latest_deposits,
    notice,
    tap,
)
from tests.browser.phone import MINUS, await_open_round, enter_room, stop_clock, toast
from tests.journeys.program import until

PLAN = 1
TIMEOUT_MS, PAUSE_MS = 7_000, 2_000
A_DAY_S = 86_400
MANAGE = re.compile(r"/bankCardManage\?type=0$")


@pytest.fixture
def no_waiting(house: RunningServer) -> Iterator[None]:
    """New payout accounts and codes can be used at once. The demo sets its own terms before."""
    until(lambda: house.office("settings")["terms_by"])
    for staff in ("ann", "ben"):
        house.office("terms", staff, cooling_s=0)
    yield
    for staff in ("ann", "ben"):
        house.office("terms", staff, cooling_s=A_DAY_S)


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
    phones: Phones, house: RunningServer, member: Player
) -> None:
    phone = phones(member=member)
    phone.clock.install()
    _pay_in(phone, house)
    _play(phone, house, member)
    _complete_requirements(phone, member)
    before = member.money()
    _see_what_is_refused(phone)
    number = _withdraw(phone, member)
    assert member.money() == before - 150
    _staff_pay(phone, house, number)
    _read_the_ledger(phone, before)


def _pay_in(phone: Page, house: RunningServer) -> None:
    phone.goto("recharge")
    form = notice(phone)
    form.get_by_label("Amount").fill("500")
    expect(form).to_contain_text("1,000.00u now, 1,500.00u with this deposit")
    form.get_by_label("Reference").fill("invoice 7")
    with phone.expect_response("**/user/deposit") as answered:
        form.get_by_role("button", name="I have paid").click()
    expect(toast(phone)).to_have_text("Submitted successfully")
    expect(latest_deposits(phone).first).to_contain_text("Waiting for approval")
    expect(form.get_by_label("Amount")).to_have_value("")
    house.office("depositDecision", id=data_of(answered.value)["id"], approve=True)
    phone.reload()
    expect(latest_deposits(phone).first).to_contain_text("Credited")
    expect(phone.get_by_text("1,500.00").first).to_be_visible()


def _play(phone: Page, house: RunningServer, member: Player) -> None:
    """Bet everything once to meet the turnover; a correction of 300u is added to the result."""
    phone.goto("withdraw")
    expect(phone).to_have_url(MANAGE)
    enter_room(phone, PLAN)
    await_open_round(phone)
    member.bet(PLAN, "big", 1_500)
    expect(phone.get_by_test_id("answer")).to_have_count(1, timeout=2 * ROUND_MS)
    why = "a goodwill"
    given = house.office("adjustment", player=member.name, amount=300, reason=why)
    house.office("adjustmentDecision", staff="ben", id=given["id"], approve=True)


def _complete_requirements(phone: Page, member: Player) -> None:
    """Add a card on its page. Base info and the code have pages that are tested elsewhere."""
    phone.goto("withdraw")
    expect(phone).to_have_url(MANAGE)
    phone.get_by_role("button", name="Add bank card").click()
    phone.get_by_label("Card holder").fill(HOLDER)
    phone.get_by_label("Card number").fill(card_number())
    phone.get_by_label("Bank name").fill("Bank One")
    phone.get_by_role("button", name="Confirm").click()
    expect(toast(phone)).to_have_text("Added successfully")
    expect(phone).to_have_url(MANAGE)
    _is_sent_to(phone, "/baseinfo")
    member.call("user/profile", idcard=idcard())
    _is_sent_to(phone, "/setSecurityCode?isTrue=false")
    member.call("user/setSafety", new_code=CODE, after_code="")


def _is_sent_to(phone: Page, path: str) -> None:
    phone.goto("withdraw")
    ask_for(phone, "")
    expect(phone).to_have_url(re.compile(f"{re.escape(path)}$"))


def _see_what_is_refused(phone: Page) -> None:
    phone.goto("personal")
    phone.get_by_role("button", name="Withdraw").click()
    form = phone.locator("form")
    for typed, words in (
        ("", "Please enter the withdrawal amount"),
        ("1,5,0", "Please enter an amount such as 150 or 150.50"),
        ("99.99", "The minimum withdrawal is 100"),
    ):
        ask_for(phone, typed)
        expect(form).to_contain_text(words)
        expect(phone.get_by_label("Amount")).to_be_focused()
        expect(keypad(phone)).to_have_count(0)
    ask_for(phone, "999999")
    phone.keyboard.type(CODE)
    expect(toast(phone)).to_have_text("Insufficient balance, transfer out failed")
    expect(keypad(phone)).to_have_count(0)


def _withdraw(phone: Page, member: Player) -> str:
    """Withdraw with a wrong code, then with the right one, whose answer is lost."""
    network = Network()
    expect(phone.get_by_text("You cannot cancel a withdrawal once")).to_be_visible()
    ask_for(phone, "150")
    keys = keypad(phone)
    expect(keys).to_contain_text("Confirm 150.00u to Bank One, Gra****")
    tap(keys, WRONG)
    expect(keys.get_by_role("alert")).to_have_text("Wrong code. Ten wrong tries in all lock it.")
    tap(keys, CODE[:3])
    keys.get_by_role("button", name="Delete last digit").click()
    expect(keys.get_by_text("2 of 6 digits typed")).to_be_attached()
    stop_clock(phone)
    phone.route("**/user/withdrawAction", network.carry)
    with phone.expect_request("**/user/withdrawAction"):
        tap(keys, CODE[2:])
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
    number: str = data_of(answered.value)["id"]
    return number


def _staff_pay(phone: Page, house: RunningServer, number: str) -> None:
    phone.get_by_role("button", name="Withdraw").click()
    waiting = phone.get_by_role("region", name="On their way")
    expect(waiting).to_contain_text("Waiting for approval")
    house.office("withdrawalDecision", id=number, approve=True)
    phone.reload()
    expect(waiting).to_contain_text("Approved, about to be sent")
    house.office("withdrawalPayment", staff="ben", id=number, reference="paid 7")
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
    day = r"\d{4}-\d\d-\d\d"
    assert re.fullmatch(rf"statement-{day}-to-{day}\.csv", file.suggested_filename)
    lines = Path(file.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("id,time,type,status")
    assert len(lines) == len(kinds) + 1
    assert "withdrawal" in lines[1]
    assert "-150" in lines[1]
    expect(toast(phone)).to_contain_text(f"{len(kinds)} entries saved")


def test_times_are_those_of_the_houses_zone(members_phone: Page, member: Player) -> None:
    (gift,) = member.call("user/quantityLogList", begin_date="", end_date="")
    at = datetime.fromtimestamp(gift["createtime"], ZoneInfo(ZONE))
    members_phone.goto("capitalDetail")
    expect(members_phone.locator("main li")).to_contain_text(f"{at:%Y-%m-%d %H:%M:%S}")


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
    with phone.expect_request("**/user/quantityLogList") as request:
        drawer.get_by_role("button", name="Confirm").click()
    sent = json.loads(request.value.post_data or "")
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


def test_a_deposit_that_has_not_passed_is_no_gain_in_the_ledger(
    members_phone: Page, member: Player
) -> None:
    member.call("user/deposit", amount=250, channel="bank", reference="by hand")
    members_phone.goto("capitalDetail")
    waiting = members_phone.get_by_role("listitem").filter(has_text="Not yet passed")
    expect(waiting).to_contain_text("Balance unchanged")
    passed = members_phone.get_by_role("listitem").filter(has_text="Play money")
    amount, gain = waiting.get_by_text("+250.00"), passed.get_by_text("+1,000.00")
    colour = "node => getComputedStyle(node).color"
    expect(amount).to_be_visible()
    assert amount.evaluate(colour) != gain.evaluate(colour)
