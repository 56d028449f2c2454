"""Announced deposits: not usable until staff have seen the money arrive."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest

from engine.house.commands import SetReceivingAccounts
from engine.players.commands import ExcludeSelf, SetLimit
from engine.terms import ReceivingAccounts
from tests.api.banking import command
from tests.api.staffing import office
from tests.api.support import SECOND_US, ApiServer, Player, new_key

TIMES = 50


def announce(player: Player, key: str | None = None, **fields: Any) -> dict[str, Any]:
    body = {"amount": 250, "channel": "bank", "reference": f"invoice {player.id}", **fields}
    return player.call("user/deposit", body, key or new_key())


def statement(player: Player) -> list[dict[str, Any]]:
    """The statement's rows without the opening gift that every demo player gets."""
    player.house.catch_up()
    rows: list[dict[str, Any]] = player.call("user/quantityLogList", {})["data"]
    return rows[:-1]


def waiting(house: ApiServer, player: Player) -> list[dict[str, Any]]:
    house.catch_up()
    queue = office(house, "queue", kind="deposit")["data"]
    return [item for item in queue if item["player"] == player.id]


def test_the_page_shows_where_to_send_money_and_what_it_leads_to(
    house: ApiServer, player: Player
) -> None:
    accounts = ReceivingAccounts("TAddress", "Bank of Tests", "42", "House")
    for by in ("staff:ann", "staff:bob"):
        command(house, SetReceivingAccounts(accounts, by))
    command(house, SetLimit(player.id, "deposit", "day", 2_000_00))
    announce(player, amount=300)
    house.catch_up()
    info = player.call("user/recharge", {})["data"]
    assert info == {
        "money": 1000,
        "usdt": "TAddress",
        "bankname": "Bank of Tests",
        "banknum": "42",
        "bankxm": "House",
        "channels": ["bank", "usdt", "online"],
        "room": 700,  # the gift came in as a deposit of the same day
        "turnover_due": 1000,
        "pending": 300,
    }


def test_without_a_limit_of_ones_own_there_is_no_room_to_name(player: Player) -> None:
    assert player.call("user/recharge", {})["data"]["room"] is None


def test_an_announced_deposit_cannot_be_used_until_it_is_approved(
    house: ApiServer, player: Player
) -> None:
    """A deposit is unusable until approved, with a reference (GLI-19 2.5.6c)."""
    notice = announce(player)["data"]
    assert (notice["status"], notice["amount"], notice["channel"]) == ("requested", 250, "bank")
    assert player.balance() == 1000
    (row,) = statement(player)
    assert (row["type"], row["status"], row["quantity"], row["over"]) == (0, 0, 250, 1000)
    (item,) = waiting(house, player)
    assert (item["id"], item["words"], item["amount"]) == (
        *(notice["id"], f"invoice {player.id}", 250),
    )

    approved = office(house, "depositDecision", id=notice["id"], approve=True)
    assert (approved["data"]["status"], approved["data"]["money"]) == ("approved", 1250)
    (row,) = statement(player)
    assert (row["type"], row["status"], row["quantity"], row["over"]) == (0, 1, 250, 1250)
    assert player.balance() == 1250
    assert player.call("user/recharge", {})["data"]["turnover_due"] == 1250
    assert player.call("user/withdrawInfo", {})["data"]["turnover"]["due"] == 1250
    assert waiting(house, player) == []


def test_a_rejected_deposit_is_shown_as_such_and_credits_nothing(
    house: ApiServer, player: Player
) -> None:
    notice = announce(player)["data"]
    house.catch_up()
    reason: dict[str, Any] = {"approve": False, "reason": "no such transfer from Jane"}
    rejected = office(house, "depositDecision", id=notice["id"], **reason)
    assert (rejected["data"]["status"], rejected["data"]["money"]) == ("rejected", 1000)
    assert [row["status"] for row in statement(player)] == [2]
    assert player.balance() == 1000
    again = office(house, "depositDecision", id=notice["id"], approve=True)
    assert (again["reason"], again["field"]) == ("deposit_unknown", "id")


def test_a_deposit_that_a_colleague_decided_is_refused_with_who_did_what_and_when(
    house: ApiServer, player: Player
) -> None:
    deposit = announce(player)["data"]["id"]
    house.catch_up()
    office(house, "depositDecision", id=deposit, approve=True)
    zone = ZoneInfo(house.settings.timezone)
    at = datetime.fromtimestamp(house.clock.now // SECOND_US, zone)
    late = office(house, "depositDecision", staff="ben", id=deposit, approve=True)
    assert (late["reason"], late["field"]) == ("deposit_unknown", "id")
    expected = f"There is no such pending deposit: approved by ann, {at:%Y-%m-%d %H:%M}"
    assert late["msg"] == expected
    chinese = office(house, "depositDecision", staff="ben", id=deposit, approve=True, lang="zh")
    assert "ann" in chinese["msg"]
    assert "批准" in chinese["msg"]
    nothing = office(house, "depositDecision", staff="ben", id="deposit-0", approve=True)
    assert nothing["msg"] == "There is no such pending deposit"


def test_transfer_references_stay_out_of_the_log(house: ApiServer, player: Player) -> None:
    announce(player, reference="from Xaviera Quux")
    with psycopg.connect(house.conninfos.app) as connection:
        logged = connection.execute(
            "SELECT count(*) FROM log.facts WHERE convert_from(state, 'UTF8') LIKE '%Quux%'"
        )
        assert logged.fetchone() == (0,)
        kept = connection.execute("SELECT player FROM vault.words WHERE words LIKE '%Quux%'")
        assert kept.fetchall() == [(player.id,)]


def test_an_online_deposit_is_an_order_that_the_gateway_is_paid_for(player: Player) -> None:
    order = announce(player, channel="online", amount="12.5")["data"]
    assert order["status"] == "requested"
    assert order["pay_at"] == f"http://127.0.0.1:8100/pay?order={order['id']}&amount=12.50"
    assert player.balance() == 1000


def test_an_announcement_sent_many_times_at_once_is_one(house: ApiServer, player: Player) -> None:
    """Money commands are idempotent across retries (GLI-19 B.3.5a)."""
    key = new_key()
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: announce(player, key), range(TIMES)))
    assert [answer["data"] for answer in answers] == [answers[0]["data"]] * TIMES
    assert len(waiting(house, player)) == 1
    assert len(statement(player)) == 1


def test_a_key_used_for_another_announcement_names_the_field(player: Player) -> None:
    key = new_key()
    announce(player, key)
    for fields in ({"amount": 251}, {"channel": "usdt"}, {"reference": "other"}):
        answer = announce(player, key, **fields)
        assert (answer["reason"], answer["field"]) == ("key_reused", *fields)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"amount": 0}, "amount_invalid", "amount"),
        ({"amount": -5}, "amount_invalid", "amount"),
        ({"amount": "1.001"}, "amount_invalid", "amount"),
        ({"amount": "many"}, "amount_invalid", "amount"),
        ({"amount": None}, "amount_invalid", "amount"),
        ({"amount": "1e400"}, "amount_invalid", "amount"),
        ({"amount": 1_000_000_001}, "amount_invalid", "amount"),
        ({"channel": "demo"}, "channel_unknown", "channel"),
        ({"channel": ""}, "channel_unknown", "channel"),
        ({"reference": ""}, "request_malformed", "reference"),
        ({"reference": "\u0000 \u202e"}, "request_malformed", "reference"),
        ({"reference": "x" * 201}, "request_malformed", "reference"),
    ],
)
def test_what_is_no_deposit_is_refused(
    house: ApiServer, player: Player, fields: dict[str, Any], reason: str, field: str
) -> None:
    answer = announce(player, **fields)
    assert (answer["code"], answer["reason"], answer["field"]) == (0, reason, field)
    assert waiting(house, player) == []


def test_guests_must_register_before_they_pay_in(house: ApiServer) -> None:
    guest = house.register(group_id=2)
    assert announce(guest)["reason"] == "must_register"
    assert guest.call("user/recharge", {})["reason"] == "must_register"


def test_no_deposit_without_a_session(house: ApiServer) -> None:
    for path in ("user/deposit", "user/recharge"):
        assert house.call(path, {}, key=new_key())["reason"] == "token_unknown"


def test_only_so_many_deposits_wait_at_once(player: Player) -> None:
    answers = [announce(player, amount=1) for _ in range(11)]
    assert [answer["code"] for answer in answers] == [1] * 10 + [0]
    assert answers[-1]["reason"] == "deposits_pending"


def test_a_members_own_limit_counts_what_is_on_its_way(house: ApiServer, player: Player) -> None:
    """Limits: the lowest of several applies (GLI-19 A.3.7a; RTS 12)."""
    command(house, SetLimit(player.id, "deposit", "day", 1_500_00))
    command(house, SetLimit(player.id, "deposit", "month", 9_000_00))
    assert announce(player, amount=300)["code"] == 1
    over = announce(player, amount=201)
    assert (over["reason"], over["field"]) == ("deposit_limit_reached", "amount")
    assert announce(player, amount=200)["code"] == 1


def test_money_that_arrives_above_a_limit_goes_back(house: ApiServer, player: Player) -> None:
    notice = announce(player)["data"]
    command(house, SetLimit(player.id, "deposit", "day", 1_100_00))
    house.catch_up()
    decided = office(house, "depositDecision", id=notice["id"], approve=True)["data"]
    assert (decided["status"], decided["money"]) == ("returned", 1000)
    assert player.balance() == 1000


def test_an_excluded_member_pays_nothing_in(house: ApiServer, player: Player) -> None:
    """Exclusion is immediate (GLI-19 A.3.8)."""
    early = announce(player)["data"]
    command(house, ExcludeSelf(player.id, None))
    assert announce(player)["reason"] == "excluded"
    house.catch_up()
    decided = office(house, "depositDecision", id=early["id"], approve=True)["data"]
    assert decided["status"] == "returned"


def test_whom_staff_closed_pays_nothing_in(house: ApiServer, player: Player) -> None:
    office(house, "memberSwitch", player=player.id, closed=True, reason="asked us to")
    assert announce(player)["reason"] == "account_closed"
