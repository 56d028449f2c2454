"""A player lists sessions, ends them, and reactivates one that was idle for long."""

import dataclasses
from typing import Any

import psycopg
import pytest

from api.account.auth import device_of
from engine.runtime.vault import FAILURE_WINDOW_US
from engine.runtime.vault.sessions import IDLE_US, LIFETIME_US
from tests.api.banking import sign_in
from tests.api.support import PASSWORD, SECOND_US, ApiServer, Player, new_key
from tests.api.test_stream import listening

PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.230803.041) AppleWebKit/537.36"
    " (KHTML, like Gecko) Chrome/120.0.6099.144 Mobile Safari/537.36"
)
DEPOSIT = {"amount": 100, "channel": "bank", "reference": "invoice 7"}


def sessions_of(player: Player) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = player.call("user/sessions", {})["data"]
    return found


def current(player: Player) -> str:
    (one,) = [each["id"] for each in sessions_of(player) if each["current"]]
    number: str = one
    return number


def end(player: Player, **body: Any) -> Any:
    answer = player.call("user/endSession", body)
    return answer.get("reason", answer["code"])


def test_a_member_sees_where_they_are_signed_in(house: ApiServer) -> None:
    player = house.register()
    house.clock.now += SECOND_US
    body = {"account": player.username, "password": PASSWORD}
    answer = house.client.post("/api/user/login", json=body, headers={"User-Agent": PHONE})
    phone = dataclasses.replace(player, token=answer.json()["data"]["userinfo"]["token"])
    newest, first = sessions_of(phone)
    assert (newest["client"], newest["current"]) == ("Chrome · Android", True)
    assert (first["client"], first["current"]) == ("", False)
    assert newest["created_at"] == newest["active_at"] == house.clock.now // SECOND_US
    assert current(player) == first["id"]


def test_the_list_opens_nothing(house: ApiServer, player: Player) -> None:
    """ASVS 7.2.3: the answer contains neither the token nor its hash."""
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT encode(token_hash, 'hex') FROM vault.sessions WHERE player = %s", (player.id,)
        ).fetchone()
    assert row is not None
    answer = player.call("user/sessions", {})
    assert player.token not in str(answer)
    assert row[0] not in str(answer)
    stolen = dataclasses.replace(player, token=answer["data"][0]["id"])
    assert stolen.call("user/userInfo", {})["reason"] == "token_unknown"


def test_ending_another_session_signs_out_that_one_and_its_stream(
    house: ApiServer, player: Player
) -> None:
    other = sign_in(player)
    number = current(other)
    with listening(house, other) as stream:
        assert next(stream)[0] == "heart"
        assert end(player, id=number) == 1
        house.wait_until(lambda: not house.services.hub.subscribers.has_stream(player.id))
        assert all(name != "balance" for name, _ in stream)
    assert other.call("user/userInfo", {})["reason"] == "token_revoked"
    assert [each["current"] for each in sessions_of(player)] == [True]
    assert end(player, id=number) == 1, "twice is no mistake"


def test_all_others_are_ended_at_once(house: ApiServer, player: Player) -> None:
    others = [sign_in(player) for _ in range(3)]
    stranger = house.register()
    assert end(player, others=True) == 1
    assert len(sessions_of(player)) == 1
    assert {each.call("user/userInfo", {})["code"] for each in others} == {50012}
    assert stranger.call("user/userInfo", {})["code"] == 1


@pytest.mark.parametrize("number", ["", "nonsense", "x" * 65, "\x00", "' OR true --"])
def test_a_session_that_is_not_there_cannot_be_ended(player: Player, number: str) -> None:
    assert end(player, id=number) == "session_unknown"
    assert len(sessions_of(player)) == 1


def test_another_members_session_is_as_if_absent(house: ApiServer, player: Player) -> None:
    """ASVS 8.2.2."""
    stranger = house.register()
    number = current(stranger)
    absent = player.call("user/endSession", {"id": "00000000-0000-0000-0000-000000000000"})
    foreign = player.call("user/endSession", {"id": number})
    assert (foreign["reason"], foreign["msg"]) == (absent["reason"], absent["msg"])
    assert stranger.call("user/userInfo", {})["code"] == 1


def test_sessions_that_ended_or_expired_are_not_listed(house: ApiServer, player: Player) -> None:
    expired, ended = sign_in(player), sign_in(player)
    number = current(expired)
    ended.call("user/logout", {})
    with psycopg.connect(house.conninfos.app) as connection:
        connection.execute(
            "UPDATE vault.sessions SET created_at = created_at - %s WHERE id::text = %s",
            (LIFETIME_US, number),
        )
    assert [each["current"] for each in sessions_of(player)] == [True]


def idle(house: ApiServer, player: Player) -> None:
    house.clock.now += IDLE_US
    assert player.call("user/deposit", DEPOSIT, new_key())["reason"] == "step_up_needed"


def test_the_password_lets_an_idle_session_move_money_again(house: ApiServer) -> None:
    """GLI-19 2.5.4: no one is signed out, and the refused request can be repeated unchanged."""
    player, key = house.register(), new_key()
    house.clock.now += IDLE_US
    refused = player.call("user/deposit", DEPOSIT, key)
    assert (refused["code"], refused["reason"]) == (0, "step_up_needed")
    assert refused["msg"] == "Please confirm your password to go on"
    assert player.call("user/stepUp", {"password": PASSWORD})["msg"] == "Confirmed"
    assert player.call("user/deposit", DEPOSIT, key)["code"] == 1
    house.next_round()


POLLED = {
    "user/messages": {},
    "user/orderList": {},
    "user/withdrawInfo": {},
    "user/recharge": {},
    "user/quantityLogList": {},
    "user/userInfo": {},
    "user/protection": {},
    "Lottery/joinChat": {"plan_id": 1, "game_id": 1},
    "Lottery/index": {"game_id": 1},
    "Lottery/oddsList": {"plan_id": 1, "game_id": 1, "id": 1},
    "Lottery/issueList": {"game_id": 1},
    "Lottery/cand": {"game_id": 1},
    "Lottery/trend": {"game_id": 1},
}


def in_background(player: Player, path: str, body: dict[str, Any], key: str = "") -> Any:
    """Returns the answer to a call that the app marks as a background request."""
    headers = {"token": player.token, "background": "1"} | ({"Idempotency-Key": key} if key else {})
    return player.house.client.post(f"/api/{path}", json=body, headers=headers).json()


def test_calls_that_the_app_makes_by_itself_leave_a_session_idle(house: ApiServer) -> None:
    """GLI-19 2.5.4: an open app polls, which does not show that its owner is present."""
    player = house.register()
    house.clock.now += IDLE_US - SECOND_US
    for path, body in POLLED.items():
        assert in_background(player, path, body)["code"] == 1, path
    house.clock.now += SECOND_US
    assert player.call("user/deposit", DEPOSIT, new_key())["reason"] == "step_up_needed"
    house.next_round()


@pytest.mark.parametrize("path", ["Lottery/joinChat", "user/messages"])
def test_an_old_app_that_polls_without_the_header_goes_idle(house: ApiServer, path: str) -> None:
    player = house.register()
    house.clock.now += IDLE_US - SECOND_US
    assert player.call(path, POLLED[path])["code"] == 1
    house.clock.now += SECOND_US
    assert player.call("user/deposit", DEPOSIT, new_key())["reason"] == "step_up_needed"
    house.next_round()


def test_the_mark_of_a_background_call_never_makes_it_count_for_more(house: ApiServer) -> None:
    player = house.register()
    idle(house, player)
    refused = in_background(player, "user/deposit", DEPOSIT, new_key())
    assert refused["reason"] == "step_up_needed"
    fresh = sign_in(player)
    assert in_background(fresh, "user/deposit", DEPOSIT, new_key())["code"] == 1
    house.next_round()


def test_confirming_in_one_session_does_not_confirm_another(house: ApiServer) -> None:
    player = house.register()
    other = sign_in(player)
    idle(house, player)
    player.call("user/stepUp", {"password": PASSWORD})
    assert other.call("user/deposit", DEPOSIT, new_key())["reason"] == "step_up_needed"
    house.next_round()


def test_a_confirmed_session_is_so_for_a_house_that_starts_again(house: ApiServer) -> None:
    player = house.register()
    idle(house, player)
    player.call("user/stepUp", {"password": PASSWORD})
    house.services.sessions.load(player.token)
    assert player.call("user/deposit", DEPOSIT, new_key())["code"] == 1
    house.next_round()


@pytest.mark.parametrize("password", ["", "not-this-one", "x" * 65])
def test_a_wrong_password_confirms_nothing(house: ApiServer, password: str) -> None:
    player = house.register()
    idle(house, player)
    answer = player.call("user/stepUp", {"password": password})
    assert (answer["code"], answer["reason"]) == (0, "credentials_wrong")
    assert player.call("user/deposit", DEPOSIT, new_key())["reason"] == "step_up_needed"
    assert player.call("user/userInfo", {})["code"] == 1
    house.next_round()


def test_wrong_passwords_lock_confirming_and_signing_in_together(house: ApiServer) -> None:
    """GLI-19 2.5.3d: a person with the phone gets no more attempts than one who signs in."""
    player = house.register()
    for _ in range(3):
        player.call("user/stepUp", {"password": "not-this-one"})
    right = {"account": player.username, "password": PASSWORD}
    assert house.call("user/login", right)["reason"] == "credentials_wrong"
    assert player.call("user/stepUp", {"password": PASSWORD})["reason"] == "credentials_wrong"
    house.clock.now += FAILURE_WINDOW_US
    assert player.call("user/stepUp", {"password": PASSWORD})["code"] == 1
    house.next_round()


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (PHONE, "Chrome · Android"),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15"
                " (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1"
            ),
            "Safari · iPhone",
        ),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
                " Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91"
            ),
            "Edge · Windows",
        ),
        (
            (
                "Mozilla/5.0 (Linux; Android 13; M2012) AppleWebKit/537.36 (KHTML, like Gecko)"
                " Version/4.0 Chrome/116.0 Mobile Safari/537.36 MicroMessenger/8.0.44"
            ),
            "WeChat · Android",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0",
            "Firefox · Linux",
        ),
        ("curl/8.5.0", ""),
        ("", ""),
        ("\udcff<script>", ""),
    ],
)
def test_a_device_is_shown_by_its_kind_and_no_more(user_agent: str, device: str) -> None:
    assert device_of(user_agent.encode(errors="surrogateescape")) == device
