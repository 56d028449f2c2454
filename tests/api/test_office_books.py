"""Bookings by staff move the right account, and a correction reverses exactly the wrong booking."""

from typing import Any

import psycopg
import pytest

from engine.chart_of_accounts import CHART
from projections import accounts
from tests.api.staffing import decided, office
from tests.api.support import ApiServer, Player, new_key


def books(house: ApiServer) -> dict[str, int]:
    """The house accounts in minor units, players and bots together."""
    house.catch_up()
    with psycopg.connect(house.conninfos.app) as connection:
        totals = accounts.trial_balance(connection)
    assert sum(each.balance for each in totals) == 0
    found: dict[str, int] = {}
    for each in totals:
        found[each.account] = found.get(each.account, 0) + each.balance
    return {name: found[name] for name in found if not name.startswith("player:")}


def changed(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """The difference of each account in minor units."""
    moved = {name: after[name] - before.get(name, 0) for name in after}
    return {name: amount for name, amount in moved.items() if amount}


def enter(player: Player, **body: Any) -> None:
    body = {"player": player.id, "amount": "1250.50", "channel": "bank", **body}
    assert office(player.house, "deposit", **body)["code"] == 1


def correct(player: Player, amount: str, **body: Any) -> None:
    """Propose a correction and have a second person approve it."""
    body = {"player": player.id, "amount": amount, "reason": "see the statement", **body}
    proposed = office(player.house, "adjustment", **body)["data"]["id"]
    assert decided(player.house, "adjustment", proposed, "ben") == "approved"


def test_undoing_a_double_entry_leaves_the_takings_alone_and_the_bank_right(
    house: ApiServer, player: Player
) -> None:
    enter(player, reference=new_key())
    once = books(house)
    due = player.call("user/recharge", {})["data"]["turnover_due"]
    enter(player, reference=new_key())
    correct(player, "-1250.50", kind="double_entry", channel="bank")
    assert changed(once, books(house)) == {}
    assert player.call("user/recharge", {})["data"]["turnover_due"] == due
    assert player.balance() == 2250.5


def booked(house: ApiServer, kind: str, amount: str, **body: Any) -> Any:
    body = {"kind": kind, "channel": "bank", "amount": amount, "reference": new_key(), **body}
    answer = office(house, "booking", **body)
    return answer["data"]["status"] if answer["code"] else answer["reason"]


@pytest.mark.parametrize(
    ("kind", "amount", "account"),
    [
        ("fee", "-12.50", "house:fees"),
        ("capital", "100", "house:capital"),
        ("returned_payout", "20", "house:returned_payouts"),
        ("chargeback", "-30", "house:chargebacks"),
        ("adjustment", "-0.01", "house:adjustments"),
    ],
)
def test_what_the_bank_moved_is_booked_on_the_account_of_its_kind(
    house: ApiServer, kind: str, amount: str, account: str
) -> None:
    before = books(house)
    assert booked(house, kind, amount) == "approved"
    minor = round(float(amount) * 100)
    assert changed(before, books(house)) == {"world:bank": -minor, account: minor}


def test_a_chargeback_that_its_member_covers_costs_the_house_nothing(
    house: ApiServer, player: Player
) -> None:
    before = books(house)
    enter(player, reference=new_key())
    assert booked(house, "chargeback", "-1250.50") == "approved"
    correct(player, "-1250.50", kind="chargeback")
    assert changed(before, books(house)) == {}
    assert player.balance() == 1000


def test_capital_above_the_threshold_takes_two_people_and_is_shown_meanwhile(
    house: ApiServer,
) -> None:
    before = books(house)
    body = {"kind": "capital", "channel": "bank", "amount": 5001, "reference": new_key()}
    booking = office(house, "booking", **body)["data"]
    assert booking["status"] == "requested"
    waiting = office(house, "books")["data"]["waiting"]
    (row,) = (it for it in waiting if it["id"] == booking["id"])
    assert (row["kind"], row["amount"], row["by"]) == ("capital", 5001, "staff:ann")
    assert decided(house, "booking", booking["id"]) == "second_person_needed"
    assert changed(before, books(house)) == {}
    assert decided(house, "booking", booking["id"], "ben") == "approved"
    assert decided(house, "booking", booking["id"], "ben") == "booking_unknown"
    assert changed(before, books(house)) == {"world:bank": -500_100, "house:capital": 500_100}


def test_a_repeated_agreement_to_a_booking_has_the_first_answer(house: ApiServer) -> None:
    before = books(house)
    body = {"kind": "capital", "channel": "bank", "amount": 5001, "reference": new_key()}
    booking = office(house, "booking", **body)["data"]["id"]
    agreement = {"staff": "ben", "id": booking, "approve": True, "key": new_key()}
    for _ in range(2):
        answer = office(house, "bookingDecision", **agreement)
        assert answer["data"] == {"id": booking, "status": "approved"}, answer
    rejected = office(house, "bookingDecision", **{**agreement, "approve": False})
    assert (rejected["reason"], rejected["field"]) == ("key_reused", "approve")
    assert changed(before, books(house)) == {"world:bank": -500_100, "house:capital": 500_100}


def test_one_payment_is_not_credited_to_a_member_and_to_the_house(
    house: ApiServer, player: Player
) -> None:
    reference = new_key()
    enter(player, reference=reference)
    body = {"kind": "capital", "channel": "bank", "amount": 5, "reference": reference}
    answer = office(house, "booking", **body)
    assert (answer["reason"], answer["field"]) == ("reference_used", "reference")
    assert "ann" in answer["msg"]


def test_the_books_are_shown_in_the_words_of_accounting_and_balance(house: ApiServer) -> None:
    booked(house, "fee", "-2")
    house.catch_up()
    shown = office(house, "books")["data"]["accounts"]
    by_name = {it["account"]: it for it in shown}
    assert by_name["house:fees"]["type"] == "expense"
    assert by_name["house:fees"]["balance"] >= 2
    sums = dict.fromkeys(("asset", "liability", "equity", "income", "expense"), 0)
    for it in shown:
        sums[it["type"]] += round(it["balance"] * 100)
    assert sums["asset"] + sums["expense"] == sums["liability"] + sums["equity"] + sums["income"]


def test_every_account_of_the_books_is_in_the_chart(house: ApiServer) -> None:
    house.catch_up()
    with psycopg.connect(house.conninfos.app) as connection:
        named = {each.account for each in accounts.trial_balance(connection)}
    assert named <= {name for name, _, _ in CHART}


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"kind": "whim"}, "request_malformed", "kind"),
        ({"channel": "demo"}, "channel_unknown", "channel"),
        ({"amount": 0}, "amount_invalid", "amount"),
        ({"reference": ""}, "request_malformed", "reference"),
    ],
)
def test_a_booking_that_makes_no_sense_is_refused(
    house: ApiServer, fields: dict[str, Any], reason: str, field: str
) -> None:
    body = {"kind": "fee", "channel": "bank", "amount": -1, "reference": "x", **fields}
    answer = office(house, "booking", **body)
    assert (answer["reason"], answer["field"]) == (reason, field)


def test_a_correction_of_an_unknown_kind_is_refused(house: ApiServer, player: Player) -> None:
    body = {"player": player.id, "amount": -1, "reason": "see the statement", "kind": "whim"}
    answer = office(house, "adjustment", **body)
    assert (answer["reason"], answer["field"]) == ("correction_unknown", "kind")
