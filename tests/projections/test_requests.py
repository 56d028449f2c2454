"""The staff's approval queue, and the results of the items in it."""

import pytest

from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from projections import approvals
from projections.accounts import AccountProjection
from projections.approvals import ApprovalItem
from tests.projections.history import NOON, SECOND
from tests.projections.support import ZONE, ProjectionHarness

ANN, BOB, CAT = "staff:ann", "staff:bob", "staff:cat"


def notice(deposit: str = "d-1", amount_minor: int = 10_000) -> DepositRequested:
    return DepositRequested(deposit, "bank", amount_minor, "reference")


def credit(deposit: str = "d-1", amount_minor: int = 10_000) -> DepositApproved:
    return DepositApproved(deposit, "bank", amount_minor, "reference")


def payout(withdrawal: str = "w-1", amount_minor: int = 4_000) -> WithdrawalRequested:
    return WithdrawalRequested(withdrawal, 1, "wallet-1", amount_minor)


def test_what_waits_for_staff_is_queued_oldest_first_until_it_is_decided(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1, 2)
    house.history.deposits(2, 10_000)
    house.history.append_for(1, notice("d-1"))
    house.history.append_for(2, payout("w-1"))
    house.history.append_for(1, AdjustmentProposed("a-1", 500, ANN, "reason"), by=ANN)
    house.history.append_for(2, notice("d-2"))
    house.history.append_for(1, credit("d-1"), by=ANN)
    views = house.catch_up()

    assert [it.id for it in approvals.queue(views).items] == ["w-1", "a-1", "d-2"]
    assert [it.id for it in approvals.queue(views, "deposit").items] == ["d-2"]
    every = approvals.queue(views, open_only=False).items
    assert [it.id for it in every] == ["d-2", "a-1", "w-1", "d-1", "deposit-2"]


def test_a_withdrawal_shows_who_agreed_who_paid_and_when(house: ProjectionHarness) -> None:
    """GLI-19 A.3.6e; ASVS 2.3.5."""
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    seen = {}
    found: ApprovalItem | None = None
    for name, who, fact in (
        ("requested", "player-1", payout()),
        ("endorsed", ANN, WithdrawalEndorsed("w-1", ANN)),
        ("approved", BOB, WithdrawalApproved("w-1", BOB)),
        ("paid", CAT, WithdrawalPaid("w-1", "usdt", "wallet-1", 4_000, "transfer")),
    ):
        house.history.append_for(1, fact, by=who)
        found = approvals.of_player(house.catch_up(), 1, "withdrawal")[0]
        seen[name] = (found.status, found.open)
        house.history.later(60)

    assert seen == {
        "requested": ("requested", True),
        "endorsed": ("endorsed", True),
        "approved": ("approved", True),
        "paid": ("paid", False),
    }
    assert found == ApprovalItem(
        1, 3, "withdrawal", "w-1", False, "paid", 4_000, "usdt", 1, "wallet-1", NOON, "player-1",
        ANN, NOON + 120 * SECOND, BOB, NOON + 180 * SECOND, CAT, "", "", "transfer",
    )  # fmt: skip


def test_facts_of_one_page_make_the_row_that_facts_of_many_make(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, notice())
    house.catch_up()
    house.history.append_for(1, notice("d-2"), DepositEndorsed("d-1", ANN), by=ANN)
    house.history.append_for(1, credit("d-2"), credit("d-1"), by=BOB)

    found = approvals.of_player(house.catch_up(), 1)

    rows = [(it.id, it.status, it.endorsed_by, it.decided_by, it.position) for it in found]
    assert rows == [("d-2", "approved", "", BOB, 3), ("d-1", "approved", ANN, BOB, 2)]


def test_money_that_did_not_come_is_distinguished_from_money_that_goes_back(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    for cause in ("refused", "limit", "excluded"):
        refusal = DepositRejected(cause, "bank", 10_000, cause, "reason")
        house.history.append_for(1, notice(cause), refusal, by=ANN)

    found = approvals.of_player(house.catch_up(), 1)

    assert [(it.cause, it.status, it.open) for it in found] == [
        ("excluded", "returned", False),
        ("limit", "returned", False),
        ("refused", "rejected", False),
    ]
    assert {(it.decided_by, it.reason_commitment) for it in found} == {(ANN, "reason")}


def test_unannounced_money_is_requested_and_decided_in_one(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, credit("d-1"), by=ANN)
    house.history.append_for(1, DepositRejected("d-2", "bank", 700, "limit", ""), by=ANN)

    returned, approved = approvals.of_player(house.catch_up(), 1)

    assert (approved.status, approved.requested_by, approved.decided_by) == ("approved", ANN, ANN)
    assert (returned.status, returned.amount, returned.open) == ("returned", 700, False)


def test_an_adjustment_names_both_people_and_the_reason(house: ProjectionHarness) -> None:
    """GLI-19 A.3.6f; ASVS 2.3.5."""
    house.history.joins(1)
    for number, end in enumerate((AdjustmentApproved("a-0", 500, BOB), None)):
        proposed = AdjustmentProposed(f"a-{number}", 500, ANN, "reason")
        house.history.append_for(1, proposed)
        house.history.append_for(1, end or AdjustmentRejected("a-1", BOB), by=BOB)

    dropped, made = approvals.of_player(house.catch_up(), 1, "adjustment")

    assert (made.status, made.requested_by, made.decided_by) == ("approved", ANN, BOB)
    assert (dropped.status, dropped.reason_commitment) == ("rejected", "reason")


def test_a_withdrawal_that_was_approved_may_still_be_given_back(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.append_for(1, payout(), WithdrawalApproved("w-1", ANN))
    house.history.append_for(1, WithdrawalRejected("w-1", 4_000, "reason"), by=BOB)

    found = approvals.of_player(house.catch_up(), 1, "withdrawal")[0]

    assert (found.status, found.decided_by, found.paid_at) == ("rejected", BOB, 0)


def test_another_players_item_is_not_found(house: ProjectionHarness) -> None:
    """ASVS 8.2.2."""
    house.history.joins(1, 2)
    house.history.append_for(1, notice())
    views = house.catch_up()

    assert approvals.of_player(views, 2) == ()
    assert [it.player for it in approvals.find(views, "d-1")] == [1]


def test_a_reused_id_overwrites_nothing(house: ProjectionHarness) -> None:
    house.history.joins(1, 2)
    house.history.append_for(1, notice("d-1", 100), credit("d-1", 100), credit("d-1", 150))
    house.history.append_for(1, notice("d-1", 200))
    house.history.append_for(2, notice("d-1", 300))
    views = house.catch_up()

    assert [it.amount for it in approvals.find(views, "d-1")] == [300, 200, 150, 100]
    newest = approvals.of_player(views, 1)[0]
    assert (newest.amount, newest.open) == (200, True)


def test_lists_are_continued_by_their_cursors(house: ProjectionHarness) -> None:
    house.history.joins(1)
    for number in range(5):
        house.history.append_for(1, notice(f"d-{number}"))
    views = house.catch_up()

    for open_only in (True, False):
        seen: list[str] = []
        cursor: str | None = None
        for _ in range(3):
            page = approvals.queue(views, open_only=open_only, cursor=cursor, limit=2)
            seen += [it.id for it in page.items]
            cursor = page.cursor
        assert cursor is None
        assert seen == sorted((f"d-{number}" for number in range(5)), reverse=not open_only)


def test_a_fact_about_an_unknown_request_stops_the_model(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, WithdrawalApproved("w-1", ANN))

    with house.views.transaction(force_rollback=True), house.views.cursor() as cursor:
        house.runner.install()
        with pytest.raises(LookupError, match="player 1 has no open withdrawal w-1"):
            AccountProjection(ZONE).apply(cursor, house.history.facts)
