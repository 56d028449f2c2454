"""A phone without a network says so, keeps what it shows, and goes on by itself."""

import re

from playwright.sync_api import Page, expect

from tests.browser.house import Player


def test_what_is_shown_stays_with_its_age_until_the_network_is_back(
    members_phone: Page, member: Player
) -> None:
    phone, offline = members_phone, members_phone.get_by_test_id("offline")
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
