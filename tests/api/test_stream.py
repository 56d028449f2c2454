"""What the event stream sends, to which client, and when it ends."""

import contextlib
import time
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import httpx

from tests.api.support import DEADLINE_S, ApiServer, Player, events, new_key

Events = Iterator[tuple[str, Any]]


@contextlib.contextmanager
def listening(
    house: ApiServer, player: Player | None = None, *, plan: int = 1, last: int | None = None
) -> Iterator[Events]:
    """The events of a room, as this player or as a guest."""
    headers = {"Cookie": f"fairdraw_stream={player.token}"} if player else {}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    query: dict[str, str | int] = {"game_id": 1 + (plan - 1) // 9, "plan_id": plan, "lang": "en"}
    with (
        httpx.Client(base_url=house.url, timeout=DEADLINE_S) as client,
        client.stream("GET", "/api/Lottery/stream", params=query, headers=headers) as answer,
    ):
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield events(answer.iter_lines())


def until(stream: Events, name: str) -> Any:
    """The data of the next event of this name. Fails if it takes too long."""
    ends = time.monotonic() + DEADLINE_S
    for found, data in stream:
        if found == name:
            return data
        assert time.monotonic() < ends, f"no {name} within {DEADLINE_S} s"
    raise AssertionError(f"the stream ended without a {name}")


def test_the_stream_begins_with_a_heart(house: ApiServer, player: Player) -> None:
    with listening(house, player) as stream:
        heart = until(stream, "heart")
    assert heart["issue"]["issue"] == house.issue
    assert heart["user_quantity"]["money"] == 1000


def test_a_bet_reaches_others_in_the_room_and_its_owner_the_balance(
    house: ApiServer, player: Player
) -> None:
    other = house.register()
    with listening(house, other) as other_stream, listening(house, player) as own_stream:
        until(other_stream, "heart")
        until(own_stream, "heart")
        bet = player.bet("big", 10)["data"]["id"]
        seen = until(other_stream, "bet")
        assert (seen["id"], seen["after_quantity"]) == (bet, 10)
        assert until(own_stream, "balance") == {"money": 990, "score": 0, "version": 3}
        player.call("Lottery/recall", {"issue": house.issue, "game_id": 1}, new_key())
        assert until(other_stream, "recall") == {"ids": [bet]}


def test_bets_of_another_room_are_not_sent(house: ApiServer, player: Player) -> None:
    with listening(house, plan=2) as stream:
        until(stream, "heart")
        player.bet("big", 10)
        body = {**house.order("odd", 10), "plan_id": 2}
        player.call("Lottery/playOrder", body, new_key())
        assert until(stream, "bet")["play_type"] == "odd"


def test_a_rounds_events_arrive_from_its_close_to_the_callers_result(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    with listening(house, player) as stream:
        until(stream, "heart")
        issue = house.issue
        player.bet("big", 10)
        player.bet("small", 10)
        house.draw_round()
        draw = until(stream, "draw")
        assert draw["issue_code"] == issue
        result = until(stream, "win")
        assert (result["issue"], result["stake"], result["payout"]) == (issue, 20, 19.8)
        assert result["profit"] == -0.2
        assert sorted(bet["whether_hit"] for bet in result["bets"]) == [0, 1]


def test_balances_and_results_reach_their_owner_alone(house: ApiServer) -> None:
    house.next_round()
    player, other = house.register(), house.register()
    with listening(house, player) as own_stream, listening(house, other) as other_stream:
        until(own_stream, "heart")
        until(other_stream, "heart")
        player.bet("big", 10)
        player.bet("small", 10)
        until(own_stream, "balance")
        house.draw_round()
        until(own_stream, "win")
        last = player.bet("odd", 10)["data"]["id"]
        received = list(
            takewhile(lambda it: (it[0], it[1].get("id")) != ("bet", last), other_stream)
        )
    names = {name for name, _ in received}
    assert {"bet", "draw"} <= names
    assert not {"balance", "win"} & names


def test_a_returning_client_receives_what_it_missed(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    before = house.services.hub.position
    bets = [player.bet("big", 10)["data"]["id"] for _ in range(3)]
    house.catch_up()
    with listening(house, last=before) as stream:
        assert [until(stream, "bet")["id"] for _ in bets] == bets
    house.draw_round()
    with listening(house, player, last=before) as stream:
        assert until(stream, "win")["stake"] == 30


def test_a_foreign_cookie_receives_the_room_but_no_money(house: ApiServer) -> None:
    with httpx.Client(base_url=house.url, timeout=DEADLINE_S) as client:
        query = {"game_id": 1, "plan_id": 1}
        headers = {"Cookie": "fairdraw_stream=nonsense"}
        with client.stream("GET", "/api/Lottery/stream", params=query, headers=headers) as answer:
            name, heart = next(events(answer.iter_lines()))
    assert name == "heart"
    assert heart["user_quantity"] is None


def test_a_room_that_is_not_there_has_no_stream(house: ApiServer) -> None:
    answer = house.client.get("/api/Lottery/stream", params={"game_id": 1, "plan_id": 99})
    assert (answer.status_code, answer.json()["reason"]) == (400, "plan_unknown")


def test_signing_in_leaves_a_cookie_for_the_stream_alone(house: ApiServer) -> None:
    body = {"username": "cookie1234", "password": "good-enough", "group_id": 1}
    answer = house.client.post("/api/user/register", json=body)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("fairdraw_stream=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/api/Lottery/stream"} <= set(cookie.split("; "))
    house.client.cookies.clear()
