"""Signing in: ASVS 6.3.8 and 7.2.3 to 7.4.3, GLI-19 2.5.3d and 2.5.4."""

import hashlib

import psycopg
import pytest

from engine.runtime.vault import FAILURE_WINDOW_US
from engine.runtime.vault.sessions import LIFETIME_US
from tests.api.support import PASSWORD, ApiServer, Player


def login(house: ApiServer, account: str, password: str = PASSWORD) -> str:
    answer = house.call("user/login", {"account": account, "password": password})
    reason: str = answer.get("reason", "signed in")
    return reason


@pytest.mark.parametrize("account", ["nobody1234", "", "x" * 1000, "' OR 1=1 --", "no\0body"])
def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(
    house: ApiServer, player: Player, account: str
) -> None:
    unknown = house.call("user/login", {"account": account, "password": PASSWORD})
    wrong = house.call("user/login", {"account": player.username, "password": "not-this-one"})
    assert (unknown["msg"], unknown["reason"]) == (wrong["msg"], wrong["reason"])
    assert unknown["reason"] == "credentials_wrong"


def test_three_failures_lock_for_thirty_minutes_even_the_right_password(house: ApiServer) -> None:
    player = house.register()
    for _ in range(3):
        assert login(house, player.username, "not-this-one") == "credentials_wrong"
    assert login(house, player.username) == "credentials_wrong"
    house.clock.now += FAILURE_WINDOW_US
    assert login(house, player.username) == "signed in"
    house.next_round()


def test_a_success_forgets_the_failures_before_it(player: Player, house: ApiServer) -> None:
    for _ in range(2):
        for _ in range(2):
            login(house, player.username, "not-this-one")
        assert login(house, player.username) == "signed in"


def test_a_session_ends_after_thirty_days(house: ApiServer) -> None:
    player = house.register()
    with psycopg.connect(house.conninfos.app) as connection:
        connection.execute(
            "UPDATE vault.sessions SET created_at = created_at - %s WHERE player = %s",
            (LIFETIME_US, player.id),
        )
    house.services.sessions.load(player.token)
    answer = player.call("user/userInfo", {})
    assert (answer["code"], answer["reason"]) == (50014, "token_expired")


def test_a_revoked_session_opens_nothing(house: ApiServer) -> None:
    player = house.register()
    house.services.sessions.revoke(player.token)
    answer = player.call("user/userInfo", {})
    assert (answer["code"], answer["reason"]) == (50012, "token_revoked")


def test_the_database_contains_no_tokens_or_passwords(player: Player, house: ApiServer) -> None:
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT token_hash, password_hash FROM vault.sessions JOIN vault.members"
            " USING (player) WHERE player = %s",
            (player.id,),
        ).fetchone()
    assert row is not None
    assert row[0] == hashlib.sha256(player.token.encode()).digest()
    assert row[1].startswith("$argon2id$")
    assert PASSWORD not in row[1]


def test_what_a_crash_left_undone_when_registering_is_done_at_the_next_login(
    house: ApiServer,
) -> None:
    house.register(username="whole1234")
    with psycopg.connect(house.conninfos.app) as connection:
        connection.execute(
            "INSERT INTO vault.members (player, username, nickname, member_group, password_hash,"
            " commitment_key) SELECT nextval('vault.player_ids'), 'halfway1', 'halfway1', 1,"
            " password_hash, commitment_key FROM vault.members WHERE username = 'whole1234'"
        )
    answer = house.call("user/login", {"account": "halfway1", "password": PASSWORD})
    assert answer["data"]["userinfo"]["money"] == 1000
