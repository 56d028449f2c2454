"""Bad input gets a clear refusal in the envelope, and changes nothing."""

import json
from typing import Any

import pytest

from api.http.localization import TRANSLATED
from tests.api.support import ApiServer, Player, new_key

ORDER = "/api/Lottery/playOrder"

# Changes to a bet's body, with the refusal and the field of the answer.
BAD_ORDERS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "a negative stake": ({"money": -10}, "stake_too_small", "money"),
    "no stake": ({"money": 0}, "stake_too_small", "money"),
    "half a unit": ({"money": 1.5}, "stake_not_whole", "money"),
    "a fraction of a cent": ({"money": 10.001}, "stake_not_whole", "money"),
    "an amount with a float's dust": ({"money": 0.1 + 0.2}, "stake_not_whole", "money"),
    "more than the balance": ({"money": 1001}, "funds_insufficient", "money"),
    "more than the largest stake": ({"money": 50_001}, "stake_too_large", "money"),
    "an enormous stake": ({"money": 10**30}, "stake_too_large", "money"),
    "an enormous negative stake": ({"money": -(10**30)}, "stake_too_small", "money"),
    "no number": ({"money": "NaN"}, "request_malformed", "money"),
    "infinity": ({"money": "Infinity"}, "request_malformed", "money"),
    "digits parted as a programmer would": ({"money": "1_0"}, "request_malformed", "money"),
    "digits of another script": ({"money": "\u0661\u0660"}, "request_malformed", "money"),
    "an exponent as text": ({"money": "1e1"}, "request_malformed", "money"),
    "spaces round a stake": ({"money": " 10 "}, "request_malformed", "money"),
    "a sign that says nothing": ({"money": "+10"}, "request_malformed", "money"),
    "words for a stake": ({"money": "ten"}, "request_malformed", "money"),
    "a truth for a stake": ({"money": True}, "request_malformed", "money"),
    "nothing for a stake": ({"money": None}, "request_malformed", "money"),
    "a list for a stake": ({"money": [10]}, "request_malformed", "money"),
    "a hall for richer players": (
        {"plan_id": 5, "money": 10},
        "assets_insufficient",
        "plan_id",
    ),
    "below the hall's minimum": ({"plan_id": 2, "money": 9}, "stake_too_small", "money"),
    "an unknown hall": ({"plan_id": 37}, "plan_unknown", "plan_id"),
    "a hall beyond all numbers": ({"plan_id": 10**40}, "plan_unknown", "plan_id"),
    "another game's hall": ({"plan_id": 10}, "plan_unknown", "plan_id"),
    "an unknown game": ({"game_id": 5}, "plan_unknown", "plan_id"),
    "a truth for a hall": ({"plan_id": True}, "request_malformed", "plan_id"),
    "an unknown bet": ({"play_type": "huge"}, "play_type_unknown", "play_type"),
    "a sum that cannot be": ({"play_type": 28}, "play_type_unknown", "play_type"),
    "a bet without a name": ({"play_type": ""}, "play_type_unknown", "play_type"),
    "a bet with a very long name": ({"play_type": "x" * 1000}, "play_type_unknown", "play_type"),
    "a round that never was": ({"issue": "nonsense"}, "round_unknown", "issue"),
    "a round long past": ({"issue": "20200101001"}, "round_closed", "issue"),
    "a round to come": ({"issue": "20991231001"}, "round_not_current", "issue"),
    "an object for a round": ({"issue": {}}, "request_malformed", "issue"),
}


@pytest.mark.parametrize("case", BAD_ORDERS)
def test_a_bad_bet_is_refused_and_changes_nothing(
    player: Player, house: ApiServer, case: str
) -> None:
    change, refusal, field = BAD_ORDERS[case]
    answer = player.call("Lottery/playOrder", {**house.order(), **change}, new_key())
    assert (answer["code"], answer["reason"], answer.get("field")) == (0, refusal, field)
    assert answer["msg"] == TRANSLATED["en"].refusals[refusal]
    assert answer["data"] is None
    assert player.balance() == 1000
    assert player.call("user/orderList", {})["data"] == []


@pytest.mark.parametrize("missing", ["issue", "plan_id", "game_id", "play_type", "money"])
def test_a_missing_field_is_named(player: Player, house: ApiServer, missing: str) -> None:
    body = house.order()
    del body[missing]
    answer = player.call("Lottery/playOrder", body, new_key())
    assert (answer["reason"], answer["field"]) == ("request_malformed", missing)


MALFORMED = {
    "truncated": b'{"issue": "2026',
    "not an object": b"[1, 2]",
    "not JSON": b"hello",
    "not UTF-8": b'{"issue": "\xff\xfe"}',
    "nested beyond all depth": b"[" * 30_000,
    "an exponent beyond all numbers": (
        b'{"issue":"1","plan_id":1,"game_id":1,"play_type":"big","money":1e999999999}'
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_bodies_are_refused(player: Player, case: str) -> None:
    headers = {"token": player.token, "Content-Type": "application/json"}
    answer = player.house.client.post(ORDER, content=MALFORMED[case], headers=headers)
    assert answer.status_code == 200
    assert answer.json()["reason"] in {"request_malformed", "stake_too_large"}
    assert player.balance() == 1000


#: Longer than Python's Decimal supports.
BOUNDLESS = b"1e99999999999999999999"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "Lottery/playOrder",
            b'{"issue":"1","plan_id":1,"game_id":1,"play_type":"big","money":%s}',
        ),
        ("user/withdrawAction", b'{"type":0,"money":%s}'),
        ("user/deposit", b'{"channel":"bank","amount":%s}'),
        ("user/setLimit", b'{"subject":"loss","span":"day","amount":%s}'),
        ("gateway/notify", b'{"amount":%s}'),
        ("Lottery/heart", b'{"plan_id":1,"game_id":1,"unknown":{"lang":%s}}'),
    ],
)
@pytest.mark.parametrize("number", [BOUNDLESS, b"-" + BOUNDLESS, BOUNDLESS.replace(b"e", b"e-")])
def test_a_number_beyond_all_bounds_is_malformed_and_no_fault_of_the_house(
    player: Player, path: str, body: bytes, number: bytes
) -> None:
    headers = {"token": player.token, "Content-Type": "application/json"}
    answer = player.house.client.post(f"/api/{path}", content=body % number, headers=headers)
    assert answer.status_code == 200
    known = path != "Lottery/heart"
    assert answer.json().get("reason") == ("request_malformed" if known else None)


@pytest.mark.parametrize(
    ("sent", "language"),
    [
        ({"json": {"lang": "ja", "game_id": "x"}}, "ja"),
        ({"data": {"lang": "zh", "game_id": "x"}}, "zh"),
        ({"content": b'{"lang":"ru","game_id":'}, "en"),
        ({"content": b"{", "headers": {"Accept-Language": "vi-VN,vi;q=0.9"}}, "vi"),
        ({"json": {"lang": 7, "game_id": "x"}, "headers": {"Accept-Language": "ko"}}, "ko"),
        ({"json": {"lang": "klingon", "game_id": "x"}}, "en"),
        ({"content": b"{", "headers": {"Accept-Language": "zh-TW,zh;q=0.9"}}, "tw"),
        ({"content": b"{", "headers": {"Accept-Language": "zh-Hans-TW"}}, "zh"),
        ({"content": b"{", "headers": {"Accept-Language": "ms-MY,en;q=0.5"}}, "my"),
        ({"content": b"{", "headers": {"Accept-Language": "my;q=0.9"}}, "en"),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_callers_language(
    house: ApiServer, sent: dict[str, Any], language: str
) -> None:
    answer = house.client.post("/api/Lottery/index", **sent).json()
    assert answer["reason"] == "request_malformed"
    assert answer["msg"] == TRANSLATED[language].refusals["request_malformed"]


def test_a_wrong_method_is_reported_in_the_callers_language(house: ApiServer) -> None:
    answer = house.client.get("/api/Lottery/index", headers={"Accept-Language": "ja"})
    assert answer.status_code == 405
    assert answer.json()["msg"] == TRANSLATED["ja"].refusals["method_not_allowed"]


def test_a_megabyte_is_refused_with_the_envelope(player: Player) -> None:
    body = json.dumps({**player.house.order(), "padding": "x" * 1_000_000}).encode()
    answer = player.house.client.post(ORDER, content=body, headers={"token": player.token})
    assert answer.status_code == 413
    assert answer.json()["reason"] == "body_too_large"
    assert player.balance() == 1000


def test_unknown_fields_are_ignored(player: Player, house: ApiServer) -> None:
    body = {**house.order(), "host": "x", "usercrud": [1, {"deep": None}], "token": 5}
    assert player.call("Lottery/playOrder", body, new_key())["code"] == 1


def test_a_closed_round_takes_no_bets_and_gives_none_back(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    player.bet("big", 10)
    opened = house.services.hub.games[1].opened
    assert opened is not None
    house.move_to(opened.closes_at)
    assert player.bet("big", 10)["reason"] == "round_closed"
    recall = player.call("Lottery/recall", {"issue": opened.issue, "game_id": 1}, new_key())
    assert recall["reason"] == "round_closed"
    assert player.balance() == 990
    heart = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert (heart["issue"]["whether_close"], heart["issue"]["openTime1"]) == (1, 0)
    house.next_round()


def test_recalling_nothing_and_another_players_bet_are_refused(
    player: Player, house: ApiServer
) -> None:
    stranger = house.register()
    bet = stranger.bet("big", 10)["data"]["orderNo"]
    body = {"issue": house.issue, "game_id": 1}
    assert player.call("Lottery/recall", body, new_key())["reason"] == "nothing_to_recall"
    answer = player.call("Lottery/recall", {**body, "orderNo": bet}, new_key())
    assert (answer["reason"], answer["field"]) == ("bet_unknown", "orderNo")
    assert stranger.balance() == 990


@pytest.mark.parametrize("token", ["", "nonsense", "A" * 43, "ä" * 43])
def test_a_strangers_token_opens_nothing(house: ApiServer, token: str) -> None:
    headers = [(b"token", token.encode())]
    answer = house.client.post("/api/user/userInfo", json={}, headers=headers).json()
    assert (answer["code"], answer["reason"]) == (50008, "token_unknown")


@pytest.mark.parametrize(
    ("fields", "refusal", "field"),
    [
        ({"username": "short1"[:5]}, "username_invalid", "username"),
        ({"username": "lettersonly"}, "username_invalid", "username"),
        ({"username": "123456789"}, "username_invalid", "username"),
        ({"username": "has space1"}, "username_invalid", "username"),
        ({"username": "seventeenletters1"}, "username_invalid", "username"),
        ({"username": "ünïcode1"}, "username_invalid", "username"),
        ({"password": "seven77"}, "password_invalid", "password"),
        ({"password": "x" * 65}, "password_invalid", "password"),
        ({"group_id": 3}, "group_unknown", "group_id"),
        ({"inviter_id": "1"}, "inviter_unknown", "inviter_id"),
        ({"inviter_id": "unknown"}, "inviter_unknown", "inviter_id"),
    ],
)
def test_registration_rules(
    house: ApiServer, fields: dict[str, Any], refusal: str, field: str
) -> None:
    body = {"username": "goodname1", "password": "good-enough", "group_id": 1, **fields}
    answer = house.call("user/register", body)
    assert (answer["reason"], answer["field"]) == (refusal, field)


def test_a_name_is_taken_whatever_its_case(house: ApiServer, player: Player) -> None:
    body = {"username": player.username.upper(), "password": "good-enough", "group_id": 1}
    assert house.call("user/register", body)["reason"] == "username_taken"


@pytest.mark.parametrize(
    ("dates", "field"),
    [
        ({"begin_date": "yesterday"}, "begin_date"),
        ({"begin_date": "2017-12-31"}, "begin_date"),
        ({"end_date": "2026-02-30"}, "end_date"),
        ({"end_date": "9999-12-31"}, "end_date"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_dates_and_cursors_are_checked(player: Player, dates: dict[str, str], field: str) -> None:
    for path in ("user/orderList", "user/quantityLogList"):
        answer = player.call(path, dates)
        assert (answer["reason"], answer["field"]) == ("request_malformed", field)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("user/quantityLogList", {"type": "", "begin_date": "", "cursor": ""}),
        ("user/orderList", {"game_id": "", "issue_code": "", "end_date": ""}),
        ("Lottery/oddsList", {"plan_id": "", "game_id": 1, "id": ""}),
    ],
)
def test_an_empty_filter_is_no_filter(
    house: ApiServer, player: Player, path: str, fields: dict[str, Any]
) -> None:
    assert player.call(path, fields)["data"] == player.call(path, {})["data"]
    headers = {"token": player.token}
    form = house.client.post(f"/api/{path}", data=fields, headers=headers).json()
    assert form["data"] == player.call(path, {})["data"]


@pytest.mark.parametrize("path", ["Lottery/heart", "Lottery/oddsList"])
def test_rooms_that_are_not_there(house: ApiServer, path: str) -> None:
    answer = house.call(path, {"plan_id": 99, "game_id": 1})
    assert (answer["reason"], answer["field"]) == ("plan_unknown", "plan_id")


def test_unknown_addresses_and_methods_carry_the_envelope(house: ApiServer) -> None:
    nowhere = house.client.get("/api/user/nothing")
    assert (nowhere.status_code, nowhere.json()["reason"]) == (404, "route_unknown")
    wrong = house.client.get("/api/user/login")
    assert (wrong.status_code, wrong.json()["reason"]) == (405, "method_not_allowed")
