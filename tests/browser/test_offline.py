"""A phone without a network says so, keeps what it shows, and goes on by itself."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Phones
from tests.browser.house import Player


def test_what_is_shown_stays_with_its_age_until_the_network_is_back(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, may_complain=True)
    offline = phone.get_by_test_id("offline")
    phone.goto("personal")
    expect(phone.get_by_text("1,000.00").first).to_be_visible()
    expect(offline).to_have_count(0)
    phone.context.set_offline(True)
    expect(offline).to_contain_text("You are offline")
    expect(offline).to_contain_text(re.compile(r"Shown as of \d\d:\d\d:\d\d"))
    expect(phone.get_by_text("1,000.00").first).to_be_visible()
    bet = member.bet(1, "big", 40)
    assert bet["quantity"] == 40
    with phone.expect_response("**/user/userInfo"):
        phone.context.set_offline(False)
    expect(offline).to_have_count(0)
    expect(phone.get_by_text("960.00").first).to_be_visible()


def test_a_room_without_a_network_does_not_call_itself_live(phones: Phones, member: Player) -> None:
    phone = phones(member=member, may_complain=True)
    link = phone.locator("[data-link]")
    phone.goto("betRoom?id=10&game_id=2")
    expect(link).to_have_text("Live")
    phone.context.set_offline(True)
    expect(link).to_have_text("Connecting…")
    phone.context.set_offline(False)
    expect(link).to_have_text("Live")
