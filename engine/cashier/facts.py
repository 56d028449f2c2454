"""Facts about members' money besides bets, and about the staff who approved it.

Amounts are integer minor units, times microseconds since 1970. `by` names a member of staff.
What people wrote (references, reasons) is in the vault; a fact holds a keyed commitment to it.
"""

from typing import Final

from msgspec import Struct

#: A correction that undoes a deposit which was entered twice.
DOUBLE_ENTRY: Final = "double_entry"


class DepositRequested(Struct, frozen=True, gc=False):
    """Somebody says that money is on its way (`channel`: bank, usdt or online); not usable yet."""

    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


class DepositEndorsed(Struct, frozen=True, gc=False):
    """The first of two who must agree has seen the money arrive."""

    deposit: str
    by: str


class RepeatEndorsed(Struct, frozen=True, gc=False):
    """The first of two says that it is another payment, though its reference was credited before.

    They agree to the deposit by it.
    """

    deposit: str
    by: str


class DepositApproved(Struct, frozen=True, gc=False):
    """Money came in from outside (`channel`) and may be used from now on."""

    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


class DepositRejected(Struct, frozen=True, gc=False):
    """The money did not come (`cause` refused), or goes back where it came from.

    It goes back because a limit (limit) or an exclusion (excluded) of the player forbids it. An
    unpaid online order may be given up for a newer one (replaced).
    """

    deposit: str
    channel: str
    amount_minor: int
    cause: str
    reason_commitment: str


class WithdrawalRequested(Struct, frozen=True, gc=False):
    """Money left the playable balance for a payout; `account` is the payout account's id."""

    withdrawal: str
    method: int
    account: str
    amount_minor: int


class WithdrawalEndorsed(Struct, frozen=True, gc=False):
    """The first of two who must agree has approved."""

    withdrawal: str
    by: str


class WithdrawalApproved(Struct, frozen=True, gc=False):
    """It may be paid."""

    withdrawal: str
    by: str


class WithdrawalPaid(Struct, frozen=True, gc=False):
    """The money left the house over `channel` (bank or usdt), to the payout account's id."""

    withdrawal: str
    channel: str
    account: str
    amount_minor: int
    reference_commitment: str


class WithdrawalRejected(Struct, frozen=True, gc=False):
    """Not paid: the money is back in the playable balance."""

    withdrawal: str
    amount_minor: int
    reason_commitment: str


class TurnoverCounted(Struct, frozen=True, gc=False):
    """A settled round's bets counted toward turnover, together, once.

    `stake_minor` is what the player staked on the round, `effective_minor` what of it counts.
    """

    game: int
    issue: str
    stake_minor: int
    effective_minor: int


class GiftProposed(Struct, frozen=True, gc=False):
    """A member of staff wants to give more bonus money than one person may; nothing moves yet."""

    gift: str
    amount_minor: int
    by: str
    reason_commitment: str


class GiftRejected(Struct, frozen=True, gc=False):
    """A proposed gift is not given."""

    gift: str
    by: str


class GiftGranted(Struct, frozen=True, gc=False):
    """The house gave bonus money (`cause`: overnight, or staff).

    It can be released once `due_minor` of turnover is done, and not before `usable_at`.
    """

    gift: str
    cause: str
    amount_minor: int
    due_minor: int
    usable_at: int
    reason_commitment: str


class BonusReleased(Struct, frozen=True, gc=False):
    """What was due is done: bonus money became the player's own."""

    amount_minor: int


class AdjustmentProposed(Struct, frozen=True, gc=False):
    """Somebody of the staff wants a balance corrected; below zero it takes money away."""

    adjustment: str
    amount_minor: int
    by: str
    reason_commitment: str


class AdjustmentApproved(Struct, frozen=True, gc=False):
    """Somebody else agreed: the balance is corrected."""

    adjustment: str
    amount_minor: int
    by: str


class CorrectionProposed(Struct, frozen=True, gc=False):
    """A member of staff wants a balance corrected; `kind` (engine/chart.py) says what for.

    `channel` is that of the deposit which a double entry doubled, else empty.
    """

    adjustment: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reason_commitment: str


class CorrectionApproved(Struct, frozen=True, gc=False):
    """Another person agreed: the balance is corrected, against the account of its kind."""

    adjustment: str
    kind: str
    channel: str
    amount_minor: int
    by: str


class AdjustmentRejected(Struct, frozen=True, gc=False):
    """Nothing is corrected."""

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

    kind: str
    id: str
    player: int
    amount_minor: int
    by: str


class ReferenceCredited(Struct, frozen=True, gc=False):
    """A deposit or booking (`deposit`) with this reference, a keyed hash in hex, was credited."""

    reference: str
    channel: str
    deposit: str
    player: int
    by: str


DeskFact = ApprovedAlone | ReferenceCredited
