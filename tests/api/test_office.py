"""Payments over HTTP by staff: what one person may do, what takes two, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from engine.players.facts import PayoutShown
from tests.api.banking import card, facts, give, prepare, raced, set_terms, withdraw
from tests.api.staffed import harmless
from tests.api.staffing import close, decided, deposit, office
from tests.api.support import ApiServer, Player, new_key
from tests.probing.matrix import MACHINE_MAY, MAY


@pytest.fixture(autouse=True)
def without_waiting(house: ApiServer) -> Any:
    """A new payout account can be used at once."""
    set_terms(house, cooling_us=0)
    yield
    set_terms(house)


def withdrawal(player: Player, amount: float = 200) -> str:
    """A pending withdrawal on which no turnover is due."""
    prepare(player)
    return more(player, amount)


def more(player: Player, amount: float) -> str:
    close(player)  # so that turnover due on the gift does not block it
    answer = withdraw(player, amount)
    assert answer["code"] == 1, answer
    player.house.catch_up()
    number: str = answer["data"]["id"]
    return number


# Authentication.


@pytest.mark.parametrize("call", MAY)
def test_only_staff_are_let_in(house: ApiServer, player: Player, call: str) -> None:
    """A caller without a pass or the machine's secret is not staff (ASVS 8.2.1)."""
    body = {**harmless(call), "player": player.id, "staff": "ann"}
    for secret in ("", "0" * 64, house.services.office_secret.upper()):
        headers = {"token": player.token, "office": secret, "Idempotency-Key": new_key()}
        answer = house.client.post(f"/api/office/{call}", json=body, headers=headers).json()
        assert (answer["code"], answer["reason"]) == (0, "staff_unknown")
    for name in ("", "Ann", "9", "a b", "x" * 33):
        if name or call not in MACHINE_MAY:
            answer = office(house, call, **{**body, "staff": name})
            assert (answer["reason"], answer["field"]) == ("staff_unknown", "staff")


# Deposits.


def test_a_large_deposit_takes_two_people(house: ApiServer, player: Player) -> None:
    """Proposer and approver differ for deposits above a threshold (ASVS 2.3.5)."""
    number = deposit(player, "5000.01")
    assert decided(house, "deposit", number) == "endorsed"
    assert decided(house, "deposit", number) == "second_person_needed"
    assert player.balance() == 1000
    assert decided(house, "deposit", number, "ben") == "approved"
    assert player.balance() == 6000.01


def test_a_large_deposit_that_one_enters_another_agrees_to(
    house: ApiServer, player: Player
) -> None:
    body = {"player": player.username, "channel": "usdt", "reference": new_key()}
    entered = office(house, "deposit", amount="5000.01", **body)["data"]
    assert (entered["status"], entered["money"]) == ("endorsed", 1000)
    assert decided(house, "deposit", entered["id"]) == "second_person_needed"
    assert decided(house, "deposit", entered["id"], "ben") == "approved"
    assert player.balance() == 6000.01
    body["reference"] = new_key()
    small = office(house, "deposit", amount="5000", **body)["data"]
    assert (small["status"], small["money"]) == ("approved", 11000.01)


def test_no_takes_a_reason(house: ApiServer, player: Player) -> None:
    number = deposit(player)
    answer = office(house, "depositDecision", id=number, approve=False)
    assert (answer["reason"], answer["field"]) == ("request_malformed", "reason")
    assert decided(house, "deposit", number, approve=False, reason="no money") == "rejected"


# Withdrawals.


def test_a_withdrawal_is_approved_and_then_paid(house: ApiServer, player: Player) -> None:
    number = withdrawal(player)
    assert player.balance() == 800
    payment = {"id": number, "reference": "transfer 4711"}
    early = office(house, "withdrawalPayment", **payment)
    assert (early["reason"], early["field"]) == ("withdrawal_not_approved", "id")
    assert decided(house, "withdrawal", number) == "approved"
    own = office(house, "withdrawalPayment", **payment)
    assert (own["reason"], own["field"]) == ("payer_approved", "id")
    paid = office(house, "withdrawalPayment", staff="ben", **payment)["data"]
    assert (paid["status"], paid["money"]) == ("paid", 800)
    house.catch_up()
    row = player.call("user/quantityLogList", {"type": 1})["data"][0]
    assert (row["quantity"], row["status"]) == (-200, 1)
    items = office(house, "queue", kind="withdrawal", every=True)["data"]
    (item,) = [each for each in items if each["id"] == number]
    assert (item["status"], item["decided_by"], item["paid_by"]) == (
        *("paid", "staff:ann", "staff:ben"),
    )
    assert item["words"] == "transfer 4711"


def test_a_large_withdrawal_takes_two_people(house: ApiServer, player: Player) -> None:
    """Proposer and approver differ for withdrawals (ASVS 2.3.5)."""
    give(player, 9_000)
    number = withdrawal(player, 5_000.01)
    assert decided(house, "withdrawal", number) == "endorsed"
    assert decided(house, "withdrawal", number) == "second_person_needed"
    assert office(house, "withdrawalPayment", id=number, reference="x")["reason"] == (
        "withdrawal_not_approved"
    )
    assert decided(house, "withdrawal", number, "ben") == "approved"


def test_a_rejected_withdrawal_is_the_members_again(house: ApiServer, player: Player) -> None:
    number = withdrawal(player)
    assert decided(house, "withdrawal", number, approve=False, reason="wrong card") == "rejected"
    assert player.balance() == 1000
    assert decided(house, "withdrawal", number) == "withdrawal_unknown"
    paid = office(house, "withdrawalPayment", id=number, reference="x")
    assert paid["reason"] == "withdrawal_unknown"


def test_a_payments_words_are_those_of_the_payment_that_counted(
    house: ApiServer, player: Player
) -> None:
    """A refused attempt stores no reference that a reconciliation would take for the payment."""
    number = withdrawal(player)
    office(house, "withdrawalPayment", id=number, reference="too early")
    decided(house, "withdrawal", number)
    office(house, "withdrawalPayment", id=number, reference="by who approved it")
    office(house, "withdrawalPayment", staff="ben", id=number, reference="transfer 4711")
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT words FROM vault.words WHERE reference = %s", (number,))
        assert row.fetchone() == ("transfer 4711",)


def test_where_to_pay_is_shown_to_staff_in_full_and_that_is_recorded(
    house: ApiServer, player: Player
) -> None:
    """ID and card numbers are masked, each full view is audited (ASVS 14.2.6, 16.3.2)."""
    number = withdrawal(player)
    shown = office(house, "payoutDetails", id=number)["data"]
    assert shown["acc"].startswith("6222")
    assert (shown["acc_bank"], shown["type"]) == (card()["acc_bank"], 0)
    assert (shown["player"], shown["amount"], shown["status"]) == (player.id, 200, "requested")
    assert facts(player, PayoutShown) == 1
    decided(house, "withdrawal", number, approve=False, reason="not today")
    gone = office(house, "payoutDetails", id=number)
    assert (gone["reason"], gone["field"]) == ("withdrawal_unknown", "id")
    assert ": rejected by ann, " in gone["msg"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("deposit", "deposit_unknown"),
        ("withdrawal", "withdrawal_unknown"),
        ("adjustment", "adjustment_unknown"),
        ("gift", "gift_unknown"),
    ],
)
def test_an_unknown_request_is_not_decided(
    house: ApiServer, player: Player, kind: str, reason: str
) -> None:
    other = deposit(player) if kind != "deposit" else withdrawal(player)
    for number in ("nothing", "", "x" * 500, "a\0b", other):
        answer = office(house, f"{kind}Decision", id=number, approve=True)
        assert (answer["reason"], answer["field"]) == (reason, "id")


# Gifts and corrections.


@pytest.mark.parametrize(
    ("kind", "approve", "decision"),
    [
        ("withdrawal", False, "rejected by ann, "),
        ("adjustment", True, "approved by ann, "),
        ("adjustment", False, "rejected by ann, "),
        ("gift", True, "approved by ann, "),
        ("gift", False, "rejected by ann, "),
    ],
)
def test_what_a_colleague_decided_is_refused_with_who_did_what(
    house: ApiServer, player: Player, kind: str, approve: bool, decision: str
) -> None:
    if kind == "withdrawal":
        number = withdrawal(player)
    else:
        amount = -10 if kind == "adjustment" else 5001
        proposed = {"player": player.id, "amount": amount, "reason": "x"}
        number = office(house, kind, staff="cleo", **proposed)["data"]["id"]
    house.catch_up()
    decided(house, kind, number, approve=approve, reason="x")
    late = office(house, f"{kind}Decision", staff="ben", id=number, approve=approve, reason="x")
    assert late["reason"] == f"{kind}_unknown"
    assert f": {decision}" in late["msg"]


def test_a_withdrawal_that_a_colleague_paid_is_refused_with_who_paid_it(
    house: ApiServer, player: Player
) -> None:
    number = withdrawal(player)
    decided(house, "withdrawal", number)
    office(house, "withdrawalPayment", staff="ben", id=number, reference="x")
    late = office(house, "withdrawalPayment", staff="cleo", id=number, reference="y")
    assert late["reason"] == "withdrawal_unknown"
    assert ": paid by ben, " in late["msg"]


def test_a_gift_is_bonus_money_with_a_reason(house: ApiServer, player: Player) -> None:
    given = office(house, "gift", player=player.id, amount=50, reason="for waiting")["data"]
    assert (given["status"], given["money"], given["score"]) == ("approved", 1000, 50)
    for fields, reason, field in (
        ({"amount": 0}, "amount_invalid", "amount"),
        ({"amount": "1000000000.01"}, "amount_invalid", "amount"),
        ({"reason": ""}, "request_malformed", "reason"),
        ({"player": "nobody999"}, "player_unknown", "player"),
    ):
        body = {"player": player.id, "amount": 50, "reason": "again", **fields}
        answer = office(house, "gift", **body)
        assert (answer["reason"], answer["field"]) == (reason, field)


def test_a_gift_above_the_cap_waits_for_a_second_person(house: ApiServer, player: Player) -> None:
    """Proposer and approver differ for what one person may not give alone (ASVS 2.3.5)."""
    body = {"player": player.id, "amount": "5000.01", "reason": "a prize"}
    gift = office(house, "gift", **body)["data"]
    assert (gift["status"], gift["score"]) == ("requested", 0)
    house.catch_up()
    (waiting,) = office(house, "queue", kind="gift")["data"]
    assert (waiting["id"], waiting["asked_by"]) == (gift["id"], "staff:ann")
    assert (waiting["amount"], waiting["words"]) == (5000.01, "a prize")
    assert decided(house, "gift", gift["id"]) == "second_person_needed"
    assert decided(house, "gift", gift["id"], "ben") == "approved"
    assert decided(house, "gift", gift["id"], "ben") == "gift_unknown"
    house.catch_up()
    assert office(house, "queue", kind="gift")["data"] == []
    row = player.call("user/quantityLogList", {})["data"][0]
    assert row["quantity"] == 5000.01


def test_a_proposed_gift_may_be_dropped(house: ApiServer, player: Player) -> None:
    number = office(house, "gift", player=player.id, amount=6000, reason="a prize")["data"]["id"]
    assert decided(house, "gift", number, approve=False) == "rejected"
    assert decided(house, "gift", number, "ben") == "gift_unknown"


def test_a_correction_takes_a_second_person_and_a_reason(house: ApiServer, player: Player) -> None:
    """A manual adjustment needs a second person, a reason, and shows (GLI-19 A.3.6f)."""
    body = {"player": player.id, "amount": "-20.50", "reason": "credited twice"}
    proposed = office(house, "adjustment", **body)["data"]
    assert (proposed["status"], proposed["money"]) == ("requested", 1000)
    assert decided(house, "adjustment", proposed["id"]) == "second_person_needed"
    assert decided(house, "adjustment", proposed["id"], "ben") == "approved"
    house.catch_up()
    assert player.balance() == 979.5
    row = player.call("user/quantityLogList", {})["data"][0]
    assert (row["mark"], row["quantity"], row["over"]) == ("Correction", -20.5, 979.5)
    nothing = office(house, "adjustment", player=player.id, amount=0, reason="x")
    assert (nothing["reason"], nothing["field"]) == ("amount_invalid", "amount")


def test_a_correction_may_be_dropped(house: ApiServer, player: Player) -> None:
    body = {"player": player.id, "amount": 5, "reason": "a mistake"}
    proposed = office(house, "adjustment", **body)["data"]["id"]
    assert decided(house, "adjustment", proposed, approve=False) == "rejected"
    assert decided(house, "adjustment", proposed, "ben") == "adjustment_unknown"
    assert player.balance() == 1000


def test_no_correction_takes_what_is_not_there(house: ApiServer, player: Player) -> None:
    """No balance is ever negative (GLI-19 4.3.3b)."""
    body = {"player": player.id, "amount": "-1000.01", "reason": "too much"}
    answer = office(house, "adjustment", **body)
    if answer["code"]:
        assert decided(house, "adjustment", answer["data"]["id"], "ben") == "funds_insufficient"
    else:
        assert answer["reason"] == "funds_insufficient"
    assert player.balance() == 1000


# Idempotency.


def test_whatever_staff_do_many_times_at_once_is_done_once(
    house: ApiServer, player: Player
) -> None:
    """Money commands are idempotent across retries (GLI-19 B.3.5a)."""
    who = {"player": player.id, "amount": 10}

    def again(call: str, **body: Any) -> dict[str, Any]:
        key = new_key()
        done: dict[str, Any] = raced(lambda: office(house, call, key, **body))["data"]
        return done

    again("deposit", channel="bank", reference=new_key(), **who)
    assert player.balance() == 1010
    again("gift", reason="x", **who)
    adjustment = again("adjustment", reason="x", **who)["id"]
    house.catch_up()
    key = new_key()
    body = {"id": adjustment, "approve": True, "staff": "ben"}
    raced(lambda: office(house, "adjustmentDecision", key, **body))
    again("depositDecision", id=deposit(player, 30), approve=True)
    assert player.balance() == 1050
    number = withdrawal(player)
    again("withdrawalDecision", id=number, approve=True)
    again("withdrawalPayment", id=number, reference="x", staff="ben")
    rejected = more(player, 100)
    again("withdrawalDecision", id=rejected, approve=False, reason="x")
    house.catch_up()
    info = player.call("user/withdrawInfo", {})["data"]
    assert (info["money"], info["score"], info["withdrawing"]) == (850, 10, 0)


def test_two_decisions_at_once_are_one(house: ApiServer, player: Player) -> None:
    number = deposit(player)
    calls = [
        lambda approve=approve: decided(house, "deposit", number, approve=approve, reason="x")
        for approve in (True, False)
    ]
    with ThreadPoolExecutor(2) as threads:
        answers = sorted(threads.map(lambda call: call(), calls))
    assert "deposit_unknown" in answers
    assert player.balance() == (1250 if "approved" in answers else 1000)
