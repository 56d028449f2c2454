"""A player's open payments: turnover due, pending requests, proposals. It has no balances.

Amounts are minor units, times microseconds since 1970.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from engine.cashier.commands import GATEWAY, ONLINE
from engine.cashier.facts import (
    DOUBLE_ENTRY,
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    BonusReleased,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    MoneyFact,
    RepeatEndorsed,
    TurnoverCounted,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)

_OVERNIGHT = "overnight-"
_LATE = "-late"
#: Why a pending deposit was rejected: staff refused it, or a newer online order replaced it.
REFUSED = "refused"
REPLACED = "replaced"
#: The newest N unpaid orders are kept; no paying member opens more.
MAX_UNPAID = 50


class PendingDeposit(Struct, frozen=True, gc=False):
    """A deposit that is not decided yet; `endorsed_by` has already agreed to it.

    `repeats`: they agreed although its reference was credited before.
    """

    id: str
    channel: str
    amount_minor: int
    reference_commitment: str
    endorsed_by: str = ""
    repeats: bool = False


class OpenWithdrawal(Struct, frozen=True, gc=False):
    """A withdrawal that is neither paid nor rejected yet; `approved_by` gave the last approval."""

    id: str
    method: int
    account: str
    amount_minor: int
    endorsed_by: str = ""
    approved_by: str = ""

    @property
    def approved(self) -> bool:
        """Whether it may be paid."""
        return bool(self.approved_by)


class PendingAdjustment(Struct, frozen=True, gc=False):
    """A correction that a second person has to agree to; older ones have no `kind`."""

    id: str
    amount_minor: int
    by: str
    kind: str = ""
    channel: str = ""


class ProposedGift(Struct, frozen=True, gc=False):
    """A gift that a second person has to agree to."""

    id: str
    amount_minor: int
    by: str
    reason_commitment: str


class PaymentState(Struct, frozen=True):
    """Shared by all forks of a player: each change makes a new one.

    `due_minor` is the turnover still due before a withdrawal, `bonus_due_minor` before a release of
    bonus money, which is possible from `bonus_from` on. `turnover_minor` is the lifetime turnover.
    `overnight` is the last day for which an overnight bonus was given. `unpaid` are online orders
    that staff rejected or a newer one replaced: their money may still arrive, as a late deposit.
    """

    due_minor: int = 0
    turnover_minor: int = 0
    bonus_due_minor: int = 0
    bonus_from: int = 0
    overnight: str = ""
    deposits: tuple[PendingDeposit, ...] = ()
    withdrawals: tuple[OpenWithdrawal, ...] = ()
    adjustments: tuple[PendingAdjustment, ...] = ()
    unpaid: tuple[PendingDeposit, ...] = ()
    gifts: tuple[ProposedGift, ...] = ()

    def deposit(self, deposit: str) -> PendingDeposit | None:
        """The pending deposit with this id."""
        return next((each for each in self.deposits if each.id == deposit), None)

    def unpaid_order(self, deposit: str) -> PendingDeposit | None:
        """The online order with this id that is no longer pending and not paid so far."""
        return next((each for each in self.unpaid if each.id == deposit), None)

    def withdrawal(self, withdrawal: str) -> OpenWithdrawal | None:
        """The open withdrawal with this id."""
        return next((each for each in self.withdrawals if each.id == withdrawal), None)

    def adjustment(self, adjustment: str) -> PendingAdjustment | None:
        """The proposed correction with this id."""
        return next((each for each in self.adjustments if each.id == adjustment), None)

    def gift(self, gift: str) -> ProposedGift | None:
        """The proposed gift with this id."""
        return next((each for each in self.gifts if each.id == gift), None)


def evolve(payments: PaymentState, fact: MoneyFact) -> PaymentState:
    """The open payments after a fact; never refuses."""
    match fact:
        case TurnoverCounted():
            return _turn_over(payments, fact.effective_minor)
        case (
            DepositRequested()
            | DepositEndorsed()
            | RepeatEndorsed()
            | DepositApproved()
            | DepositRejected()
        ):
            return _deposit(payments, fact)
        case (
            WithdrawalRequested()
            | WithdrawalEndorsed()
            | WithdrawalApproved()
            | WithdrawalPaid()
            | WithdrawalRejected()
        ):
            return _withdrawal(payments, fact)
        case GiftProposed() | GiftRejected() | GiftGranted():
            return _gift(payments, fact)
        case BonusReleased():
            return payments
        case AdjustmentProposed(adjustment=adjustment, amount_minor=amount, by=by):
            proposal = PendingAdjustment(adjustment, amount, by)
            return replace(payments, adjustments=(*payments.adjustments, proposal))
        case CorrectionProposed(adjustment=adjustment, amount_minor=amount, by=by):
            proposal = PendingAdjustment(adjustment, amount, by, fact.kind, fact.channel)
            return replace(payments, adjustments=(*payments.adjustments, proposal))
        case AdjustmentApproved() | CorrectionApproved() | AdjustmentRejected():
            return _corrected(payments, fact)
        case _ as never:
            assert_never(never)


def _corrected(
    payments: PaymentState, fact: AdjustmentApproved | CorrectionApproved | AdjustmentRejected
) -> PaymentState:
    left = tuple(each for each in payments.adjustments if each.id != fact.adjustment)
    payments = replace(payments, adjustments=left)
    if isinstance(fact, CorrectionApproved) and fact.kind == DOUBLE_ENTRY:
        return replace(payments, due_minor=max(0, payments.due_minor + fact.amount_minor))
    return payments


def _turn_over(payments: PaymentState, effective_minor: int) -> PaymentState:
    return replace(
        payments,
        due_minor=max(0, payments.due_minor - effective_minor),
        bonus_due_minor=max(0, payments.bonus_due_minor - effective_minor),
        turnover_minor=payments.turnover_minor + effective_minor,
    )


def _deposit(
    payments: PaymentState,
    fact: (DepositRequested | DepositEndorsed | RepeatEndorsed | DepositApproved | DepositRejected),
) -> PaymentState:
    pending = payments.deposits
    others = tuple(each for each in pending if each.id != fact.deposit)
    if fact.deposit.endswith(_LATE):
        paid = order_of(fact.deposit)
        payments = replace(
            payments, unpaid=tuple(each for each in payments.unpaid if each.id != paid)
        )
    match fact:
        case DepositRequested():
            new = PendingDeposit(
                fact.deposit, fact.channel, fact.amount_minor, fact.reference_commitment
            )
            return replace(payments, deposits=(*others, new))
        case DepositEndorsed(deposit=deposit, by=by) | RepeatEndorsed(deposit=deposit, by=by):
            repeats = isinstance(fact, RepeatEndorsed)
            endorsed = (
                replace(each, endorsed_by=by, repeats=repeats) if each.id == deposit else each
                for each in pending
            )
            return replace(payments, deposits=tuple(endorsed))
        case DepositApproved(amount_minor=amount):
            return replace(payments, deposits=others, due_minor=payments.due_minor + amount)
        case DepositRejected():
            return replace(payments, deposits=others, unpaid=_unpaid(payments, fact))
        case _ as never:
            assert_never(never)


def _unpaid(payments: PaymentState, fact: DepositRejected) -> tuple[PendingDeposit, ...]:
    """The unpaid orders with an online order that was dropped before the gateway reported on it."""
    order = payments.deposit(fact.deposit)
    dropped = order and order.channel == ONLINE and fact.cause in {REFUSED, REPLACED}
    if order is None or not dropped or order.endorsed_by == GATEWAY:
        return payments.unpaid
    return (*payments.unpaid, order)[-MAX_UNPAID:]


def _withdrawal(
    payments: PaymentState,
    fact: (
        WithdrawalRequested
        | WithdrawalEndorsed
        | WithdrawalApproved
        | WithdrawalPaid
        | WithdrawalRejected
    ),
) -> PaymentState:
    withdrawals = payments.withdrawals
    changed: Iterable[OpenWithdrawal]
    match fact:
        case WithdrawalRequested():
            new = OpenWithdrawal(fact.withdrawal, fact.method, fact.account, fact.amount_minor)
            changed = (*withdrawals, new)
        case WithdrawalEndorsed(withdrawal=withdrawal, by=by):
            changed = (
                replace(each, endorsed_by=by) if each.id == withdrawal else each
                for each in withdrawals
            )
        case WithdrawalApproved(withdrawal=withdrawal, by=by):
            changed = (
                replace(each, approved_by=by) if each.id == withdrawal else each
                for each in withdrawals
            )
        case WithdrawalPaid() | WithdrawalRejected():
            changed = (each for each in withdrawals if each.id != fact.withdrawal)
        case _ as never:
            assert_never(never)
    return replace(payments, withdrawals=tuple(changed))


def _gift(payments: PaymentState, fact: GiftProposed | GiftRejected | GiftGranted) -> PaymentState:
    if isinstance(fact, GiftProposed):
        new = ProposedGift(fact.gift, fact.amount_minor, fact.by, fact.reason_commitment)
        return replace(payments, gifts=(*payments.gifts, new))
    if payments.gift(fact.gift):
        payments = replace(
            payments, gifts=tuple(each for each in payments.gifts if each.id != fact.gift)
        )
    return payments if isinstance(fact, GiftRejected) else _granted(payments, fact)


def _granted(payments: PaymentState, fact: GiftGranted) -> PaymentState:
    day = fact.gift.removeprefix(_OVERNIGHT) if fact.cause == "overnight" else payments.overnight
    return replace(
        payments,
        bonus_due_minor=payments.bonus_due_minor + fact.due_minor,
        bonus_from=max(payments.bonus_from, fact.usable_at),
        overnight=day,
    )


def late_deposit_id(order: str) -> str:
    """The id of the deposit for money that arrives after its order stopped being pending."""
    return f"{order}{_LATE}"


def order_of(deposit: str) -> str:
    """The order whose money this deposit is, whether it arrived in time or late."""
    return deposit.removesuffix(_LATE)


def overnight_gift_id(day: str) -> str:
    """The id of the overnight bonus for a day: there is at most one."""
    return f"{_OVERNIGHT}{day}"
