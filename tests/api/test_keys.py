"""Repeated calls: one effect and one answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from engine.cashier.commands import ApproveDeposit
from tests.api.support import PASSWORD, ApiServer, Player, call_again_after_a_cut, new_key

TIMES = 50


def times(call: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
    """Make a call many times concurrently. Returns the answers without the fields that differ."""
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: call(), range(TIMES)))
    return [without_envelope(answer) for answer in answers]


def without_envelope(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in {"time", "request_id"}}


def test_a_bet_sent_many_times_in_sequence_is_one_bet(player: Player) -> None:
    key = new_key()
    answers = [without_envelope(player.bet("big", 10, key)) for _ in range(TIMES)]
    assert answers == [answers[0]] * TIMES
    assert player.balance() == 990
    assert len(player.call("user/orderList", {})["data"]) == 1


def test_a_bet_sent_many_times_at_once_is_one_bet(player: Player) -> None:
    key = new_key()
    answers = times(lambda: player.bet("big", 10, key))
    assert answers == [answers[0]] * TIMES
    assert answers[0]["data"]["after_quantity"] == 990
    assert player.balance() == 990


def test_a_recall_sent_many_times_returns_once(player: Player, house: ApiServer) -> None:
    player.bet("big", 10)
    player.bet("odd", 10)
    key, body = new_key(), {"issue": house.issue, "game_id": 1}
    answers = times(lambda: player.call("Lottery/recall", body, key))
    assert answers == [answers[0]] * TIMES
    assert answers[0]["data"]["count"] == 2
    assert player.balance() == 1000


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"money": 11}, "money"),
        ({"play_type": "small"}, "play_type"),
        ({"plan_id": 2}, "plan_id"),
        ({"issue": "20260101001"}, "issue"),
    ],
)
def test_a_key_used_for_another_bet_names_the_field(
    player: Player, house: ApiServer, change: dict[str, Any], field: str
) -> None:
    key = new_key()
    player.call("Lottery/playOrder", house.order(), key)
    answer = player.call("Lottery/playOrder", {**house.order(), **change}, key)
    assert (answer["reason"], answer["field"]) == ("key_reused", field)
    assert player.balance() == 990


def test_language_and_host_are_no_part_of_a_keys_request(player: Player, house: ApiServer) -> None:
    key = new_key()
    first = player.call("Lottery/playOrder", {**house.order(), "lang": "en", "host": "a"}, key)
    again = player.call("Lottery/playOrder", {**house.order(), "lang": "zh", "host": "b"}, key)
    assert again["data"]["orderNo"] == first["data"]["orderNo"]
    assert player.balance() == 990


def test_two_players_may_use_the_same_key(house: ApiServer) -> None:
    key, one, other = new_key(), house.register(), house.register()
    assert one.bet("big", 10, key)["code"] == 1
    assert other.bet("small", 20, key)["code"] == 1
    assert (one.balance(), other.balance()) == (990, 980)


def test_registering_many_times_with_one_key_makes_one_member(house: ApiServer) -> None:
    key, body = new_key(), {"username": "keyed1234", "password": PASSWORD, "group_id": 1}
    answers = times(lambda: house.call("user/register", body, key=key))
    assert {answer["code"] for answer in answers} == {1}
    assert len({answer["data"]["userinfo"]["user_id"] for answer in answers}) == 1
    token = answers[0]["data"]["userinfo"]["token"]
    entries = house.call("user/quantityLogList", {}, token=token)["data"]
    assert [entry["quantity"] for entry in entries] == [1000]


def test_a_registration_key_used_for_another_name_is_refused(house: ApiServer) -> None:
    key, body = new_key(), {"username": "firstname1", "password": PASSWORD, "group_id": 1}
    house.call("user/register", body, key=key)
    answer = house.call("user/register", {**body, "username": "secondname1"}, key=key)
    assert (answer["reason"], answer["field"]) == ("key_reused", "username")


@pytest.mark.parametrize("key", ["", "x" * 129, "with space", "new\tline"])
def test_keys_that_are_no_keys(player: Player, house: ApiServer, key: str) -> None:
    headers = {"token": player.token, "Idempotency-Key": key}
    answer = house.client.post("/api/Lottery/playOrder", json=house.order(), headers=headers)
    assert answer.json()["reason"] == "key_malformed"
    assert player.balance() == 1000


def test_without_a_key_the_same_bet_after_its_answer_is_a_new_bet(
    player: Player, house: ApiServer
) -> None:
    for _ in range(2):
        assert player.call("Lottery/playOrder", house.order("big", 10))["code"] == 1
    assert player.balance() == 980


def test_an_old_clients_retry_after_a_broken_connection_joins_the_first_bet(
    player: Player, house: ApiServer
) -> None:
    order = house.order("big", 10)
    assert call_again_after_a_cut(house, player, "/api/Lottery/playOrder", order)["code"] == 1
    assert player.balance() == 990


def test_without_a_key_a_refused_bet_may_be_sent_again(player: Player, house: ApiServer) -> None:
    body = house.order("big", 1001)
    assert player.call("Lottery/playOrder", body)["reason"] == "funds_insufficient"
    command = ApproveDeposit(player.id, new_key(), "bank", 100_000, "")
    house.on_loop(lambda: house.services.commands.submit("staff:test", None, command))
    assert player.call("Lottery/playOrder", body)["code"] == 1


def test_a_refusal_outlives_its_reason(player: Player, house: ApiServer) -> None:
    """The player gets funds in between; the same key still gets the first answer."""
    key = new_key()
    first = player.bet("big", 1001, key)
    command = ApproveDeposit(player.id, new_key(), "bank", 100_000, "")
    house.on_loop(lambda: house.services.commands.submit("staff:test", None, command))
    assert without_envelope(player.bet("big", 1001, key)) == without_envelope(first)
    assert player.bet("big", 1001)["code"] == 1
