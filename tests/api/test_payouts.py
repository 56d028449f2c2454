"""Payout accounts and legal identity: masked, unique to one person, and recorded in the log.

GLI-19 2.5.2d, 2.5.6d; LCCP 17.1.1; ASVS 8.2.2, 14.2.6.
"""

from functools import partial
from typing import Any

import psycopg
import pytest

from engine.players.facts import BaseInfoCompleted, PayoutAccountSet
from engine.runtime.vault.private_fields import IDCARD
from engine.runtime.vault.validation import bank_card
from tests.api.banking import HOLDER, at_once, card, facts, raced
from tests.api.support import SECOND_US, ApiServer, Player, new_key

DAY_S = 24 * 3600
ADDRESS = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"


@pytest.fixture(scope="module")
def member(house: ApiServer) -> Player:
    """A player with a bank card. Refused calls change nothing about the player."""
    player = house.register()
    assert player.call("user/setPayInfo", card(), new_key())["code"] == 1
    return player


def test_a_card_is_shown_with_half_of_its_holder_and_its_last_four_digits(house: ApiServer) -> None:
    player = house.register()
    given = card(acc_name="张三")
    answer = player.call("user/setPayInfo", given, new_key())
    assert answer["msg"] == "Added successfully"
    shown = player.call("user/payInfo", {"type": 0})["data"]
    assert shown == answer["data"]
    assert shown["acc"] == f"****{given['acc'][-4:]}"
    assert (shown["acc_name"], shown["acc_bank"]) == ("张****", "Bank of Tests")
    assert shown["usable_at"] == house.clock.now // SECOND_US + DAY_S


def test_a_wallet_is_shown_with_its_type(house: ApiServer) -> None:
    player = house.register()
    body = {"acc": ADDRESS, "acc_name": "TRC20", "acc_bank": "", "mark": "mine", "type": 1}
    assert player.call("user/setPayInfo", body, new_key())["code"] == 1
    shown = player.call("user/payInfo", {"type": 1})["data"]
    assert (shown["acc"], shown["acc_name"], shown["acc_bank"]) == ("TQn****bLSE", "trc20", "")
    info = player.call("user/withdrawInfo", {})["data"]
    assert info["pay_list"][1] == shown
    assert info["pay_list"][0]["is_set"] is False


@pytest.mark.parametrize(
    ("fields", "refusal", "field"),
    [
        ({"acc": "1234567"}, "payout_account_invalid", "acc"),
        ({"acc": "not digits"}, "payout_account_invalid", "acc"),
        ({"acc": "9" * 500}, "payout_account_invalid", "acc"),
        ({"acc_name": " "}, "payout_account_invalid", "acc_name"),
        ({"acc_bank": ""}, "payout_account_invalid", "acc_bank"),
        ({"type": 2}, "payout_account_invalid", "type"),
        ({"acc_name": "Charles Babbage"}, "holder_mismatch", "acc_name"),
        ({"type": 1, "acc": ADDRESS, "acc_name": "btc"}, "wallet_type_unknown", "acc_name"),
        ({"type": 1, "acc": "nowhere", "acc_name": "erc20"}, "payout_account_invalid", "acc"),
        ({"acc": None}, "request_malformed", "acc"),
    ],
)
def test_what_is_no_account_is_refused(
    member: Player, fields: dict[str, Any], refusal: str, field: str
) -> None:
    before = facts(member, PayoutAccountSet)
    answer = member.call("user/setPayInfo", card(**fields), new_key())
    assert (answer["reason"], answer["field"]) == (refusal, field)
    assert facts(member, PayoutAccountSet) == before


def test_an_account_of_no_kind_is_not_shown(member: Player) -> None:
    assert member.call("user/payInfo", {"type": 9})["reason"] == "payout_account_invalid"


def test_a_card_saved_many_times_at_once_under_one_key_is_one(house: ApiServer) -> None:
    player, given, key = house.register(), card(), new_key()
    assert raced(lambda: player.call("user/setPayInfo", given, key))["code"] == 1
    assert facts(player, PayoutAccountSet) == 1
    other = player.call("user/setPayInfo", card(), key)
    assert (other["reason"], other["field"]) == ("key_reused", "acc")
    assert facts(player, PayoutAccountSet) == 1


def test_cards_saved_at_once_leave_the_engine_with_the_one_that_is_shown(house: ApiServer) -> None:
    player = house.register()
    at_once([partial(player.call, "user/setPayInfo", card(), new_key()) for _ in range(10)])
    assert facts(player, PayoutAccountSet) == 10
    shown = player.call("user/payInfo", {"type": 0})["data"]["acc"]
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT id FROM vault.payout_accounts WHERE player = %s AND current", (player.id,)
        ).fetchone()
    assert row is not None
    view = house.on_loop(lambda: looking(house, player))
    assert [each.account for each in view.payouts] == [row[0]]
    assert shown.startswith("****")


async def looking(house: ApiServer, player: Player) -> Any:
    """Returns the player's state in the engine."""
    return await house.services.engine.player(player.id)


def test_base_info_is_completed_once_and_shown_masked(house: ApiServer) -> None:
    player, key = house.register(), new_key()
    assert player.call("user/userInfo", {})["data"]["usercrud"] is False
    answer = raced(lambda: player.call("user/profile", {"idcard": "S1234567-D"}, key))
    assert answer["msg"] == "Submitted successfully"
    assert answer["data"]["idcard"] == "****67-D"
    assert facts(player, BaseInfoCompleted) == 1
    profile = player.call("user/userInfo", {})["data"]
    assert (profile["usercrud"], profile["idcard"], profile["level"]) == (True, "****67-D", "basic")
    assert player.call("user/profile", {"idcard": "s1234567d"}, new_key())["code"] == 1
    other = player.call("user/profile", {"idcard": "S7654321D"}, new_key())
    assert (other["reason"], other["field"]) == ("idcard_already_set", "idcard")
    again = player.call("user/profile", {"idcard": "S7654321D"}, key)
    assert (again["reason"], again["field"]) == ("key_reused", "idcard")


def test_an_id_card_number_may_be_the_number_zero(player: Player) -> None:
    answer = player.call("user/profile", {"idcard": 0}, new_key())
    assert answer["code"] == 1


@pytest.mark.parametrize("idcard", ["", "   ", "-", None, "x" * 41, "x" * 500, "tab\tin it"])
def test_what_is_no_id_card_number_is_refused(member: Player, idcard: str | None) -> None:
    answer = member.call("user/profile", {"idcard": idcard}, new_key())
    assert (answer["reason"], answer["field"]) == ("idcard_invalid", "idcard")
    assert facts(member, BaseInfoCompleted) == 0


def test_an_avatar_is_one_of_eight(member: Player) -> None:
    assert member.call("user/profile", {"avatar": 5}, new_key())["data"]["avatar"] == 5
    assert member.call("user/userInfo", {})["data"]["avatar"] == 5
    for avatar in (0, 9, -1):
        answer = member.call("user/profile", {"avatar": avatar}, new_key())
        assert (answer["reason"], answer["field"]) == ("request_malformed", "avatar")


def test_a_visitor_gives_neither_identity_nor_account(house: ApiServer) -> None:
    visitor = house.register(username="visitor1795226700", password="QWERTY", group_id=2)
    for path, body in (("setPayInfo", card()), ("profile", {"idcard": "X1"})):
        assert visitor.call(f"user/{path}", body, new_key())["reason"] == "must_register"
    with psycopg.connect(house.conninfos.app) as connection:
        for table in ("payout_accounts", "private_fields"):
            query = f"SELECT count(*) FROM vault.{table} WHERE player = %s"
            assert connection.execute(query.encode(), (visitor.id,)).fetchone() == (0,)


def test_what_a_crash_kept_from_the_engine_is_recorded_by_the_leader(house: ApiServer) -> None:
    player, vault = house.register(), house.services.vault
    given = bank_card("6222000011112222", HOLDER, "Bank of Tests")
    vault.save_private_field(player.id, IDCARD, "CRASH-1")
    vault.save_payout_account(player.id, given)  # type: ignore[arg-type]  # it is a card
    assert (facts(player, BaseInfoCompleted), facts(player, PayoutAccountSet)) == (0, 0)
    assert raced(lambda: player.call("user/withdrawInfo", {}))["data"]["usercrud"] is True
    assert (facts(player, BaseInfoCompleted), facts(player, PayoutAccountSet)) == (0, 0), "it read"
    for _ in range(2):
        house.on_loop(house.services.players.record_changes)
        assert (facts(player, BaseInfoCompleted), facts(player, PayoutAccountSet)) == (1, 1)


def test_a_command_records_what_a_crash_kept_from_the_engine(house: ApiServer) -> None:
    player = house.register()
    house.services.vault.save_private_field(player.id, IDCARD, "CRASH-2")
    player.call("user/setPayInfo", card(), new_key())
    assert facts(player, BaseInfoCompleted) == 1


def test_a_change_during_the_recording_is_recorded_next(house: ApiServer) -> None:
    player, vault = house.register(), house.services.vault
    vault.save_private_field(player.id, IDCARD, "CRASH-3")
    changes = dict(vault.changed_players(10_000))[player.id]
    vault.save_payout_account(player.id, bank_card("6222000011113333", HOLDER, "Bank of Tests"))  # type: ignore[arg-type]  # it is a card
    vault.change_recorded(player.id, changes)
    house.on_loop(house.services.players.record_changes)
    assert facts(player, PayoutAccountSet) == 1
    assert player.id not in dict(vault.changed_players(10_000))


def test_nothing_that_a_member_gave_can_be_read_in_the_database(house: ApiServer) -> None:
    player = house.register()
    given = card(acc_name="Grace Hopper")
    player.call("user/profile", {"idcard": "SECRET-4711"}, new_key())
    player.call("user/setPayInfo", given, new_key())
    written = (given["acc"], "Grace Hopper", "SECRET-4711")
    plain = [f"%{words}%" for words in written]
    hexed = [f"%{words.encode().hex()}%" for words in written]
    with psycopg.connect(house.conninfos.app) as connection:
        for table in ("log.facts", "log.outcomes", "vault.payout_accounts", "vault.private_fields"):
            query = f"SELECT count(*) FROM {table} AS t WHERE t::text LIKE ANY(%s)"
            row = connection.execute(query.encode(), (plain + hexed,)).fetchone()
            assert row == (0,), table
