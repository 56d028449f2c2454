"""Chat of a hall: who may write, who receives messages, and how staff moderate it."""

from itertools import takewhile
from typing import Any

import pytest

from api.http import load_limits
from api.realtime.chat_rooms import MESSAGES_SHOWN
from engine.chat.facts import ChatSaid
from tests.api.banking import facts, raced, sign_in
from tests.api.staffing import close, office
from tests.api.support import SECOND_US, ApiServer, Player, new_key
from tests.api.test_stream import listening, until

HOUR_S = 3_600


def say(player: Player, words: Any = "hello", plan: Any = 1, key: str | None = None) -> Any:
    body = {"plan_id": plan, "game_id": 1, "words": words}
    return player.call("Lottery/say", body, key or new_key())


def sent_message(player: Player, words: str = "hello", plan: int = 1) -> str:
    """Send a message and return its id once the read models have it."""
    answer = say(player, words, plan)
    assert answer["code"] == 1, answer
    player.house.catch_up()
    number: str = answer["data"]["id"]
    return number


def join(house: ApiServer, player: Player | None = None, plan: int = 1) -> Any:
    body = {"plan_id": plan, "game_id": 1}
    return house.call("Lottery/joinChat", body, token=player.token if player else None)


def heart(house: ApiServer, plan: int = 1) -> Any:
    return house.call("Lottery/heart", {"plan_id": plan, "game_id": 1})["data"]


def shown_messages(house: ApiServer, plan: int = 1) -> list[str]:
    return [message["words"] for message in heart(house, plan)["chat"]]


def mute(member: Player, *, muted: bool = True, key: str | None = None, **body: Any) -> Any:
    given = {"player": member.id, "muted": muted, "reason": "abuse", **body}
    return office(member.house, "mute", key, **given)


def remove(house: ApiServer, number: str, **body: Any) -> Any:
    return office(house, "chatRemove", **{"id": number, "reason": "abuse", **body})


# Sending and receiving.


def test_a_joining_member_is_welcomed_and_sees_messages_oldest_first(
    house: ApiServer, player: Player
) -> None:
    first, second = sent_message(player, "first"), sent_message(player, "second")
    answer = join(house, house.register())
    assert answer["msg"] == "Joined chat room successfully"
    assert (answer["data"]["muted"], answer["data"]["muted_until"]) == (False, None)
    assert [message["id"] for message in answer["data"]["messages"]][-2:] == [first, second]


def test_a_message_is_masked_and_dated_and_everywhere_the_same(
    house: ApiServer, player: Player
) -> None:
    message = say(player, "  good\nluck\u202e ")["data"]
    house.catch_up()
    assert message["words"] == "good luck"
    assert "***" in message["nickname"]
    assert player.username not in str(message)
    assert str(player.id) not in message["id"].split("-")
    assert message["createtime"] == house.clock.now // SECOND_US
    assert sorted(message) == ["createtime", "id", "nickname", "words"]
    assert heart(house)["chat"][-1] == join(house)["data"]["messages"][-1] == message


def test_all_members_in_the_hall_receive_it_and_none_elsewhere(
    house: ApiServer, player: Player
) -> None:
    elsewhere = heart(house, 2)["chat"]
    with listening(house) as here, listening(house, plan=2) as there:
        until(here, "heart")
        until(there, "heart")
        number = sent_message(player)
        assert until(here, "chat")["id"] == number
        assert heart(house, 1)["chat"][-1]["id"] == number
        assert heart(house, 2)["chat"] == elsewhere
        other = sent_message(player, plan=2)
        assert until(there, "chat")["id"] == other


def test_the_heartbeat_shows_the_newest_messages_only(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_limits, "MAX_CHAT_MESSAGES", MESSAGES_SHOWN + 1)
    for number in range(MESSAGES_SHOWN + 1):
        say(player, f"number {number}", 3)
    house.catch_up()
    assert shown_messages(house, 3) == [
        f"number {number}" for number in range(1, MESSAGES_SHOWN + 1)
    ]


def test_messages_outlast_the_round(house: ApiServer, player: Player) -> None:
    number = sent_message(player)
    house.draw_round()
    assert number in [message["id"] for message in heart(house)["chat"]]


def test_speaking_moves_no_money_and_leaves_no_line_in_the_statement(player: Player) -> None:
    before = player.call("user/quantityLogList", {})["data"]
    sent_message(player)
    assert (player.balance(), player.call("user/quantityLogList", {})["data"]) == (1000, before)


def test_a_returning_client_receives_messages_sent_and_removed_meanwhile(
    house: ApiServer, player: Player
) -> None:
    gone = sent_message(player, "gone")
    before = house.services.hub.position
    stays, bet, later = sent_message(player), player.bet()["data"]["id"], sent_message(player)
    assert remove(house, gone)["code"] == 1
    house.catch_up()
    with listening(house, last=before) as stream:
        until(stream, "resumed")
        missed = list(takewhile(lambda it: it[0] != "heart", stream))
    assert [name for name, _ in missed] == ["chat", "bet", "chat", "chat_removed"]
    assert [data.get("id") for _, data in missed[:3]] == [stays, bet, later]
    assert missed[3][1] == {"ids": [gone]}


# Idempotency.


def test_a_message_sent_again_with_its_key_is_the_same(house: ApiServer, player: Player) -> None:
    key = new_key()
    first = say(player, "once", key=key)["data"]
    house.clock.now += 5 * SECOND_US
    assert say(player, "once", key=key)["data"] == first
    assert facts(player, ChatSaid) == 1
    house.catch_up()
    assert shown_messages(house).count("once") == 1
    assert say(player, "twice", key=key)["reason"] == "key_reused"


def test_concurrent_sends_with_one_key_are_one_message(player: Player) -> None:
    key = new_key()
    assert raced(lambda: say(player, "at once", key=key), 10)["code"] == 1
    assert facts(player, ChatSaid) == 1


def test_a_repetition_is_answered_as_before_even_to_a_member_muted_since(player: Player) -> None:
    key = new_key()
    first = say(player, key=key)
    mute(player)
    assert say(player, key=key)["data"] == first["data"]


# Who may not write.


@pytest.mark.parametrize("words", ["", "   ", "\n\t", "x" * 201, "\u202e"])
def test_a_message_has_words_but_not_too_many(player: Player, words: str) -> None:
    answer = say(player, words)
    assert (answer["reason"], answer["field"]) == ("words_invalid", "words")


def test_two_hundred_characters_are_not_too_many(player: Player) -> None:
    assert say(player, "你" * 200)["data"]["words"] == "你" * 200


@pytest.mark.parametrize(("plan", "game"), [(99, 1), (10, 1), (1, 2), (10**40, 1)])
def test_there_is_no_chat_in_a_hall_that_is_not_there(player: Player, plan: int, game: int) -> None:
    body = {"plan_id": plan, "game_id": game, "words": "hello"}
    for path in ("Lottery/say", "Lottery/joinChat"):
        answer = player.call(path, body)
        assert (answer["reason"], answer["field"]) == ("plan_unknown", "plan_id")


def test_guests_listen_and_must_register_to_speak(house: ApiServer, player: Player) -> None:
    guest = house.register(username="visitor1", password="ABCDEF", group_id=2)
    sent_message(player, "for guests")
    assert join(house, guest)["data"]["messages"][-1]["words"] == "for guests"
    assert say(guest)["reason"] == "must_register"
    assert house.call("Lottery/say", {"plan_id": 1, "game_id": 1, "words": "x"})["code"] == 50008


def test_a_member_on_a_break_or_closed_does_not_speak(house: ApiServer, player: Player) -> None:
    other = house.register()
    player.call("user/timeOut", {"hours": 1}, new_key())
    close(other)
    assert (say(player)["reason"], say(other)["reason"]) == ("excluded", "account_closed")


def test_a_refused_message_is_not_stored(house: ApiServer, player: Player) -> None:
    mute(player)
    say(player, "unheard-of words")
    with house.services.pool.connection() as connection:
        query = "SELECT FROM vault.words WHERE words = 'unheard-of words'"
        assert connection.execute(query).fetchall() == []


def test_a_member_who_speaks_too_fast_has_to_wait(house: ApiServer, player: Player) -> None:
    keys = [new_key() for _ in range(load_limits.MAX_CHAT_MESSAGES + 1)]
    assert {say(player, key=key)["code"] for key in keys[:-1]} == {1}
    assert say(player, key=keys[-1])["reason"] == "rate_limited"
    assert say(player, key=keys[0])["code"] == 1
    assert say(house.register())["code"] == 1
    house.clock.now += load_limits.CHAT_WINDOW_US
    assert say(player, key=keys[-1])["code"] == 1


# Muting.


def test_a_muted_member_is_notified_and_buys_as_before(house: ApiServer, player: Player) -> None:
    answer = mute(player)
    assert answer["data"] == {"player": player.id, "muted": True, "muted_until": None}
    refused = say(player)
    assert refused["reason"] == "muted"
    assert refused["msg"] == "The system has muted you, please choose to buy"
    shown = join(house, player)["data"]
    assert (shown["muted"], shown["muted_until"]) == (True, None)
    assert join(house)["data"]["muted"] is False
    assert player.bet()["code"] == 1


def test_a_mute_of_some_hours_ends_by_itself(house: ApiServer) -> None:
    player, key = house.register(), new_key()
    answer = mute(player, hours=2, key=key)
    ends = house.clock.now // SECOND_US + 2 * HOUR_S
    assert answer["data"]["muted_until"] == ends
    assert join(house, player)["data"]["muted_until"] == ends
    house.clock.now += SECOND_US
    assert mute(player, hours=2, key=key)["data"] == answer["data"]
    house.move_to(ends * SECOND_US - 1)
    assert say(player)["reason"] == "muted"
    house.move_to(ends * SECOND_US)
    player = sign_in(player)
    assert join(house, player)["data"]["muted"] is False
    assert say(player)["code"] == 1


def test_staff_let_a_muted_member_speak_again(player: Player) -> None:
    mute(player)
    answer = mute(player, muted=False)
    assert answer["data"] == {"player": player.id, "muted": False, "muted_until": None}
    assert say(player)["code"] == 1


@pytest.mark.parametrize(
    ("body", "reason", "field"),
    [
        ({"hours": 0}, "period_invalid", "hours"),
        ({"hours": -1}, "period_invalid", "hours"),
        ({"hours": 8_785}, "period_invalid", "hours"),
        ({"hours": 10**30}, "period_invalid", "hours"),
        ({"player": "unknown"}, "player_unknown", "player"),
        ({"reason": " "}, "request_malformed", "reason"),
        ({"staff": "Ann"}, "staff_unknown", "staff"),
    ],
)
def test_a_mute_that_makes_no_sense_is_refused(
    player: Player, body: dict[str, Any], reason: str, field: str
) -> None:
    answer = mute(player, **body)
    assert (answer["code"], answer["reason"], answer["field"]) == (0, reason, field)
    assert say(player)["code"] == 1


# Removing.


def test_a_removed_message_is_no_longer_shown(house: ApiServer, player: Player) -> None:
    number, other = sent_message(player, "ugly"), sent_message(player, "nice")
    with listening(house) as stream:
        until(stream, "heart")
        assert remove(house, number)["data"] == {"id": number, "player": player.id}
        assert until(stream, "chat_removed") == {"ids": [number]}
    assert shown_messages(house)[-1] == "nice"
    assert "ugly" not in shown_messages(house)
    assert heart(house)["chat_removed"][-1] == number
    assert number not in [message["id"] for message in join(house)["data"]["messages"]]
    assert remove(house, number)["reason"] == "chat_message_unknown"
    assert remove(house, other)["code"] == 1


@pytest.mark.parametrize("number", ["chat-1", "", "x" * 200, "\n"])
def test_an_unknown_message_is_not_removed(house: ApiServer, number: str) -> None:
    answer = remove(house, number)
    assert (answer["reason"], answer["field"]) == ("chat_message_unknown", "id")


def test_staff_see_who_wrote_what_and_why_it_was_removed(house: ApiServer, player: Player) -> None:
    remaining, gone = sent_message(player, "fine", 9), sent_message(player, "foul", 9)
    assert remove(house, gone, reason="names another member")["code"] == 1
    first, second = office(house, "chat", plan_id=9)["data"]
    assert (first["id"], first["player"], first["username"]) == (gone, player.id, player.username)
    assert (first["words"], first["removed_by"]) == ("foul", "staff:ann")
    assert first["reason"] == "names another member"
    assert (second["id"], second["removed_by"], second["reason"]) == (remaining, "", "")
    assert office(house, "chat")["data"][0] == first


def test_staff_read_on_page_by_page(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_limits, "MAX_CHAT_MESSAGES", 101)
    for number in range(101):
        say(player, f"number {number}", 8)
    house.catch_up()
    answer = office(house, "chat", plan_id=8)
    assert (len(answer["data"]), answer["more"]) == (100, True)
    rest = office(house, "chat", plan_id=8, cursor=answer["cursor"])
    assert ([item["words"] for item in rest["data"]], rest["more"]) == (["number 0"], False)
    assert office(house, "chat", cursor="x")["field"] == "cursor"
    assert office(house, "chat", plan_id=99)["reason"] == "plan_unknown"


def test_members_may_do_nothing_of_this(player: Player) -> None:
    for path in ("mute", "chatRemove", "chat"):
        body = {"staff": "ann", "player": player.id, "muted": True, "reason": "x", "id": "x"}
        assert player.call(f"office/{path}", body, new_key())["reason"] == "staff_unknown"


# Erasing.


def test_messages_of_an_erased_player_are_not_shown(house: ApiServer) -> None:
    player = house.register()
    number, other = (
        sent_message(player, "my secret", 7),
        sent_message(house.register(), "still here", 7),
    )
    with listening(house, plan=7) as stream:
        until(stream, "heart")
        assert house.services.vault.erase(player.id)
        house.on_loop(lambda: evict_texts(house, player))
        assert until(stream, "chat_removed") == {"ids": [number]}
    assert shown_messages(house, 7) == ["still here"]
    seen = office(house, "chat", plan_id=7)["data"]
    assert [(item["id"], item["words"]) for item in seen] == [(other, "still here"), (number, "")]


async def evict_texts(house: ApiServer, player: Player) -> None:
    house.services.hub.remove_messages_of(player.id)
