"""Without a network a phone shows that, keeps its content, and reconnects by itself."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Phones
from tests.browser.house import Player

#: Every requested style sheet has loaded: a failed one does not give access to its rules.
_STYLED = "[...document.styleSheets].every(({cssRules}) => cssRules.length > 0)"


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
    expect(offline).to_contain_text(re.compile(r"Last updated \d\d:\d\d:\d\d"))
    expect(phone.get_by_text("1,000.00").first).to_be_visible()
    about = {"channel": "bank", "reference": "meanwhile"}
    member.house.office("deposit", player=member.name, amount=40, **about)
    with phone.expect_response("**/user/userInfo"):
        phone.context.set_offline(False)
    expect(offline).to_have_count(0)
    expect(phone.get_by_text("1,040.00").first).to_be_visible()


def test_a_room_without_a_network_does_not_call_itself_live(phones: Phones, member: Player) -> None:
    phone = phones(member=member, may_complain=True)
    link = phone.locator("[data-link]")
    phone.goto("betRoom?id=10&game_id=2")
    expect(link).to_have_text("Live")
    phone.context.set_offline(True)
    expect(link).to_have_text("Connecting…")
    phone.context.set_offline(False)
    expect(link).to_have_text("Live")


def test_a_page_that_is_opened_without_a_network_comes_once_it_is_back(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, may_complain=True)
    phone.goto("")
    phone.context.set_offline(True)
    phone.get_by_role("link", name="VIP1").click()
    expect(phone).to_have_url(re.compile("/lottery"))
    expect(phone.get_by_test_id("offline")).to_be_visible()
    with phone.expect_event("requestfailed"):
        expect(phone.get_by_text("Something went wrong")).to_have_count(0)
    phone.context.set_offline(False)
    expect(phone.get_by_role("heading", name="VIP1 halls")).to_be_visible()
    assert phone.evaluate(_STYLED)


def test_the_way_back_to_a_page_that_cannot_come_does_not_end_in_nothing(
    phones: Phones, member: Player
) -> None:
    phone = phones(member=member, may_complain=True)
    back = phone.get_by_role("button", name="Back")
    about = phone.get_by_role("heading", name="About")
    settings = phone.get_by_role("heading", name="Settings")
    phone.goto("setting")
    phone.get_by_role("link", name="About").click()
    expect(about).to_be_visible()
    back.click()
    phone.context.set_offline(True)
    phone.get_by_role("link", name="Change line").click()
    expect(phone).to_have_url(re.compile("/changeline"))
    phone.get_by_role("link", name="About").click()
    expect(about).to_be_visible()
    back.click()
    expect(about).to_have_count(0)
    expect(settings).to_have_count(0)
    expect(phone.get_by_test_id("offline")).to_be_visible()
    back.click()
    expect(settings).to_be_visible()


def test_another_language_waits_for_the_network(phones: Phones, member: Player) -> None:
    """A reload without a network would replace the app by the browser's own error page."""
    phone = phones(member=member, may_complain=True)
    phone.goto("language")
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Русский").click()
    expect(phone.get_by_text("No answer from the server")).to_be_visible()
    expect(phone.get_by_role("heading", name="Language")).to_be_visible()
    phone.context.set_offline(False)
    phone.get_by_role("button", name="Русский").click()
    expect(phone.get_by_role("heading", name="Язык")).to_be_visible()


def test_a_page_that_the_house_no_longer_has_offers_to_reload_the_app(
    phones: Phones, member: Player
) -> None:
    """As after a release. Without a network the offer stays."""
    phone = phones(member=member, may_complain=True)
    phone.goto("")
    expect(phone.get_by_text("1,000.00").first).to_be_visible()
    phone.route("**/vip/assets/*.js", lambda route: route.fulfill(status=404))
    phone.get_by_role("link", name="VIP1").click()
    expect(phone.get_by_text("Something went wrong")).to_be_visible()
    phone.unroute("**/vip/assets/*.js")
    phone.context.set_offline(True)
    with phone.expect_event("requestfailed"):
        phone.get_by_role("button", name="Reload").click()
    expect(phone.get_by_text("Something went wrong")).to_be_visible()
    phone.context.set_offline(False)
    phone.get_by_role("button", name="Reload").click()
    expect(phone.get_by_role("heading", name="VIP1 halls")).to_be_visible()
