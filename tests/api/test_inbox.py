"""A player's messages: announcements, messages from staff, and results of payments."""

from typing import Any

import psycopg
import pytest

from engine.facts import player_stream
from engine.players.facts import MessageSent, MessageWithdrawn
from tests.api.banking import facts, prepare, set_terms
from tests.api.banking import withdraw as cash
from tests.api.staffing import close, decided, deposit, office
from tests.api.support import ApiServer, Player, new_key
from tests.api.writing import save, texts, withdraw


def inbox(player: Player, **body: Any) -> dict[str, Any]:
    player.house.catch_up()
    answer = player.call("user/messages", body)
    assert answer["code"] == 1, answer
    return answer


def unread(player: Player) -> int:
    count: int = inbox(player)["data"]["unread"]
    return count


def ids(player: Player) -> list[str]:
    return [each["id"] for each in inbox(player)["data"]["messages"]]


def about_money(player: Player, lang: str = "en") -> list[tuple[str, str]]:
    """The messages to the player about their money, newest first."""
    messages = inbox(player, lang=lang)["data"]["messages"]
    return [(each["title"], each["content"]) for each in messages if each["kind"] == "account"]


def send(sent_to: Player, key: str | None = None, **body: Any) -> dict[str, Any]:
    answer = office(sent_to.house, "message", key, **body)
    sent_to.house.catch_up()
    return answer


def take_back(house: ApiServer, message: str, **fields: Any) -> dict[str, Any]:
    answer = office(house, "messageWithdraw", id=message, **fields)
    house.catch_up()
    return answer


def send_message(
    player: Player, title: str = "For you", content: str = "words", **more: Any
) -> str:
    """Send a message to this player and return its id."""
    message = texts(title, content, **more)
    found: str = send(player, player=player.username, texts=message)["data"]["id"]
    return found


def test_a_message_is_its_members_alone(house: ApiServer, player: Player) -> None:
    """Another player's message id answers as if it did not exist (ASVS 8.2.2)."""
    other = house.register()
    message = send_message(
        player, "Your card", "Please call us.", zh=("您的银行卡", "请联系我们。")
    )
    first = inbox(player)["data"]["messages"][0]
    assert first == {
        "id": message,
        "kind": "message",
        "title": "Your card",
        "content": "Please call us.",
        "createtime": house.clock() // 1_000_000,
        "read": False,
    }
    assert inbox(player, lang="zh")["data"]["messages"][0]["title"] == "您的银行卡"
    assert message not in ids(other)
    before = unread(player)
    answer = other.call("user/readMessage", {"id": message})
    assert (answer["reason"], answer["field"]) == ("message_unknown", "id")
    assert unread(player) == before


def test_messages_to_all_and_announcements_reach_all_members(
    house: ApiServer, player: Player
) -> None:
    other = house.register()
    notice = save(house, kind="announcement", texts=texts("Pause", "tonight"))["id"]
    to_all: dict[str, Any] = {"kind": "message", "texts": texts("To all", "words")}
    silent = office(house, "contentSave", **to_all)
    assert (silent["reason"], silent["field"]) == ("content_invalid", "everybody")
    message = save(house, **to_all, everybody=True)["id"]
    for each in (player, other):
        assert ids(each)[:2] == [message, notice]
    kinds = [each["kind"] for each in inbox(player)["data"]["messages"][:2]]
    assert kinds == ["message", "announcement"]
    withdraw(house, notice)
    withdraw(house, message)
    assert not {notice, message} & set(ids(player))


def test_what_was_read_stays_read_and_is_counted(player: Player) -> None:
    player.call("user/readMessage", {})
    assert unread(player) == 0
    first, second = send_message(player), send_message(player)
    assert unread(player) == 2
    for _ in range(2):
        assert player.call("user/readMessage", {"id": first})["data"] == {"unread": 1}
    marks = {each["id"]: each["read"] for each in inbox(player)["data"]["messages"]}
    assert (marks[first], marks[second]) == (True, False)
    assert player.call("user/readMessage", {})["data"] == {"unread": 0}
    assert all(each["read"] for each in inbox(player)["data"]["messages"])
    third = send_message(player)
    assert unread(player) == 1
    assert player.call("user/readMessage", {"id": third})["data"] == {"unread": 0}


@pytest.mark.parametrize("message_id", ["", "never-was", "note-1", "x" * 200, "a\x00b"])
def test_a_message_that_there_is_not_is_unknown(player: Player, message_id: str) -> None:
    answer = player.call("user/readMessage", {"id": message_id})
    assert (answer["code"], answer["reason"], answer["field"]) == (0, "message_unknown", "id")


def test_a_long_list_continues_after_its_cursor(player: Player) -> None:
    sent = [send_message(player, f"Number {number}") for number in range(53)]
    newest = inbox(player)
    assert newest["more"] is True
    first = [each["id"] for each in newest["data"]["messages"]]
    assert first == sent[:2:-1]
    rest = inbox(player, cursor=newest["cursor"])
    older = [each["id"] for each in rest["data"]["messages"]]
    assert older[:3] == [sent[2], sent[1], sent[0]]
    assert not set(first) & set(older)
    assert rest["data"]["unread"] == newest["data"]["unread"] >= 53


@pytest.mark.parametrize("cursor", ["x", "1", "1-", "-", "1-x"])
def test_a_foreign_cursor_is_refused(player: Player, cursor: str) -> None:
    answer = player.call("user/messages", {"cursor": cursor})
    assert (answer["reason"], answer["field"]) == ("request_malformed", "cursor")


@pytest.mark.parametrize("call", ["messages", "readMessage"])
def test_messages_are_for_those_who_are_signed_in(house: ApiServer, call: str) -> None:
    assert house.call(f"user/{call}", {})["code"] == 50008


def test_a_message_to_one_member_is_sent_once_and_taken_back(
    house: ApiServer, player: Player
) -> None:
    body = {"player": player.id, "texts": texts("Once", "w")}
    key = new_key()
    message = send(player, key, **body)["data"]["id"]
    assert send(player, key, **body)["data"]["id"] == message
    assert ids(player).count(message) == facts(player, MessageSent) == 1

    body = {"id": message, "kind": "message", "texts": texts(), "everybody": True}
    changed = office(house, "contentSave", **body)
    assert (changed["reason"], changed["field"]) == ("content_unknown", "id")
    editors = office(house, "contentWithdraw", id=message)
    assert (editors["reason"], editors["field"]) == ("content_unknown", "id")
    assert message in ids(player)

    assert take_back(house, message)["data"]["withdrawn"] is True
    assert message not in ids(player)
    assert player.call("user/readMessage", {"id": message})["reason"] == "message_unknown"
    assert facts(player, MessageWithdrawn) == 1
    for gone in (message, "never-was", "checking-a-draw", ""):
        again = take_back(house, gone)
        assert (again["reason"], again["field"]) == ("content_unknown", "id")


def test_a_message_to_an_unknown_member_is_refused(house: ApiServer) -> None:
    answer = office(house, "message", player="unknown", texts=texts())
    assert (answer["reason"], answer["field"]) == ("player_unknown", "player")
    empty = office(house, "message", player="unknown", texts=texts("t", ""))
    assert (empty["reason"], empty["field"]) == ("content_invalid", "texts.en.content")


def test_the_words_of_a_message_are_nowhere_but_in_the_vault(
    house: ApiServer, player: Player
) -> None:
    message = send_message(player, "Private", "Your doctor called.")
    house.catch_up()
    listed = office(house, "content", kind="message")["data"][0]
    assert (listed["id"], listed["player"], listed["texts"]) == (message, player.id, {})
    with psycopg.connect(house.conninfos.app) as connection:
        recorded = connection.execute(
            "SELECT state FROM log.facts WHERE originator_id = %s", (player_stream(player.id),)
        ).fetchall()
        kept = connection.execute("SELECT body FROM content.texts").fetchall()
    stored = b"".join(row[0] for row in (*recorded, *kept))
    assert message.encode() in stored
    assert b"doctor" not in stored


def test_the_words_of_a_message_go_with_the_member_or_before(
    house: ApiServer, player: Player
) -> None:
    first, second = send_message(player), send_message(player)
    take_back(house, first, erase=True)
    assert house.services.vault.texts([first]) == {}
    assert house.services.vault.texts([second]) != {}
    player.call("user/readMessage", {"id": second})
    house.services.vault.erase(player.id)
    assert house.services.vault.texts([second]) == {}
    assert house.services.vault.read_marks(player.id).messages == frozenset()


def test_a_member_is_notified_what_became_of_a_deposit(house: ApiServer, player: Player) -> None:
    decided(house, "deposit", deposit(player, "1250.50"))
    decided(house, "deposit", deposit(player, 20), approve=False, reason="it never came")
    refused, credited = about_money(player)
    assert credited == (
        "Deposit credited",
        "Your deposit of 1,250.50u has been approved and can be used now.",
    )
    assert refused == (
        "Deposit not credited",
        "Your deposit of 20.00u could not be confirmed and was not credited.\nit never came",
    )
    title, content = about_money(player, "zh")[1]
    assert (title, "1,250.50u" in content) == ("充值到账", True)


def test_the_text_of_a_refusal_that_came_too_late_is_not_delivered(
    house: ApiServer, player: Player
) -> None:
    number = deposit(player, 30)
    decided(house, "deposit", number)
    late = office(house, "depositDecision", id=number, approve=False, reason="a forged slip")
    assert late["reason"] == "deposit_unknown"
    assert about_money(player)[0][1].endswith("can be used now.")
    listed = office(house, "queue", every=True)["data"]
    assert [each["reason"] for each in listed if each["id"] == number] == [""]


def test_a_member_is_notified_that_a_deposit_goes_back(house: ApiServer, player: Player) -> None:
    number = deposit(player, 300)
    player.call("user/setLimit", {"subject": "deposit", "span": "day", "amount": 100}, new_key())
    decided(house, "deposit", number)
    assert about_money(player)[0][0] == "Deposit returned"


def test_a_member_is_notified_what_became_of_a_withdrawal(house: ApiServer, player: Player) -> None:
    set_terms(house, cooling_us=0)
    prepare(player)
    set_terms(house)
    close(player)
    first, second = (cash(player, 100)["data"]["id"] for _ in range(2))
    decided(house, "withdrawal", first)
    office(house, "withdrawalPayment", staff="ben", id=first, reference="transfer 7")
    decided(house, "withdrawal", second, approve=False, reason="the card has expired")
    titles = [title for title, _ in about_money(player)]
    assert titles == ["Withdrawal rejected", "Withdrawal sent", "Withdrawal approved"]
    rejected, paid, _ = about_money(player)
    assert rejected[1].endswith("\nthe card has expired")
    assert "100.00u" in paid[1]


def test_a_member_is_notified_of_gifts_and_corrections(house: ApiServer, player: Player) -> None:
    office(house, "gift", player=player.id, amount="8.80", reason="birthday")
    proposed = office(house, "adjustment", player=player.id, amount="-5", reason="twice")
    decided(house, "adjustment", proposed["data"]["id"], staff="ben")
    corrected, given = about_money(player)
    assert given[0] == "A gift for you"
    assert "8.80u" in given[1]
    assert corrected == (
        "Balance corrected",
        "Your balance was corrected by -5.00u. Your fund details show the balance after it.",
    )
    notes = [each for each in inbox(player)["data"]["messages"] if each["kind"] == "account"]
    assert player.call("user/readMessage", {"id": notes[0]["id"]})["code"] == 1
    other = house.register()
    assert about_money(other) == []
    assert other.call("user/readMessage", {"id": notes[0]["id"]})["reason"] == "message_unknown"


def test_play_money_is_no_news(player: Player) -> None:
    assert about_money(player) == []
