"""A server that does not lead stores nothing of the calls that it refuses with 503."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.api.support import PASSWORD, ApiServer, Player, new_key

_names = (f"standby{number}" for number in itertools.count(100))


@contextmanager
def standing_by(house: ApiServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as standby:
        standby.setattr(house.engine, "_writer", None)
        standby.setattr(house.engine, "reader", None)
        yield


def register(house: ApiServer, name: str, password: str) -> dict[str, Any]:
    body = {"username": name, "password": password, "group_id": 1, "inviter_id": ""}
    return house.call("user/register", body, key=new_key())


def visitor(house: ApiServer) -> Player:
    return house.register(username="visitor1795226700", password="QWERTY", group_id=2)


def test_a_name_refused_by_a_standby_stays_free(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(_names)
    with standing_by(house, monkeypatch):
        assert register(house, name, PASSWORD)["reason"] == "unavailable"
    assert house.services.vault.find(name) is None
    assert register(house, name, "the-real-owner-1")["code"] == 1


def test_a_guest_refused_by_a_standby_stays_a_guest(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest, name = visitor(house), next(_names)
    body = {"username": name, "password": PASSWORD, "inviter_id": ""}
    with standing_by(house, monkeypatch):
        assert guest.call("user/join", body, new_key())["reason"] == "unavailable"
    assert house.services.vault.find(name) is None
    assert guest.call("user/join", body, new_key())["code"] == 1


def test_a_picture_refused_by_a_standby_is_not_kept(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = house.register()
    with standing_by(house, monkeypatch):
        answer = player.call("user/profile", {"avatar": 5}, new_key())
    assert answer["reason"] == "unavailable"
    assert player.call("user/userInfo", {})["data"]["avatar"] == 1


def test_a_guest_becomes_a_member_with_one_call_and_keeps_id_session_and_money(
    house: ApiServer,
) -> None:
    guest, name = visitor(house), next(_names)
    before = guest.balance()
    body = {"username": name, "password": PASSWORD, "inviter_id": ""}
    info = guest.call("user/join", body, new_key())["data"]["userinfo"]
    assert (info["user_id"], info["token"], info["group_id"]) == (guest.id, guest.token, 1)
    assert guest.balance() == before + 1_000
    assert guest.call("user/sessions", {})["data"][0]["current"]
    house.next_round()
    assert guest.bet("big", 10)["code"] == 1
