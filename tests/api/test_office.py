"""The staff's side of the money over HTTP: what one may, what takes two, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest

from api import demo
from api.start import read_start
from engine.players.standing_facts import PayoutShown
from tests.api.banking import card, facts, give, prepare, raced, set_terms, withdraw
from tests.api.staffing import office
from tests.api.support import House, Player, events, new_key


@pytest.fixture(autouse=True)
def as_ever(house: House) -> Any:
    """No waiting for new payout accounts; and whatever a test sets is undone."""
    set_terms(house, cooling_us=0)
    yield
    set_terms(house)
    for scope in ("product", "all", "game-1", "game-2", "plan-1"):
        office(house, "switch", scope=scope, closed=False)


def withdrawal(player: Player, amount: float = 200) -> str:
    """A withdrawal that waits; nothing has to be turned over before it."""
    prepare(player)
    return more(player, amount)


def more(player: Player, amount: float) -> str:
    close(player)  # so that what is due on the gift does not hold it back
    answer = withdraw(player, amount)
    assert answer["code"] == 1, answer
    player.house.catch_up()
    number: str = answer["data"]["id"]
    return number


def close(player: Player) -> None:
    office(player.house, "memberSwitch", player=player.id, closed=True, reason="for the test")


def deposit(player: Player, amount: Any = 250) -> str:
    body = {"amount": amount, "channel": "bank", "reference": "invoice 7"}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    player.house.catch_up()
    return number


def decided(house: House, kind: str, number: str, staff: str = "ann", **body: Any) -> Any:
    """Where it stands behind a decision, or why there was none."""
    answer = office(
        house, f"{kind}Decision", staff=staff, **{"approve": True, "id": number, **body}
    )
    return answer["data"]["status"] if answer["code"] else answer["reason"]


# Who may.


@pytest.mark.parametrize(
    "call",
    [
        *("queue", "payoutDetails", "settings", "deposit", "depositDecision", "gift"),
        *("withdrawalDecision", "withdrawalPayment", "adjustment", "adjustmentDecision"),
        *("switch", "terms", "receivingAccounts", "memberSwitch"),
    ],
)
def test_nobody_but_staff_is_let_in(house: House, player: Player, call: str) -> None:
    """Access is by the office's secret alone (ASVS 8.2.1)."""
    known = {"player": player.id, "amount": 1, "channel": "bank", "reference": "x", "reason": "x"}
    body = {**known, "id": "x", "approve": True, "scope": "all", "closed": True, "staff": "ann"}
    for secret in ("", "0" * 64, house.services.office_secret.upper()):
        headers = {"token": player.token, "office": secret, "Idempotency-Key": new_key()}
        answer = house.client.post(f"/api/office/{call}", json=body, headers=headers).json()
        assert (answer["code"], answer["reason"]) == (0, "staff_unknown")
    for name in ("", "Ann", "9", "a b", "x" * 33):
        answer = office(house, call, **{**body, "staff": name})
        assert (answer["reason"], answer["field"]) == ("staff_unknown", "staff")


@pytest.mark.parametrize(
    "call",
    [
        *("deposit", "depositDecision", "withdrawalDecision", "withdrawalPayment", "gift", "terms"),
        *("adjustment", "adjustmentDecision", "switch", "receivingAccounts", "memberSwitch"),
    ],
)
def test_nothing_is_done_without_a_key(house: House, player: Player, call: str) -> None:
    known = {"player": player.id, "amount": 1, "channel": "bank", "reference": "x", "reason": "x"}
    body = {**known, "id": "x", "approve": True, "scope": "all", "closed": True, "staff": "ann"}
    headers = {"office": house.services.office_secret}
    answer = house.client.post(f"/api/office/{call}", json=body, headers=headers).json()
    assert answer["reason"] == "key_malformed"


# Deposits.


def test_a_large_deposit_takes_two_people(house: House, player: Player) -> None:
    """Proposer and approver differ for deposits above a threshold (ASVS 2.3.5)."""
    number = deposit(player, "5000.01")
    assert decided(house, "deposit", number) == "endorsed"
    assert decided(house, "deposit", number) == "second_person_needed"
    assert player.balance() == 1000
    assert decided(house, "deposit", number, "ben") == "approved"
    assert player.balance() == 6000.01


def test_a_large_deposit_that_one_enters_another_agrees_to(house: House, player: Player) -> None:
    body = {"player": player.username, "channel": "usdt", "reference": "0xabc"}
    entered = office(house, "deposit", amount="5000.01", **body)["data"]
    assert (entered["status"], entered["money"]) == ("endorsed", 1000)
    assert decided(house, "deposit", entered["id"]) == "second_person_needed"
    assert decided(house, "deposit", entered["id"], "ben") == "approved"
    assert player.balance() == 6000.01
    small = office(house, "deposit", amount="5000", **body)["data"]
    assert (small["status"], small["money"]) == ("approved", 11000.01)


def test_no_takes_a_reason(house: House, player: Player) -> None:
    number = deposit(player)
    answer = office(house, "depositDecision", id=number, approve=False)
    assert (answer["reason"], answer["field"]) == ("request_malformed", "reason")
    assert decided(house, "deposit", number, approve=False, reason="no money") == "rejected"


# Withdrawals.


def test_a_withdrawal_is_approved_and_then_paid(house: House, player: Player) -> None:
    number = withdrawal(player)
    assert player.balance() == 800
    payment = {"id": number, "reference": "transfer 4711"}
    early = office(house, "withdrawalPayment", **payment)
    assert (early["reason"], early["field"]) == ("withdrawal_not_approved", "id")
    assert decided(house, "withdrawal", number) == "approved"
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


def test_a_large_withdrawal_takes_two_people(house: House, player: Player) -> None:
    """Proposer and approver differ for withdrawals (ASVS 2.3.5)."""
    give(player, 9_000)
    number = withdrawal(player, 5_000.01)
    assert decided(house, "withdrawal", number) == "endorsed"
    assert decided(house, "withdrawal", number) == "second_person_needed"
    assert office(house, "withdrawalPayment", id=number, reference="x")["reason"] == (
        "withdrawal_not_approved"
    )
    assert decided(house, "withdrawal", number, "ben") == "approved"


def test_a_rejected_withdrawal_is_the_members_again(house: House, player: Player) -> None:
    number = withdrawal(player)
    assert decided(house, "withdrawal", number, approve=False, reason="wrong card") == "rejected"
    assert player.balance() == 1000
    assert decided(house, "withdrawal", number) == "withdrawal_unknown"
    paid = office(house, "withdrawalPayment", id=number, reference="x")
    assert paid["reason"] == "withdrawal_unknown"


def test_a_payments_words_are_those_of_the_payment_that_counted(
    house: House, player: Player
) -> None:
    """A try that was refused leaves nothing that a reconciliation would take for the payment."""
    number = withdrawal(player)
    office(house, "withdrawalPayment", id=number, reference="too early")
    decided(house, "withdrawal", number)
    office(house, "withdrawalPayment", id=number, reference="transfer 4711")
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT words FROM vault.words WHERE reference = %s", (number,))
        assert row.fetchone() == ("transfer 4711",)


def test_where_to_pay_is_shown_to_staff_in_full_and_that_is_recorded(
    house: House, player: Player
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


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("deposit", "deposit_unknown"),
        ("withdrawal", "withdrawal_unknown"),
        ("adjustment", "adjustment_unknown"),
    ],
)
def test_what_nobody_asked_for_is_not_decided(
    house: House, player: Player, kind: str, reason: str
) -> None:
    other = deposit(player) if kind != "deposit" else withdrawal(player)
    for number in ("nothing", "", "x" * 500, "a\0b", other):
        answer = office(house, f"{kind}Decision", id=number, approve=True)
        assert (answer["reason"], answer["field"]) == (reason, "id")


# Gifts and corrections.


def test_a_gift_is_bonus_money_with_a_reason(house: House, player: Player) -> None:
    given = office(house, "gift", player=player.id, amount=50, reason="for waiting")["data"]
    assert (given["status"], given["money"], given["score"]) == ("approved", 1000, 50)
    for fields, reason, field in (
        ({"amount": 0}, "amount_invalid", "amount"),
        ({"amount": "5000.01"}, "amount_invalid", "amount"),
        ({"reason": ""}, "request_malformed", "reason"),
        ({"player": "nobody999"}, "player_unknown", "player"),
    ):
        body = {"player": player.id, "amount": 50, "reason": "again", **fields}
        answer = office(house, "gift", **body)
        assert (answer["reason"], answer["field"]) == (reason, field)


def test_a_correction_takes_a_second_person_and_a_reason(house: House, player: Player) -> None:
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


def test_a_correction_may_be_dropped(house: House, player: Player) -> None:
    body = {"player": player.id, "amount": 5, "reason": "a mistake"}
    proposed = office(house, "adjustment", **body)["data"]["id"]
    assert decided(house, "adjustment", proposed, approve=False) == "rejected"
    assert decided(house, "adjustment", proposed, "ben") == "adjustment_unknown"
    assert player.balance() == 1000


def test_no_correction_takes_what_is_not_there(house: House, player: Player) -> None:
    """No balance is ever negative (GLI-19 4.3.3b)."""
    body = {"player": player.id, "amount": "-1000.01", "reason": "too much"}
    answer = office(house, "adjustment", **body)
    if answer["code"]:
        assert decided(house, "adjustment", answer["data"]["id"], "ben") == "funds_insufficient"
    else:
        assert answer["reason"] == "funds_insufficient"
    assert player.balance() == 1000


# Each of them once, however often it is asked for.


def test_whatever_staff_do_many_times_at_once_is_done_once(house: House, player: Player) -> None:
    """Money commands are idempotent across retries (GLI-19 B.3.5a)."""
    who = {"player": player.id, "amount": 10}

    def again(call: str, **body: Any) -> dict[str, Any]:
        key = new_key()
        done: dict[str, Any] = raced(lambda: office(house, call, key, **body))["data"]
        return done

    again("deposit", channel="bank", reference="x", **who)
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
    again("withdrawalPayment", id=number, reference="x")
    rejected = more(player, 100)
    again("withdrawalDecision", id=rejected, approve=False, reason="x")
    house.catch_up()
    info = player.call("user/withdrawInfo", {})["data"]
    assert (info["money"], info["score"], info["withdrawing"]) == (850, 10, 0)


def test_two_decisions_at_once_are_one(house: House, player: Player) -> None:
    number = deposit(player)
    calls = [
        lambda approve=approve: decided(house, "deposit", number, approve=approve, reason="x")
        for approve in (True, False)
    ]
    with ThreadPoolExecutor(2) as threads:
        answers = sorted(threads.map(lambda call: call(), calls))
    assert "deposit_unknown" in answers
    assert player.balance() == (1250 if "approved" in answers else 1000)


# Switches, terms, accounts.


@pytest.mark.parametrize(
    ("scope", "refusal"),
    [
        ("product", "product_discontinued"),
        ("all", "gaming_closed"),
        ("game-1", "gaming_closed"),
        ("plan-1", "gaming_closed"),
    ],
)
def test_a_switch_closes_its_rooms_and_a_running_round_finishes(
    house: House, player: Player, scope: str, refusal: str
) -> None:
    """Switches for all gaming, one game, one room (GLI-19 2.4.1, 4.15.1)."""
    house.next_round()
    placed = player.bet("big", 10)["data"]
    assert heart(player, 1) == 1
    office(house, "switch", scope=scope, closed=True)
    assert player.bet("big", 10)["reason"] == refusal
    assert heart(player, 1) == 0
    games = player.call("Lottery/index", {})["data"]["gameList"]
    assert games[0]["planList"][0]["status"] == 0
    assert games[0]["status"] == int(scope == "plan-1")
    assert games[1]["status"] == int(scope in {"plan-1", "game-1"})
    assert heart(player, 2) == int(scope == "plan-1")

    house.draw_round()
    (bet,) = player.call("user/orderList", {})["data"]
    assert (bet["orderNo"], bet["status"]) == (placed["orderNo"], 1)
    office(house, "switch", scope=scope, closed=False)
    assert heart(player, 1) == 1
    assert player.bet("big", 10)["code"] == 1


def heart(player: Player, plan: int) -> int:
    player.house.catch_up()
    body = {"plan_id": plan, "game_id": 1}
    status: int = player.call("Lottery/heart", body)["data"]["game_status"]
    return status


def test_an_open_room_is_told_that_it_was_closed(house: House) -> None:
    query = {"game_id": "1", "plan_id": "1"}
    with (
        httpx.Client(base_url=house.url, timeout=10) as client,
        client.stream("GET", "/api/Lottery/stream", params=query) as stream,
    ):
        told = events(stream.iter_lines())
        assert next(told)[1]["game_status"] == 1
        office(house, "switch", scope="game-1", closed=True)
        assert next(each for name, each in told if name == "heart")["game_status"] == 0


def test_a_switch_that_there_is_not_is_refused(house: House) -> None:
    answer = office(house, "switch", scope="game-5", closed=True)
    assert (answer["reason"], answer["field"]) == ("switch_unknown", "scope")


def test_one_members_gaming_is_closed_and_their_money_stays_theirs(
    house: House, player: Player
) -> None:
    """A switch for one member (GLI-19 2.4.1); withdrawal still possible (A.3.8)."""
    prepare(player)
    close(player)
    assert player.bet("big", 10)["reason"] == "account_closed"
    assert withdraw(player, 100)["code"] == 1
    body = {"player": player.username, "closed": False}
    assert office(house, "memberSwitch", **body)["reason"] == "request_malformed"
    office(house, "memberSwitch", reason="settled", **body)
    assert player.bet("big", 10)["code"] == 1
    unknown = office(house, "memberSwitch", player=1, closed=True, reason="x")
    assert (unknown["reason"], unknown["field"]) == ("player_unknown", "player")


def test_terms_change_one_by_one_and_hold_at_once(house: House, player: Player) -> None:
    changed = office(house, "terms", four_eyes="100", bonus_wait_s=60)["data"]
    assert changed["terms"]["four_eyes"] == 100
    assert changed["terms"]["bonus_wait_s"] == 60
    assert changed["terms"]["quota_s"] == 30 * 86_400
    assert changed["terms_by"] == "staff:ann"
    assert decided(house, "deposit", deposit(player, "100.01")) == "endorsed"


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"four_eyes": "-1"}, "terms_invalid", "terms"),
        ({"four_eyes": "1.001"}, "amount_invalid", "four_eyes"),
        ({"cooling_s": -1}, "terms_invalid", "cooling_s"),
        ({"quota_s": 10**30}, "terms_invalid", "quota_s"),
        ({"overnight_permille": -1}, "terms_invalid", "overnight_permille"),
        ({"levels": [5, 10]}, "terms_invalid", "terms"),
        ({"levels": [0, 10, 10]}, "terms_invalid", "terms"),
        ({"largest_deposit": 0}, "terms_invalid", "terms"),
    ],
)
def test_terms_that_make_no_sense_are_refused(
    house: House, change: dict[str, Any], reason: str, field: str
) -> None:
    house.catch_up()
    before = office(house, "settings")["data"]["terms"]
    answer = office(house, "terms", **change)
    assert (answer["reason"], answer["field"]) == (reason, field)
    assert office(house, "settings")["data"]["terms"] == before


def test_members_are_sent_to_the_account_that_holds_now(house: House, player: Player) -> None:
    office(house, "receivingAccounts", bank="First", number="1", holder="House", usdt="T1")
    office(house, "receivingAccounts", number="2", usdt="")
    info = player.call("user/recharge", {})["data"]
    assert (info["bankname"], info["banknum"], info["bankxm"], info["usdt"]) == (
        *("First", "2", "House", ""),
    )
    long = office(house, "receivingAccounts", bank="x" * 201)
    assert (long["reason"], long["field"]) == ("request_malformed", "bank")


def test_the_demo_leaves_alone_what_staff_set(house: House) -> None:
    office(house, "receivingAccounts", bank="First", number="1", holder="House", usdt="T1")
    before = office(house, "terms", four_eyes=4_000)["data"]
    house.catch_up()
    house.on_loop(lambda: demo.furnish(house.services))
    house.catch_up()
    assert office(house, "settings")["data"] == before


def test_what_is_closed_stays_closed_over_a_restart(house: House) -> None:
    office(house, "switch", scope="game-2", closed=True)
    house.catch_up()
    with house.services.pool.connection() as connection:
        assert read_start(connection, 0).closed == {"game-2"}


def test_the_queue_refuses_what_it_does_not_know(house: House) -> None:
    for fields, field in (({"kind": "bet"}, "kind"), ({"cursor": "x"}, "cursor")):
        answer = office(house, "queue", **fields)
        assert (answer["reason"], answer["field"]) == ("request_malformed", field)


def test_two_changes_of_the_terms_at_once_both_hold(house: House) -> None:
    changes = [{"four_eyes": 77}, {"quota_s": 77}, {"bonus_wait_s": 77}, {"raise_wait_s": 77}]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda change: office(house, "terms", None, "ann", **change), changes))
    house.catch_up()
    terms = office(house, "settings")["data"]["terms"]
    assert [terms[name] for change in changes for name in change] == [77] * 4
