"""A player's open payments: turnover due, pending requests, proposals. It has no balances.

Amounts are minor units, times microseconds since 1970.
"""

from msgspec import Struct
from msgspec.structs import replace

from engine.cashier.commands import GATEWAY, ONLINE
from engine.cashier.facts import (
    DUPLICATE_DEPOSIT,
    BonusReleased,
    CorrectionApproved,
    DepositApproved,
    DepositRejected,
    GiftGranted,
    MoneyFact,
    TurnoverCounted,
)
from engine.lifecycle import APPROVED, DEPOSIT, REFUSED, REPLACED, REQUESTED, STEPS

_OVERNIGHT = "overnight-"
_LATE = "-late"
#: The newest N unpaid orders are kept; no paying member opens more.
MAX_UNPAID = 50


class Payment(Struct, frozen=True, gc=False):
    """An open deposit, withdrawal, gift or adjustment; engine/lifecycle.py has its kinds.

    `endorsed_by` has already agreed to it, `decided_by` gave the last approval of a withdrawal.
    `repeat_endorsed_by` agreed although the deposit's reference was credited before. `correction`
    is the purpose of an adjustment, which older ones do not have; `corrected_channel` is that of
    the deposit which was entered twice.
    """

    kind: str
    id: str
    status: str = REQUESTED
    amount_minor: int = 0
    channel: str = ""
    method: int = 0
    account: str = ""
    requested_by: str = ""
    endorsed_by: str = ""
    repeat_endorsed_by: str = ""
    decided_by: str = ""
    correction: str = ""
    corrected_channel: str = ""
    reason_commitment: str = ""
    reference_commitment: str = ""

    @property
    def approved(self) -> bool:
        """Whether it is a withdrawal that may be paid."""
        return self.status == APPROVED


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
    open: tuple[Payment, ...] = ()
    unpaid: tuple[Payment, ...] = ()

    def of(self, kind: str) -> tuple[Payment, ...]:
        """The open payments of a kind, oldest first."""
        return tuple(each for each in self.open if each.kind == kind)

    def find(self, kind: str, number: str) -> Payment | None:
        """The open payment of this kind with this id."""
        found = (each for each in self.open if (each.kind, each.id) == (kind, number))
        return next(found, None)

    def unpaid_order(self, deposit: str) -> Payment | None:
        """The online order with this id that is no longer pending and not paid so far."""
        return next((each for each in self.unpaid if each.id == deposit), None)

    @property
    def pending_deposits_minor(self) -> int:
        """The sum of the pending deposits, in minor units."""
        return sum(each.amount_minor for each in self.of(DEPOSIT))


def evolve(payments: PaymentState, fact: MoneyFact) -> PaymentState:
    """The open payments after a fact; never refuses."""
    match fact:
        case TurnoverCounted():
            return _turn_over(payments, fact.effective_minor)
        case BonusReleased():
            return payments
        case DepositApproved():
            payments = replace(payments, due_minor=payments.due_minor + fact.amount_minor)
        case DepositRejected():
            payments = replace(payments, unpaid=_unpaid(payments, fact))
        case CorrectionApproved() if fact.kind == DUPLICATE_DEPOSIT:
            payments = replace(payments, due_minor=max(0, payments.due_minor + fact.amount_minor))
        case GiftGranted():
            payments = _granted(payments, fact)
        case _:
            pass
    return _take_step(payments, fact)


def _take_step(payments: PaymentState, fact: MoneyFact) -> PaymentState:
    """Open, change or close the payment that a fact is about."""
    step = STEPS[type(fact)]
    kind, number = step.item(fact)
    found = payments.find(kind, number)
    others = tuple(each for each in payments.open if each is not found)
    if kind == DEPOSIT and number.endswith(_LATE):
        left = (each for each in payments.unpaid if each.id != order_of(number))
        payments = replace(payments, unpaid=tuple(left))
    if step.closes:
        return replace(payments, open=others)
    changes = step.changes(fact)
    if step.status == REQUESTED:
        return replace(payments, open=(*others, Payment(kind, number, **changes)))
    changed = (replace(each, **changes) if each is found else each for each in payments.open)
    return replace(payments, open=tuple(changed))


def _turn_over(payments: PaymentState, effective_minor: int) -> PaymentState:
    return replace(
        payments,
        due_minor=max(0, payments.due_minor - effective_minor),
        bonus_due_minor=max(0, payments.bonus_due_minor - effective_minor),
        turnover_minor=payments.turnover_minor + effective_minor,
    )


def _unpaid(payments: PaymentState, fact: DepositRejected) -> tuple[Payment, ...]:
    """The unpaid orders with an online order that was dropped before the gateway reported on it."""
    order = payments.find(DEPOSIT, fact.deposit)
    dropped = order and order.channel == ONLINE and fact.cause in {REFUSED, REPLACED}
    if order is None or not dropped or order.endorsed_by == GATEWAY:
        return payments.unpaid
    return (*payments.unpaid, order)[-MAX_UNPAID:]


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
