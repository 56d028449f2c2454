"""Withdrawals: requirements, security code, one effect per key, and no money created.

GLI-19 2.5.6d, 4.3.3b, A.3.6c, B.3.5a; ASVS 6.6.3, 7.3.1; RTS 14B.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from argon2 import PasswordHasher

from api.http.asgi_app import CALLS
from api.http.localization import TRANSLATED
from engine.cashier.commands import ApproveDeposit
from engine.cashier.facts import WithdrawalRequested
from engine.money import units
from engine.players.commands import ReserveQuota
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.vault import password_login
from engine.runtime.vault.sessions import IDLE_US
from tests.api.banking import (
    CODE,
    at_once,
    card,
    command,
    facts,
    give,
    identify,
    prepare,
    raced,
    set_terms,
    sign_in,
    tries,
    withdraw,
)
from tests.api.call_path import traced
from tests.api.conftest import opened
from tests.api.support import SECOND_US, ApiServer, Player, call_again_after_a_cut, new_key
from tests.databases import new_database

WRONG = "918204"


@pytest.fixture(scope="module")
def house(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """A server without demo gifts, and without cooling times."""
    data: Path = tmp_path_factory.mktemp("withdrawals")
    with (
        new_database(postgres) as database,
        opened(database, data) as served,
        pytest.MonkeyPatch.context() as patch,
    ):
        # The real hasher with a low cost: hundreds of codes are verified here.
        patch.setattr(password_login, "_HASHER", PasswordHasher(1, 8, 1))
        set_terms(served, cooling_us=0)
        yield served


@pytest.fixture(scope="module")
def prepared(house: ApiServer) -> Player:
    """A player with everything that a withdrawal needs. Tests leave different balances."""
    player = house.register()
    prepare(player)
    return player


@pytest.fixture
def player(prepared: Player) -> Player:
    """The same player with exactly 1,000 u."""
    prepared.house.catch_up()
    missing = 1000 - prepared.balance()
    if missing:
        give(prepared, missing)
    return prepared


def reason(answer: dict[str, Any]) -> str:
    """The refusal's name; its message is checked."""
    assert answer["code"] == 0, answer
    assert answer["msg"] == TRANSLATED["en"].refusal(answer["reason"])
    found: str = answer["reason"]
    return found


def test_missing_requirements_are_requested_in_the_specifications_order(house: ApiServer) -> None:
    player = house.register()

    def refusal_of(**fields: Any) -> str:
        return reason(withdraw(player, **{"amount": "", "securityCode": WRONG, **fields}))

    assert refusal_of() == "base_info_missing"
    identify(player)
    assert refusal_of() == "payout_account_missing"
    player.call("user/setPayInfo", card())
    assert refusal_of() == "security_code_missing"
    player.call("user/setSafety", {"new_code": CODE, "after_code": ""})
    assert refusal_of(type=1) == "payout_account_missing"
    assert refusal_of(type=7) == "payout_account_missing"
    assert refusal_of(amount="") == "withdrawal_amount_missing"
    assert refusal_of(amount=None) == "withdrawal_amount_missing"
    nothing: tuple[Any, ...] = ("ten", "1_00", " 100", 1.001, True, [], "NaN", "Infinity")
    for amount in nothing:
        assert refusal_of(amount=amount) == "amount_invalid", amount
    for too_small in ("99.99", 0, "0", -5, -(10**30)):
        assert refusal_of(amount=too_small) == "withdrawal_too_small", too_small
    assert tries(player) == 0, "no code was looked at so far"
    assert refusal_of(amount=100) == "security_code_wrong"
    assert refusal_of(amount=100, securityCode="12345") == "security_code_invalid"
    assert refusal_of(amount=100, securityCode=None) == "security_code_invalid"
    assert tries(player) == 1
    assert refusal_of(amount=100, securityCode=CODE) == "withdrawal_funds_insufficient"
    assert refusal_of(amount=10**30, securityCode=CODE) == "withdrawal_funds_insufficient"


def test_a_visitor_must_register_first(house: ApiServer) -> None:
    visitor = house.register(username="visitor1795226700", password="QWERTY", group_id=2)
    assert reason(withdraw(visitor)) == "must_register"


def test_an_accepted_withdrawal_leaves_the_balance_at_once(player: Player) -> None:
    answer = withdraw(player, "250.50")
    assert answer["msg"] == "Submitted successfully"
    data = answer["data"]
    assert (data["quantity"], data["money"], data["status"]) == (250.5, 749.5, "requested")
    assert player.balance() == 749.5
    heart = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert heart["user_quantity"]["money"] == 749.5
    info = player.call("user/withdrawInfo", {})["data"]
    assert info["money"] == 749.5
    requested = {"id": data["id"], "type": 0, "quantity": 250.5, "status": "requested"}
    assert requested.items() <= info["withdrawals"][-1].items()


def test_a_withdrawal_passes_through_few_modules_and_returns_to_none(player: Player) -> None:
    """An engineer can read a withdrawal from its handler on, one module after the other."""
    with traced(player.house) as path:
        assert withdraw(player)["msg"] == "Submitted successfully"
    assert path.stops("api/http/idempotency.py") == [
        "api/http/idempotency.py",
        "api/cashier/withdrawals.py",
        "api/account/player_sync.py",
        "api/http/load_limits.py",
        "api/http/commands.py",
    ]


def test_guests_must_register_before_they_see_what_can_be_withdrawn(house: ApiServer) -> None:
    guest = house.register(group_id=2)
    assert guest.call("user/withdrawInfo", {})["reason"] == "must_register"


def test_turnover_due_blocks_a_withdrawal_and_is_shown(house: ApiServer) -> None:
    player = house.register()
    prepare(player)
    command(house, ApproveDeposit(player.id, new_key(), "bank", units(200), "", "staff:ann"))
    assert reason(withdraw(player, 200, securityCode=WRONG)) == "security_code_wrong"
    assert reason(withdraw(player, 200)) == "turnover_unmet"
    info = player.call("user/withdrawInfo", {})["data"]
    assert info["turnover"] == {"due": 200, "done": 0}
    assert info["minimum"] == 100


def test_a_reserved_quota_closes_withdrawals_until_a_time_that_is_shown(house: ApiServer) -> None:
    player = house.register()
    prepare(player)
    give(player, 500)
    command(house, ReserveQuota(player.id))
    assert reason(withdraw(player)) == "quota_reserved"
    quota = player.call("user/withdrawInfo", {})["data"]["quota"]
    assert (quota["level"], quota["due"]) == (1, 10_000)
    assert quota["until"] > house.clock.now // SECOND_US


def test_a_new_account_and_a_new_code_have_to_cool_whichever_takes_longer(house: ApiServer) -> None:
    player = house.register()
    identify(player)
    set_terms(house, cooling_us=3600 * SECOND_US)
    player.call("user/setPayInfo", card())
    set_terms(house, cooling_us=7200 * SECOND_US)
    player.call("user/setSafety", {"new_code": CODE, "after_code": ""})
    set_terms(house, cooling_us=0)
    give(player, 500)
    assert reason(withdraw(player)) == "payout_cooling"
    info = player.call("user/withdrawInfo", {})["data"]
    until = house.clock.now // SECOND_US + 7200
    assert (info["cooling_until"], info["pay_list"][0]["usable_at"]) == (until, until)


def test_one_key_is_one_withdrawal_whatever_code_comes_with_it_again(player: Player) -> None:
    key = new_key()
    first = withdraw(player, 100, key)
    consumed = tries(player)
    assert withdraw(player, 100, key)["data"] == first["data"]
    assert withdraw(player, 100, key, securityCode=WRONG)["data"] == first["data"]
    assert withdraw(player, "100.00", key)["data"] == first["data"], "the same amount"
    assert tries(player) == consumed
    assert player.balance() == 900


def test_many_at_once_under_one_key_are_one_withdrawal_and_one_try(player: Player) -> None:
    key, before, consumed = new_key(), facts(player, WithdrawalRequested), tries(player)
    assert raced(lambda: withdraw(player, 100, key))["code"] == 1
    assert facts(player, WithdrawalRequested) == before + 1
    assert tries(player) == consumed + 1
    assert player.balance() == 900


def test_a_key_used_for_another_withdrawal_names_the_field(player: Player) -> None:
    key = new_key()
    withdraw(player, 100, key)
    for change, field in (({"money": 101}, "money"), ({"type": 1}, "type")):
        answer = withdraw(player, key=key, **change)
        assert (reason(answer), answer["field"]) == ("key_reused", field)
    assert player.balance() == 900


def test_a_wrong_code_is_not_remembered_under_the_key(player: Player) -> None:
    key = new_key()
    assert reason(withdraw(player, 100, key, securityCode=WRONG)) == "security_code_wrong"
    assert withdraw(player, 100, key)["code"] == 1
    assert player.balance() == 900


def test_an_old_clients_retry_after_a_broken_connection_joins_its_first_withdrawal(
    house: ApiServer, player: Player
) -> None:
    body = {"type": 0, "money": 100, "securityCode": CODE}
    again = call_again_after_a_cut(house, player, "/api/user/withdrawAction", body)
    assert again["code"] == 1
    assert player.balance() == 900
    assert withdraw(player, 100)["data"]["money"] == 800, "another key is another withdrawal"


def test_what_the_engine_refused_is_remembered_and_costs_no_second_try(player: Player) -> None:
    key = new_key()
    assert reason(withdraw(player, 1001, key)) == "withdrawal_funds_insufficient"
    consumed = tries(player)
    give(player, 1000)
    assert reason(withdraw(player, 1001, key)) == "withdrawal_funds_insufficient"
    assert tries(player) == consumed


def test_two_hundred_at_once_on_a_balance_for_ten_are_ten(player: Player) -> None:
    """GLI-19 4.3.3b."""
    before = facts(player, WithdrawalRequested)
    answers = at_once([lambda: withdraw(player, 100)] * 200)
    refused = [answer["reason"] for answer in answers if answer["code"] == 0]
    assert refused == ["withdrawal_funds_insufficient"] * 190
    assert facts(player, WithdrawalRequested) == before + 10
    assert player.balance() == 0


def test_bets_against_withdrawals_make_no_money(house: ApiServer, player: Player) -> None:
    house.next_round()
    bets = [lambda: player.bet("big", 50) for _ in range(30)]
    takings = [lambda: withdraw(player, 100) for _ in range(15)]
    mixed = [call for pair in zip(bets[::2], bets[1::2], takings, strict=True) for call in pair]
    before = player.call("user/withdrawInfo", {})["data"]["withdrawing"]
    answers = at_once(mixed)
    short = {"funds_insufficient", "withdrawal_funds_insufficient"}
    assert {answer.get("reason") for answer in answers} <= {None, *short}
    staked = sum(each["data"]["quantity"] for each in answers[0::3] + answers[1::3] if each["data"])
    taken = sum(each["data"]["quantity"] for each in answers[2::3] if each["data"])
    house.catch_up()
    profile = player.call("user/userInfo", {})["data"]
    assert staked + taken + profile["money"] == 1000
    assert profile["total_assets"] == profile["money"] + staked + taken + before


def test_guesses_made_at_once_all_count_and_lock_the_code(house: ApiServer) -> None:
    """ASVS 6.6.3: ten failures lock the code permanently."""
    player = house.register()
    prepare(player)
    give(player, 500)
    answers = at_once([lambda: withdraw(player, 100, securityCode=WRONG)] * 20)
    reasons = sorted(answer["reason"] for answer in answers)
    assert reasons == ["security_code_locked"] * 10 + ["security_code_wrong"] * 10
    assert reason(withdraw(player, 100)) == "security_code_locked"
    assert player.call("user/safetyInfo", {})["data"]["locked"] is True
    assert player.balance() == 500


def test_no_code_is_in_the_log(house: ApiServer, player: Player) -> None:
    withdraw(player, 100)
    for code in (CODE, WRONG):
        with psycopg.connect(house.conninfos.app) as connection:
            for table, column in (("facts", "state"), ("outcomes", "command"), ("outcomes", "key")):
                query = f"SELECT count(*) FROM log.{table} WHERE {column}::text LIKE %s"
                plain, hexed = f"%{code}%", f"%{code.encode().hex()}%"
                for words in (plain, hexed):
                    row = connection.execute(query.encode(), (words,)).fetchone()
                    assert row == (0,), (table, column)


def test_answers_match_the_schema(player: Player) -> None:
    answers = {
        "user/withdrawAction": withdraw(player, 100),
        **{
            path: player.call(path, {})
            for path in ("user/withdrawInfo", "user/payInfo", "user/safetyInfo", "user/userInfo")
        },
    }
    for path, answer in answers.items():
        (call,) = [call for call in CALLS if call.path == f"/api/{path}"]
        msgspec.convert(answer["data"], call.response_type)


def test_another_members_withdrawals_are_nobodys_business(house: ApiServer, player: Player) -> None:
    withdraw(player, 100)
    stranger = house.register()
    info = stranger.call("user/withdrawInfo", {})["data"]
    assert info["withdrawals"] == []
    assert [account["is_set"] for account in info["pay_list"]] == [False, False]


def test_a_session_that_was_idle_moves_no_money_but_may_bet(
    house: ApiServer, player: Player
) -> None:
    """The app sends heartbeats by itself, so they do not show that a person is present."""
    house.clock.now += IDLE_US - SECOND_US
    player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})
    house.clock.now += SECOND_US
    answer = withdraw(player, 100)
    assert (answer["code"], answer["reason"]) == (0, "step_up_needed")
    for path in ("user/setPayInfo", "user/setSafety"):
        assert player.call(path, {**card(), "new_code": CODE})["reason"] == "step_up_needed"
    house.next_round()
    assert player.bet("big", 10)["code"] == 1
    again = sign_in(player)
    assert withdraw(again, 100)["code"] == 1
    house.clock.now += IDLE_US - SECOND_US
    again.call("user/userInfo", {})
    house.clock.now += SECOND_US
    assert withdraw(again, 100)["code"] == 1, "looking at the own page is being there"


def test_keys_are_remembered_by_the_house_that_starts_again(
    database: Conninfos, tmp_path: Path
) -> None:
    """GLI-19 B.3.5a."""
    kept, refused = new_key(), new_key()
    with opened(database, tmp_path) as first:
        set_terms(first, cooling_us=0)
        player = first.register()
        prepare(player)
        give(player, 500)
        accepted = withdraw(player, 100, kept)["data"]
        assert reason(withdraw(player, 500, refused)) == "withdrawal_funds_insufficient"
    with opened(database, tmp_path) as second:
        later, consumed = Player(second, player.id, player.username, player.token), tries(player)
        give(later, 1000)
        assert withdraw(later, 100, kept, securityCode=WRONG)["data"] == accepted
        assert reason(withdraw(later, 500, refused)) == "withdrawal_funds_insufficient"
        other = withdraw(later, 101, kept)
        assert (reason(other), other["field"]) == ("key_reused", "money")
        assert tries(later) == consumed
        second.catch_up()
        assert later.balance() == 1400
