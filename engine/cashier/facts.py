"""Facts about members' money other than bets, and about the staff who approved it.

Amounts are integer minor units, times microseconds since 1970. `by` names a member of staff. Text
that people wrote (references, reasons) is in the vault; a fact has a keyed commitment to it.
"""

from typing import ClassVar, Final

from msgspec import Struct

#: A correction that reverses a deposit which was entered twice.
DUPLICATE_DEPOSIT: Final = "double_entry"


class DepositRequested(Struct, frozen=True, gc=False):
    """A deposit was announced (`channel`: bank, usdt or online); it is not usable yet."""

    topic: ClassVar = "deposit-requested.1"
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


class DepositEndorsed(Struct, frozen=True, gc=False):
    """The first of two approvers has seen the money arrive."""

    topic: ClassVar = "deposit-endorsed.1"
    deposit: str
    by: str


class RepeatEndorsed(Struct, frozen=True, gc=False):
    """The first of two approvers confirms another payment with a reference credited before.

    This is also their approval of the deposit.
    """

    topic: ClassVar = "repeat-endorsed.1"
    deposit: str
    by: str


class DepositApproved(Struct, frozen=True, gc=False):
    """Money came in from outside (`channel`) and is usable from now on."""

    topic: ClassVar = "deposit-approved.1"
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


class DepositRejected(Struct, frozen=True, gc=False):
    """The money did not arrive (`cause` refused), or is sent back.

    It is sent back because a limit (limit) or an exclusion (excluded) of the player forbids it. An
    unpaid online order may be dropped for a newer one (replaced).
    """

    topic: ClassVar = "deposit-rejected.1"
    deposit: str
    channel: str
    amount_minor: int
    cause: str
    reason_commitment: str


class WithdrawalRequested(Struct, frozen=True, gc=False):
    """Money left the playable balance for a payout; `account` is the payout account's id."""

    topic: ClassVar = "withdrawal-requested.1"
    withdrawal: str
    method: int
    account: str
    amount_minor: int


class WithdrawalEndorsed(Struct, frozen=True, gc=False):
    """The first of two approvers has approved."""

    topic: ClassVar = "withdrawal-endorsed.1"
    withdrawal: str
    by: str


class WithdrawalApproved(Struct, frozen=True, gc=False):
    """The withdrawal may be paid."""

    topic: ClassVar = "withdrawal-approved.1"
    withdrawal: str
    by: str


class WithdrawalPaid(Struct, frozen=True, gc=False):
    """The money left the house over `channel` (bank or usdt), to the payout account's id."""

    topic: ClassVar = "withdrawal-paid.1"
    withdrawal: str
    channel: str
    account: str
    amount_minor: int
    reference_commitment: str


class WithdrawalRejected(Struct, frozen=True, gc=False):
    """Not paid: the money is back in the playable balance."""

    topic: ClassVar = "withdrawal-rejected.1"
    withdrawal: str
    amount_minor: int
    reason_commitment: str


class TurnoverCounted(Struct, frozen=True, gc=False):
    """A settled round's bets counted toward turnover, together and only once.

    `stake_minor` is the player's total stake on the round, `effective_minor` the part that counts.
    """

    topic: ClassVar = "turnover-counted.1"
    game: int
    issue: str
    stake_minor: int
    effective_minor: int


class GiftProposed(Struct, frozen=True, gc=False):
    """A member of staff proposed more bonus money than one person may give; nothing moves yet."""

    topic: ClassVar = "gift-proposed.1"
    gift: str
    amount_minor: int
    by: str
    reason_commitment: str


class GiftRejected(Struct, frozen=True, gc=False):
    """A proposed gift is not given."""

    topic: ClassVar = "gift-rejected.1"
    gift: str
    by: str


class GiftGranted(Struct, frozen=True, gc=False):
    """The house gave bonus money (`cause`: overnight, or staff).

    It can be released once `due_minor` of turnover is done, and not before `usable_at`.
    """

    topic: ClassVar = "gift-granted.1"
    gift: str
    cause: str
    amount_minor: int
    due_minor: int
    usable_at: int
    reason_commitment: str


class BonusReleased(Struct, frozen=True, gc=False):
    """The turnover due is done: bonus money moved to the player's available balance."""

    topic: ClassVar = "bonus-released.1"
    amount_minor: int


class AdjustmentProposed(Struct, frozen=True, gc=False):
    """A correction without a kind was proposed; a negative amount takes money away.

    Newer ones have a kind, see `CorrectionProposed`.
    """

    topic: ClassVar = "adjustment-proposed.1"
    adjustment: str
    amount_minor: int
    by: str
    reason_commitment: str


class AdjustmentApproved(Struct, frozen=True, gc=False):
    """Another member of staff agreed: the balance is corrected."""

    topic: ClassVar = "adjustment-approved.1"
    adjustment: str
    amount_minor: int
    by: str


class CorrectionProposed(Struct, frozen=True, gc=False):
    """A member of staff proposed a balance correction.

    `kind` (engine/chart_of_accounts.py) is its purpose. `channel` is that of the deposit which was
    entered twice, empty for other kinds.
    """

    topic: ClassVar = "correction-proposed.1"
    adjustment: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reason_commitment: str


class CorrectionApproved(Struct, frozen=True, gc=False):
    """Another person agreed: the balance is corrected, against the account of its kind."""

    topic: ClassVar = "correction-approved.1"
    adjustment: str
    kind: str
    channel: str
    amount_minor: int
    by: str


class AdjustmentRejected(Struct, frozen=True, gc=False):
    """The proposed correction is not made."""

    topic: ClassVar = "adjustment-rejected.1"
    adjustment: str
    by: str


MoneyFact = (
    DepositRequested
    | DepositEndorsed
    | RepeatEndorsed
    | DepositApproved
    | DepositRejected
    | WithdrawalRequested
    | WithdrawalEndorsed
    | WithdrawalApproved
    | WithdrawalPaid
    | WithdrawalRejected
    | TurnoverCounted
    | GiftProposed
    | GiftRejected
    | GiftGranted
    | BonusReleased
    | AdjustmentProposed
    | AdjustmentApproved
    | CorrectionProposed
    | CorrectionApproved
    | AdjustmentRejected
)


class ApprovedAlone(Struct, frozen=True, gc=False):
    """One person approved a deposit, withdrawal, gift or booking (`kind`) without a second one.

    `id` is the request's, `by` the member of staff; the amount is in minor units. `player` is 0 for
    a booking between the house's own accounts.
    """

    topic: ClassVar = "approved-alone.1"
    kind: str
    id: str
    player: int
    amount_minor: int
    by: str


class ReferenceCredited(Struct, frozen=True, gc=False):
    """A deposit or booking (`deposit`) with this reference, a keyed hash in hex, was credited."""

    topic: ClassVar = "reference-credited.1"
    reference: str
    channel: str
    deposit: str
    player: int
    by: str


ApprovalFact = ApprovedAlone | ReferenceCredited
