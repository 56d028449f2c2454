"""Chat of a hall: who may write, who receives messages, and read markers."""

import re
import secrets

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, Player, RunningServer, game_of
from tests.browser.phone import await_open_round, enter_room, toast


@pytest.fixture(scope="module")
def halls() -> list[int]:
    """Free halls without bots, one for each test, in which no message was sent."""
    return [4, 7, 13, 16, 22, 25, 31, 34]


@pytest.fixture
def hall(halls: list[int]) -> int:
    return halls.pop()


def _send_message(player: Player, hall: int, words: str) -> str:
    """Send a message and return its id."""
    body = {"plan_id": hall, "game_id": game_of(hall), "words": words}
    headers = {"token": player.token, "Idempotency-Key": secrets.token_hex(8)}
    envelope = player.house.call("Lottery/say", headers, **body)
    assert envelope["code"] == 1, envelope
    return str(envelope["data"]["id"])


def _chat(page: Page, hall: int) -> Page:
    """Enter the hall and join its chat."""
    enter_room(page, hall)
    page.get_by_role("tab", name=re.compile("^Chat")).click()
    return page


def _lines(page: Page) -> Locator:
    return page.get_by_test_id("chat-line")


def _write(page: Page, words: str) -> None:
    page.get_by_label("Your message").fill(words)
    page.keyboard.press("Enter")


def test_players_of_a_hall_receive_messages_and_see_their_own_marked(
    phones: Phones, house: RunningServer, member: Player, hall: int
) -> None:
    neighbour = house.member()
    _send_message(neighbour, hall, "hello from before")
    phone = _chat(phones(member=member), hall)
    expect(toast(phone)).to_have_text("Joined chat room successfully")
    lines = _lines(phone)
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("hello from before")
    expect(lines).not_to_contain_text(neighbour.name)
    expect(lines).to_have_attribute("data-mine", "false")
    _write(phone, "  hello <b>you</b>  ")
    expect(lines.nth(1)).to_contain_text("hello <b>you</b>")
    expect(lines.nth(1)).to_have_attribute("data-mine", "true")
    expect(phone.get_by_label("Your message")).to_have_value("")
    _send_message(neighbour, hall, "and to you")
    expect(lines.nth(2)).to_contain_text("and to you")
    phone.reload()
    phone.get_by_role("tab", name=re.compile("^Chat")).click()
    expect(lines.nth(1)).to_have_attribute("data-mine", "true")
    expect(lines.nth(2)).to_have_attribute("data-mine", "false")


def test_a_message_has_a_length_and_a_pace(phones: Phones, member: Player, hall: int) -> None:
    phone = _chat(phones(member=member), hall)
    send = phone.get_by_role("button", name="Send")
    expect(send).to_be_disabled()
    _write(phone, "长" * 201)
    expect(phone.get_by_text("A message can have 200 characters at most.")).to_be_visible()
    expect(phone.get_by_text("201 of 200")).to_be_visible()
    expect(send).to_be_disabled()
    expect(_lines(phone)).to_have_count(0)
    field = phone.get_by_label("Your message")
    for number, words in enumerate(("长" * 200, *(f"message {each}" for each in range(4))), 1):
        _write(phone, words)
        expect(_lines(phone)).to_have_count(number)
        # The stream may bring the message before its answer empties the field.
        expect(field).to_have_value("")
    expect(phone.get_by_text(re.compile(r"You can write again in \d+ seconds?\."))).to_be_visible()
    _write(phone, "one too many")
    expect(send).to_be_disabled()
    expect(phone.get_by_label("Your message")).to_have_value("one too many")
    expect(_lines(phone)).to_have_count(5)


def test_removed_messages_vanish_and_muted_members_may_still_buy(
    phones: Phones, house: RunningServer, member: Player, hall: int
) -> None:
    neighbour = house.member()
    phone = _chat(phones(member=member), hall)
    bad = _send_message(neighbour, hall, "buy my system")
    expect(_lines(phone)).to_have_count(1)
    house.office("chatRemove", id=bad, reason="spam")
    expect(_lines(phone)).to_have_count(0)
    house.office("mute", player=member.name, muted=True, hours=2, reason="spam")
    _write(phone, "am I heard?")
    expect(toast(phone)).to_have_text("The system has muted you, please choose to buy")
    panel = phone.get_by_role("tabpanel", name="Chat")
    expect(panel.get_by_text("The system has muted you.")).to_be_visible()
    expect(panel.get_by_text(re.compile("^Until "))).to_be_visible()
    expect(phone.get_by_label("Your message")).to_have_count(0)
    await_open_round(phone)
    panel.get_by_role("button", name="Buy").click()
    expect(phone.get_by_role("dialog")).to_be_visible()
    phone.keyboard.press("Escape")
    house.office("mute", player=member.name, muted=False, reason="sorry")
    phone.reload()
    phone.get_by_role("tab", name=re.compile("^Chat")).click()
    expect(phone.get_by_label("Your message")).to_be_enabled()


def test_new_messages_are_counted_and_do_not_scroll_the_list(
    phones: Phones, house: RunningServer, member: Player, hall: int
) -> None:
    speakers = [house.member() for _ in range(3)]
    for number in range(12):
        _send_message(speakers[number % 3], hall, f"line {number}")
    phone = phones(member=member)
    enter_room(phone, hall)
    tab = phone.get_by_role("tab", name=re.compile("^Chat"))
    expect(tab).to_have_text("Chat")
    # The first heartbeat, whose messages do not count as new, also starts the countdown.
    expect(phone.get_by_role("timer", name=re.compile(r"\d:\d\d$"))).to_be_visible()
    _send_message(speakers[0], hall, "line 12")
    expect(tab).to_have_text("Chat (1)")
    tab.click()
    expect(tab).to_have_text("Chat")
    expect(_lines(phone).nth(12)).to_be_in_viewport()
    box = phone.get_by_role("log", name="Chat")
    box.evaluate("box => box.scrollTo(0, 0)")
    expect(phone.get_by_role("button", name="Jump to newest")).to_be_visible()
    _send_message(speakers[1], hall, "line 13")
    _send_message(speakers[2], hall, "line 14")
    pill = phone.get_by_role("button", name="2 new messages")
    expect(pill).to_be_visible()
    assert box.evaluate("box => box.scrollTop") == 0
    pill.click()
    expect(_lines(phone).nth(14)).to_be_in_viewport()
    expect(pill).to_have_count(0)


def test_a_visitor_reads_along_and_has_to_register(
    phones: Phones, house: RunningServer, member: Player, hall: int
) -> None:
    _send_message(member, hall, "welcome")
    phone = phones(member=_visitor(house))
    _chat(phone, hall)
    expect(_lines(phone)).to_contain_text("welcome")
    expect(phone.get_by_text("Visitors can only read.")).to_be_visible()
    expect(phone.get_by_label("Your message")).to_have_count(0)
    phone.get_by_role("tabpanel", name="Chat").get_by_role("button", name="Register").click()
    expect(phone).to_have_url(re.compile(r"/vip/register$"))


def _visitor(house: RunningServer) -> Player:
    name = f"visitor{secrets.randbelow(9_000_000_000) + 1_000_000_000}"
    body = {"username": name, "password": PASSWORD, "group_id": 2, "inviter_id": ""}
    made = house.call("user/register", {"Idempotency-Key": secrets.token_hex(8)}, **body)
    user = made["data"]["userinfo"]
    return Player(house, name, str(user["user_id"]), user["token"])
