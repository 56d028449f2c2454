"""Payout accounts, and what blocks a withdrawal to them."""

import re

from playwright.sync_api import Page, expect

from tests.browser.house import Player
from tests.browser.money import (
    CODE,
    HOLDER,
    WRONG,
    ask_for,
    card_number,
    keypad,
    made_ready,
    tap,
)
from tests.browser.phone import toast

WALLET = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"


def test_a_card_requires_each_field_and_is_shown_masked_and_waiting(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("setting?type=2")
    phone.get_by_role("link", name="Bind bank card Not set").click()
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
    number.fill(card := card_number())
    confirm.click()
    expect(toast(phone)).to_have_text("Added successfully")
    saved = phone.get_by_role("region", name="Bank card")
    expect(saved).to_contain_text("Gra****")
    expect(saved).to_contain_text(card[-4:])
    assert card[:8] not in saved.inner_text()
    opens = re.compile(r"^New: you can withdraw to it from \w{3}\s\d")
    expect(phone.get_by_text(opens)).to_be_visible()
    phone.goto("setting?type=2")
    phone.get_by_role("link", name=f"Bank card ****{card[-4:]}", exact=True).click()
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


def test_withdrawal_blockers_are_shown_before_the_request(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    made_ready(member)
    member.call("user/reserveQuota")
    phone.goto("withdraw")
    held = phone.get_by_role("region", name="Why you cannot withdraw more")
    expect(held).to_contain_text(re.compile(r"Withdrawals open on \w{3}\s\d"))
    expect(held).to_contain_text("1,000.00u of turnover is still due")
    expect(held).to_contain_text("Senior financing is reserved for you until")
    expect(phone.get_by_text("Free to withdraw")).to_be_visible()
    held.get_by_role("button", name="Release the quota").click()
    expect(toast(phone)).to_have_text("Set successfully")
    expect(held.get_by_text("Senior financing")).to_have_count(0)
    ask_for(phone, "100")
    tap(keypad(phone), CODE)
    expect(toast(phone)).to_contain_text("after its waiting time")


def test_a_locked_code_is_shown_on_the_page_and_takes_no_more_digits(
    members_phone: Page, member: Player
) -> None:
    made_ready(member)
    phone = members_phone
    phone.goto("withdraw")
    ask_for(phone, "100")
    keys = keypad(phone)
    for _ in range(10):
        token = {"token": member.token}
        member.house.call("user/setSafety", token, new_code="591837", after_code=WRONG)
    tap(keys, WRONG)
    expect(keys.get_by_role("alert")).to_contain_text("Customer service resets it")
    expect(keys.get_by_role("button", name="1", exact=True)).to_be_disabled()
    phone.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    held = phone.get_by_role("region", name="Why you cannot withdraw more")
    held.get_by_role("button", name="Customer service").click()
    expect(phone.get_by_role("dialog", name="Customer service")).to_be_visible()
