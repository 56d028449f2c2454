"""Commands about a player's money other than bets. `by` names a member of staff.

Commands are stored as submitted, so new fields go to the end, with a default.
"""

from typing import Final

from msgspec import Struct

PLAY_MONEY: Final = "demo"
CHANNELS: Final = frozenset({"bank", "usdt", PLAY_MONEY})
ONLINE: Final = "online"
NOTICE_CHANNELS: Final = frozenset({"bank", "usdt", ONLINE})
GATEWAY: Final = "gateway"
BANK_CARD: Final = 0
WALLET: Final = 1


class RequestDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit-request"):
    """The member announces a bank or wallet transfer, or orders a payment online."""

    player: int
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


class ApproveDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit"):
    """Credit a deposit at once: play money of the demo. Staff use `EnterDeposit`."""

    player: int
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str
    by: str = ""


class DecideDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit-decision"):
    """Staff approve or reject a pending deposit. The API only rejects so; see `AgreeDeposit`."""

    player: int
    deposit: str
    approve: bool
    by: str
    reason_commitment: str = ""


class EnterDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit-entry"):
    """Staff enter money that they saw arrive over `channel`, bank or usdt.

    `reference` is the keyed hash of the payment's text, empty if it has none. `again` states that
    this is another payment, in case the same reference was credited before.
    """

    player: int
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str
    by: str
    reference: str
    again: bool


class AgreeDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit-agreement"):
    """Staff agree that a pending deposit has arrived; see `EnterDeposit` for the reference."""

    player: int
    deposit: str
    by: str
    reference: str
    again: bool


class ConfirmDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit-confirmation"):
    """The payment gateway reports that one of our orders was paid with this amount."""

    player: int
    deposit: str
    amount_minor: int


class RequestWithdrawal(Struct, frozen=True, gc=False, array_like=True, tag="withdrawal"):
    """The member requests a payout to their bank card (0) or wallet (1); the code was checked."""

    player: int
    withdrawal: str
    method: int
    amount_minor: int


class DecideWithdrawal(Struct, frozen=True, gc=False, array_like=True, tag="withdrawal-decision"):
    """Staff approve or reject a withdrawal that is not paid yet."""

    player: int
    withdrawal: str
    approve: bool
    by: str
    reason_commitment: str = ""


class PayWithdrawal(Struct, frozen=True, gc=False, array_like=True, tag="withdrawal-payment"):
    """Staff have sent the money of an approved withdrawal."""

    player: int
    withdrawal: str
    by: str
    reference_commitment: str


class GrantGift(Struct, frozen=True, gc=False, array_like=True, tag="gift"):
    """Staff give bonus money, for a reason; above the threshold a second person has to agree."""

    player: int
    gift: str
    amount_minor: int
    by: str
    reason_commitment: str


class DecideGift(Struct, frozen=True, gc=False, array_like=True, tag="gift-decision"):
    """A second member of staff agrees to a proposed gift, or anyone drops it."""

    player: int
    gift: str
    approve: bool
    by: str


class GrantOvernight(Struct, frozen=True, gc=False, array_like=True, tag="overnight"):
    """The bonus for the turnover of `day` (yyyy-mm-dd), which has ended."""

    player: int
    day: str


class ReleaseBonus(Struct, frozen=True, gc=False, array_like=True, tag="bonus-release"):
    """Move bonus money to the player's available balance, once its turnover is done."""

    player: int


class ProposeAdjustment(Struct, frozen=True, gc=False, array_like=True, tag="adjustment"):
    """Correct a balance, up or down, once a second member of staff agrees.

    It has no kind, and its contra account is the takings. Staff use `ProposeCorrection`.
    """

    player: int
    adjustment: str
    amount_minor: int
    by: str
    reason_commitment: str


class ProposeCorrection(Struct, frozen=True, gc=False, array_like=True, tag="correction"):
    """As `ProposeAdjustment`, but `kind` and `channel` name the contra account."""

    player: int
    adjustment: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reason_commitment: str


class DecideAdjustment(Struct, frozen=True, gc=False, array_like=True, tag="adjustment-decision"):
    """The second member of staff agrees, or anyone drops it."""

    player: int
    adjustment: str
    approve: bool
    by: str


MoneyCommand = (
    RequestDeposit
    | ApproveDeposit
    | DecideDeposit
    | EnterDeposit
    | AgreeDeposit
    | ConfirmDeposit
    | RequestWithdrawal
    | DecideWithdrawal
    | PayWithdrawal
    | GrantGift
    | DecideGift
    | GrantOvernight
    | ReleaseBonus
    | ProposeAdjustment
    | ProposeCorrection
    | DecideAdjustment
)
