"""The read model and the writer's open payments agree on an item, after any possible history.

What may follow what is a copy of the rule of engine/lifecycle.py, on purpose.
"""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from engine.cashier import facts as money
from engine.cashier.facts import MoneyFact
from engine.cashier.payment_state import Payment, PaymentState, evolve
from engine.lifecycle import STEPS
from projections.approvals import ApprovalFold, ApprovalRow
from tests.projections.history import History

BY, OTHER = "staff:ann", "staff:ben"
Follows = tuple[Callable[[str], MoneyFact], str]
"""A possible next fact about the item with an id, and the item's status after it."""

_CREDIT: Follows = (lambda it: money.DepositApproved(it, "bank", 9, "reference"), "approved")
_REFUSAL: Follows = (lambda it: money.DepositRejected(it, "bank", 9, "refused", "why"), "rejected")
_EXCESS: Follows = (lambda it: money.DepositRejected(it, "bank", 9, "limit", ""), "returned")
_BACK: Follows = (lambda it: money.WithdrawalRejected(it, 7, "why"), "rejected")
_RELEASE: Follows = (lambda it: money.WithdrawalApproved(it, OTHER), "approved")
_DECIDED = (_CREDIT, _REFUSAL, _EXCESS)
#: What may follow, by kind and status; nothing follows a status that is not listed.
NEXT: dict[tuple[str, str], tuple[Follows, ...]] = {
    ("deposit", ""): (
        (lambda it: money.DepositRequested(it, "bank", 9, "reference"), "requested"),
        *(_CREDIT, _EXCESS),
    ),
    ("deposit", "requested"): (
        (lambda it: money.DepositEndorsed(it, BY), "endorsed"),
        (lambda it: money.RepeatEndorsed(it, BY), "endorsed"),
        *_DECIDED,
    ),
    ("deposit", "endorsed"): _DECIDED,
    ("withdrawal", ""): ((lambda it: money.WithdrawalRequested(it, 1, "wallet", 7), "requested"),),
    ("withdrawal", "requested"): (
        (lambda it: money.WithdrawalEndorsed(it, BY), "endorsed"),
        *(_RELEASE, _BACK),
    ),
    ("withdrawal", "endorsed"): (_RELEASE, _BACK),
    ("withdrawal", "approved"): (
        (lambda it: money.WithdrawalPaid(it, "usdt", "wallet", 7, "transfer"), "paid"),
        _BACK,
    ),
    ("gift", ""): (
        (lambda it: money.GiftProposed(it, 5, BY, "why"), "requested"),
        (lambda it: money.GiftGranted(it, "staff", 5, 5, 0, "why"), ""),
    ),
    ("gift", "requested"): (
        (lambda it: money.GiftGranted(it, "staff", 5, 5, 0, "why"), "approved"),
        (lambda it: money.GiftRejected(it, OTHER), "rejected"),
    ),
    ("adjustment", ""): (
        (lambda it: money.AdjustmentProposed(it, -3, BY, "why"), "requested"),
        (lambda it: money.CorrectionProposed(it, "goodwill", "", -3, BY, "why"), "requested"),
    ),
    ("adjustment", "requested"): (
        (lambda it: money.AdjustmentApproved(it, -3, OTHER), "approved"),
        (lambda it: money.CorrectionApproved(it, "goodwill", "", -3, OTHER), "approved"),
        (lambda it: money.AdjustmentRejected(it, OTHER), "rejected"),
    ),
}
KINDS = ("deposit", "withdrawal", "gift", "adjustment")
SHARED = (
    *("kind", "id", "status", "amount_minor", "channel", "account", "endorsed_by", "decided_by"),
    *("reason_commitment", "reference_commitment"),
)

choice = st.tuples(st.sampled_from(KINDS), st.integers(0, 2), st.integers(0, 4))


@given(st.lists(choice, min_size=20, max_size=60))
def test_an_item_has_one_status_for_the_writer_and_in_the_read_model(
    choices: list[tuple[str, int, int]],
) -> None:
    history, rows, payments = History(), ApprovalFold(()), PaymentState()
    expected: dict[tuple[str, str], str] = {}
    shown: dict[tuple[str, str], ApprovalRow] = {}
    for kind, number, chosen in choices:
        key = (kind, f"{kind}-{number}")
        follows = NEXT.get((kind, expected.get(key, "")))
        if follows is None:
            continue
        make, status = follows[chosen % len(follows)]
        fact = make(key[1])
        history.append_for(1, fact, by=OTHER)
        row = rows.take(1, history.facts[-1])
        payments = evolve(payments, fact)
        if row is not None:
            shown[key] = row
        if status:
            expected[key] = status
        open_ = {each: it for each, it in expected.items() if (each[0], it) in NEXT}
        assert {each: it.status for each, it in shown.items()} == expected
        assert {each: it.status for each, it in shown.items() if it.open} == open_
        assert {(it.kind, it.id): it.status for it in payments.open} == open_
        for payment in payments.open:
            row = shown[payment.kind, payment.id]
            assert all(getattr(row, name) == getattr(payment, name) for name in SHARED)


def test_a_fact_changes_only_fields_that_the_writer_or_the_read_model_has() -> None:
    fields = {*Payment.__struct_fields__, *ApprovalRow.__struct_fields__}
    for step in STEPS.values():
        assert {*step.copied, *step.renamed} <= fields
