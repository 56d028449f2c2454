"""Security codes, passwords, signing out, and a guest who becomes a member.

GLI-19 2.5.3d, 2.5.4; ASVS 6.3.8, 6.6.3, 7.4.1 to 7.4.3.
"""

from typing import Any

import psycopg
import pytest

from engine.cashier.facts import DepositApproved
from engine.facts import player_stream
from engine.players.facts import MemberJoined, SecurityCodeSet
from engine.runtime.vault import RegistrationRequest
from tests.api.banking import CODE, at_once, card, facts, raced, sign_in, tries
from tests.api.support import PASSWORD, SECOND_US, ApiServer, Player, new_key
from tests.api.test_stream import listening

NEW_PASSWORD = "another-secret-2"
DAY_S = 24 * 3600
_names = iter(range(1000, 2000))


def set_code(player: Player, new: str, old: str = "", key: str | None = None) -> dict[str, Any]:
    body = {"new_code": new, "after_code": old}
    return player.call("user/setSafety", body, key or new_key())


def visitor(house: ApiServer) -> Player:
    return house.register(username="visitor1795226700", password="QWERTY", group_id=2)


def join(player: Player, key: str | None = None, **fields: Any) -> dict[str, Any]:
    body = {"username": "joined1234", "password": PASSWORD, "inviter_id": "", **fields}
    return player.call("user/join", body, key or new_key())


@pytest.fixture(scope="module")
def member(house: ApiServer) -> Player:
    """A player with the usual security code. Refused calls change nothing about the player."""
    player = house.register()
    assert set_code(player, CODE)["code"] == 1
    return player


def test_a_first_code_is_set_once_and_cools_for_a_day(house: ApiServer) -> None:
    player, key = house.register(), new_key()
    assert player.call("user/safetyInfo", {})["data"]["isTrue"] is False
    answer = raced(lambda: set_code(player, CODE, key=key))
    assert answer["msg"] == "Set successfully"
    usable_at = house.clock.now // SECOND_US + DAY_S
    assert answer["data"] == {"isTrue": True, "locked": False, "usable_at": usable_at}
    assert player.call("user/safetyInfo", {})["data"] == answer["data"]
    assert facts(player, SecurityCodeSet) == 1


def test_a_first_code_whose_answer_was_lost_may_be_sent_again_without_a_key(
    house: ApiServer,
) -> None:
    player = house.register()
    assert [set_code(player, CODE)["code"] for _ in range(2)] == [1, 1]
    assert facts(player, SecurityCodeSet) == 1
    assert tries(player) == 1, "to send a code is to try it"


def test_a_code_is_changed_by_a_member_who_knows_the_old_one(house: ApiServer) -> None:
    player, key = house.register(), new_key()
    set_code(player, CODE)
    house.clock.now += SECOND_US
    assert raced(lambda: set_code(player, "730184", CODE, key))["code"] == 1
    assert facts(player, SecurityCodeSet) == 2
    assert tries(player) == 1
    assert set_code(player, "518372", CODE)["reason"] == "security_code_wrong"


@pytest.mark.parametrize(
    ("new", "old", "refusal", "field"),
    [
        ("12345", CODE, "security_code_invalid", "new_code"),
        ("1234567", CODE, "security_code_invalid", "new_code"),
        ("9" * 500, CODE, "security_code_invalid", "new_code"),
        ("12a456", CODE, "security_code_invalid", "new_code"),
        ("\uff11" * 6, CODE, "security_code_invalid", "new_code"),
        ("730184", "51837", "security_code_invalid", "after_code"),
        ("123456", CODE, "security_code_weak", "new_code"),
        ("888888", CODE, "security_code_weak", "new_code"),
        ("730184", "518372", "security_code_wrong", "after_code"),
        ("730184", "", "security_code_already_set", "new_code"),
    ],
)
def test_codes_that_are_refused(
    member: Player, new: str, old: str, refusal: str, field: str
) -> None:
    before = facts(member, SecurityCodeSet)
    answer = set_code(member, new, old)
    assert (answer["reason"], answer["field"]) == (refusal, field)
    assert facts(member, SecurityCodeSet) == before


def test_a_code_that_ends_the_card_is_weak(house: ApiServer) -> None:
    player, given = house.register(), card()
    player.call("user/setPayInfo", given, new_key())
    assert set_code(player, given["acc"][-6:])["reason"] == "security_code_weak"


def test_there_is_no_old_code_before_the_first(house: ApiServer) -> None:
    player = house.register()
    assert set_code(player, "730184", CODE)["reason"] == "security_code_missing"


def test_ten_wrong_old_codes_lock_for_good(house: ApiServer) -> None:
    player = house.register()
    set_code(player, CODE)
    answers = at_once([lambda: set_code(player, "730184", "518372")] * 12)
    assert sorted(answer["reason"] for answer in answers) == [
        *["security_code_locked"] * 2,
        *["security_code_wrong"] * 10,
    ]
    assert set_code(player, "730184", CODE)["reason"] == "security_code_locked"
    assert player.call("user/safetyInfo", {})["data"]["locked"] is True


def test_a_new_code_differs_from_the_old_one(house: ApiServer) -> None:
    player = house.register()
    set_code(player, CODE)
    answer = set_code(player, CODE, CODE)
    assert (answer["reason"], answer["field"]) == ("security_code_unchanged", "new_code")
    assert facts(player, SecurityCodeSet) == 1


def test_a_visitor_sets_no_code(house: ApiServer) -> None:
    assert set_code(visitor(house), CODE)["reason"] == "must_register"


def test_a_code_that_a_crash_kept_from_the_engine_is_recorded_by_the_leader(
    house: ApiServer,
) -> None:
    player = house.register()
    house.services.vault.set_code(player.id, CODE)
    raced(lambda: player.call("user/safetyInfo", {}))
    assert facts(player, SecurityCodeSet) == 0, "it only read"
    house.on_loop(house.services.players.record_changes)
    assert facts(player, SecurityCodeSet) == 1


def test_a_new_password_ends_all_other_sessions(house: ApiServer) -> None:
    player, key = house.register(), new_key()
    other = sign_in(player)
    body = {"new_pass": NEW_PASSWORD, "after_pass": PASSWORD}
    assert raced(lambda: player.call("user/newPass", body, key))["msg"] == "Set successfully"
    answer = other.call("user/userInfo", {})
    assert (answer["code"], answer["reason"]) == (50012, "token_revoked")
    assert player.call("user/userInfo", {})["code"] == 1
    old = house.call("user/login", {"account": player.username, "password": PASSWORD})
    assert old["reason"] == "credentials_wrong"
    assert sign_in(player, NEW_PASSWORD).call("user/userInfo", {})["code"] == 1


def test_passwords_that_are_refused(house: ApiServer) -> None:
    player = house.register()
    for new, old, refusal, field in (
        ("short77", PASSWORD, "password_invalid", "new_pass"),
        ("x" * 65, PASSWORD, "password_invalid", "new_pass"),
        (PASSWORD, PASSWORD, "password_unchanged", "new_pass"),
        (NEW_PASSWORD, "y" * 65, "password_wrong", "after_pass"),
        (NEW_PASSWORD, "not-this-one", "password_wrong", "after_pass"),
    ):
        answer = player.call("user/newPass", {"new_pass": new, "after_pass": old}, new_key())
        assert (answer["reason"], answer["field"]) == (refusal, field)
    assert sign_in(player).call("user/userInfo", {})["code"] == 1


def test_three_wrong_old_passwords_lock_signing_in_as_well(house: ApiServer) -> None:
    player = house.register()
    body = {"new_pass": NEW_PASSWORD, "after_pass": "not-this-one"}
    for _ in range(3):
        assert player.call("user/newPass", body, new_key())["reason"] == "password_wrong"
    right = {**body, "after_pass": PASSWORD}
    assert player.call("user/newPass", right, new_key())["reason"] == "password_wrong"


def test_signing_out_ends_this_session_alone(house: ApiServer) -> None:
    player = house.register()
    other = sign_in(player)
    response = house.client.post("/api/user/logout", json={}, headers={"token": player.token})
    assert response.json()["msg"] == "Logged out"
    assert "fairdraw_stream=;" in response.headers["set-cookie"]
    assert "Max-Age=0" in response.headers["set-cookie"]
    assert player.call("user/userInfo", {})["code"] == 50012
    assert player.call("user/logout", {})["code"] == 1, "twice is no mistake"
    assert house.call("user/logout", {})["code"] == 1
    assert other.call("user/userInfo", {})["code"] == 1


def test_open_streams_end_with_their_session(house: ApiServer) -> None:
    """ASVS 7.4.1; a browser reconnects by itself and is identified only by a session."""
    player = house.register()
    other = sign_in(player)
    change = {"new_pass": NEW_PASSWORD, "after_pass": PASSWORD}
    for ending, path, body in ((player, "user/logout", {}), (other, "user/newPass", change)):
        with listening(house, other) as stream:
            assert next(stream)[0] == "heart"
            assert ending.call(path, body)["code"] == 1
            house.wait_until(lambda: not house.services.hub.subscribers.has_stream(player.id))
            assert all(name != "balance" for name, _ in stream)


def test_a_visitor_becomes_a_member_and_stays_the_same_player(house: ApiServer) -> None:
    guest, key, inviter = visitor(house), new_key(), house.register()
    name = f"joined{next(_names)}"
    fields = {"username": name.upper(), "inviter_id": str(inviter.id)}
    info = raced(lambda: join(guest, key, **fields))["data"]["userinfo"]
    assert (info["user_id"], info["username"], info["group_id"]) == (guest.id, name, 1)
    assert (info["token"], info["money"]) == (guest.token, 1000)
    assert (facts(guest, MemberJoined), facts(guest, DepositApproved)) == (1, 1)
    house.next_round()
    assert guest.bet("big", 10)["code"] == 1
    assert sign_in(Player(house, guest.id, name, "")).balance() == 990
    profile = guest.call("user/userInfo", {})["data"]
    assert (profile["username"], profile["nickname"], profile["group_id"]) == (name, name, 1)
    other = join(guest, key, username="joined9999")
    assert (other["reason"], other["field"]) == ("key_reused", "username")


def test_joinings_that_are_refused(house: ApiServer, member: Player) -> None:
    guest = visitor(house)
    for fields, refusal, field in (
        ({"username": "lettersonly"}, "username_invalid", "username"),
        ({"username": member.username}, "username_taken", "username"),
        ({"password": "short77"}, "password_invalid", "password"),
        ({"inviter_id": "unknown"}, "inviter_unknown", "inviter_id"),
        ({"inviter_id": "17"}, "inviter_unknown", "inviter_id"),
        ({"inviter_id": str(guest.id)}, "inviter_unknown", "inviter_id"),
    ):
        answer = join(guest, **fields)
        assert (answer["reason"], answer["field"]) == (refusal, field)
    assert facts(guest, MemberJoined) == 0
    assert join(member)["reason"] == "already_member"


def test_a_joining_that_a_crash_kept_from_the_engine_is_recorded_at_the_next_login(
    house: ApiServer,
) -> None:
    guest, name = visitor(house), f"crashed{next(_names)}"
    registration = RegistrationRequest(name, PASSWORD, 1, None, None)
    house.services.vault.upgrade_guest(guest.id, registration)
    assert guest.bet("big", 10)["reason"] == "must_register"
    sign_in(Player(house, guest.id, name, ""))
    assert facts(guest, MemberJoined) == 1


def test_no_secret_is_in_the_log(house: ApiServer) -> None:
    player = house.register()
    set_code(player, "604738")
    player.call("user/newPass", {"new_pass": NEW_PASSWORD, "after_pass": PASSWORD}, new_key())
    with psycopg.connect(house.conninfos.app) as connection:
        for secret in ("604738", NEW_PASSWORD, PASSWORD):
            row = connection.execute(
                "SELECT count(*) FROM log.facts AS t WHERE originator_id = %s AND ("
                " t::text LIKE %s OR t::text LIKE %s)",
                (player_stream(player.id), f"%{secret}%", f"%{secret.encode().hex()}%"),
            ).fetchone()
            assert row == (0,)
