"""Another player's items answer as if they did not exist (ASVS 8.2.2)."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from api.cashier import history
from api.http.asgi_app import CALLS
from api.http.call_request import Auth
from tests.api.staffing import office
from tests.api.support import ApiServer, Player, new_key
from tests.api.test_log_tree import seal
from tests.api.writing import texts

#: Request fields that identify an item which may belong to a player.
NAMING = {"id", "orderNo", "order", "number", "reference", "message", "cursor", "bet", "position"}
#: Not an identifier of stored items: the player's own reference on a transfer.
OWN_WORDS = {("/api/user/deposit", "reference")}


def bet_of(stranger: Player) -> dict[str, Any]:
    bet = stranger.bet("big", 10)["data"]["orderNo"]
    return {"issue": stranger.house.issue, "game_id": 1, "orderNo": bet}


def sealed_bet_of(stranger: Player) -> dict[str, Any]:
    bet = stranger.bet("big", 10)["data"]["orderNo"]
    seal(stranger.house)
    return {"bet": bet}


def position_of_bet(stranger: Player) -> dict[str, Any]:
    answer = answer_to(stranger, "/api/fair/entry", sealed_bet_of(stranger))
    return {"position": answer[-1]["position"]}


def session_of(stranger: Player) -> dict[str, Any]:
    return {"id": stranger.call("user/sessions", {})["data"][0]["id"]}


def message_to(stranger: Player) -> dict[str, Any]:
    """Send a message from staff to this player only."""
    sent = office(stranger.house, "message", player=stranger.id, texts=texts())["data"]["id"]
    stranger.house.catch_up()
    return {"id": sent}


# By path and field: the stranger's body, and a value of the field that identifies nothing.
NAMED: dict[tuple[str, str], tuple[Callable[[Player], dict[str, Any]], Any]] = {
    ("/api/Lottery/recall", "orderNo"): (bet_of, "bet-0"),
    ("/api/fair/entry", "bet"): (sealed_bet_of, "bet-0"),
    ("/api/fair/entry", "position"): (position_of_bet, 4_000_000_000),
    ("/api/user/endSession", "id"): (session_of, "00000000-0000-4000-8000-000000000000"),
    ("/api/user/readMessage", "id"): (message_to, "message-0"),
}
INBOX = "/api/user/messages"
CONTINUED = ("/api/user/orderList", "/api/user/quantityLogList", "/api/user/statementCsv")


def answer_to(player: Player, path: str, body: dict[str, Any]) -> tuple[Any, ...]:
    answer = player.call(path.removeprefix("/api/"), body, new_key())
    return tuple(answer.get(name) for name in ("code", "reason", "field", "msg", "data"))


@pytest.fixture
def player(house: ApiServer) -> Player:
    """A player while a round has just gone on sale."""
    house.next_round()
    return house.register()


@pytest.mark.parametrize(("path", "field"), NAMED)
def test_what_is_another_members_is_as_if_absent(
    house: ApiServer, player: Player, path: str, field: str
) -> None:
    stranger = house.register()
    body, nothing = NAMED[path, field][0](stranger), NAMED[path, field][1]
    before = stranger.call("user/userInfo", {})["data"]
    foreign, absent = (
        answer_to(player, path, body),
        answer_to(player, path, {**body, field: nothing}),
    )
    assert foreign == absent
    assert foreign[0] == 0
    assert stranger.call("user/userInfo", {})["data"] == before
    assert answer_to(stranger, path, body)[0] == 1, "the owner's own call would have done it"


@pytest.mark.parametrize("path", CONTINUED)
def test_another_members_cursor_continues_ones_own_list(
    house: ApiServer, player: Player, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cursor is a position in time and grants no access."""
    player.bet("odd", 5)
    stranger = house.register()
    for _ in range(3):
        stranger.bet("big", 7)
    with monkeypatch.context() as short:
        short.setattr(history, "MAX_CSV_ROWS", 1)
        cursor = stranger.call("user/statementCsv", {})["cursor"]
    assert stakes(player, path, cursor) == [5]
    assert stakes(stranger, path, cursor) == [7, 7]


def test_another_members_cursor_continues_ones_own_messages(
    house: ApiServer, player: Player
) -> None:
    stranger = house.register()
    own = message_to(player)["id"]
    foreign = [message_to(stranger)["id"] for _ in range(51)]
    cursor = stranger.call("user/messages", {})["cursor"]
    found = player.call("user/messages", {"cursor": cursor})["data"]["messages"]
    assert own in [each["id"] for each in found]
    assert not {each["id"] for each in found} & set(foreign)


def stakes(player: Player, path: str, cursor: str) -> list[int]:
    """The stakes in the list after a cursor."""
    data = player.call(path.removeprefix("/api/"), {"cursor": cursor})["data"]
    if "content" in data:
        rows = csv.DictReader(io.StringIO(data["content"].removeprefix("\ufeff")))
        data = [{"quantity": float(row["amount"])} for row in rows]
    found = (abs(int(row["quantity"])) for row in data)
    return [stake for stake in found if stake < 1_000]  # without the demo's gift


def test_another_members_key_is_a_new_one_for_oneself(house: ApiServer, player: Player) -> None:
    stranger, key = house.register(), new_key()
    foreign = stranger.bet("big", 10, key)["data"]
    own = player.bet("big", 10, key)["data"]
    assert own["orderNo"] != foreign["orderNo"]
    assert (player.balance(), stranger.balance()) == (990, 990)


def test_a_players_lists_contain_no_bets_of_others(house: ApiServer, player: Player) -> None:
    house.register().bet("big", 10)
    own = player.bet("big", 10)["data"]["orderNo"]
    found = player.call("user/orderList", {"game_id": 1, "issue_code": house.issue})["data"]
    assert [order["orderNo"] for order in found] == [own]


def test_every_field_that_names_something_of_a_members_is_tried_here() -> None:
    naming = {
        (call.path, field)
        for call in CALLS
        if call.auth in {Auth.OPTIONAL, Auth.PLAYER}
        for field in call.request_type.__struct_fields__
        if field in NAMING
    }
    assert naming - OWN_WORDS == NAMED.keys() | {(path, "cursor") for path in (*CONTINUED, INBOX)}
