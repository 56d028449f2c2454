"""Commands on a player's behalf. They carry no personal data and no secrets.

A repeated command id is compared by their fields. Times are microseconds since 1970. New fields go
to the end, with a default.
"""

from typing import Final

from msgspec import Struct

from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.commands import MoneyCommand
from engine.chat.commands import ChatCommand
from engine.terms import DAY_US

DEPOSIT: Final = "deposit"
LOSS: Final = "loss"
SUBJECTS: Final = (DEPOSIT, LOSS)
ID_CARD: Final = "idcard"
PAYOUT: Final = "payout"
IDENTITIES: Final = (ID_CARD, PAYOUT)
SPANS: Final = ("day", "week", "month")
PASSWORD_RESET: Final = "password_reset"  # noqa: S105 - a name
ERASURE: Final = "erasure"
ACCOUNT_CHANGES: Final = (PASSWORD_RESET, ERASURE)
MEMBER: Final = 1
GUEST: Final = 2
MAX_TIME_OUT_US: Final = 42 * DAY_US
MIN_EXCLUSION_US: Final = 180 * DAY_US
MAX_EXCLUSION_US: Final = 5 * 366 * DAY_US
PERIOD_TOLERANCE_US: Final = 10_000_000
"""How far apart the ends of a period may be that an API process counts from its own clock at the
request, and the engine from its clock at the decision."""
MAX_REALITY_CHECK_MINUTES: Final = 240


class JoinAsMember(Struct, frozen=True, gc=False, array_like=True, tag="join"):
    """A guest becomes a full member."""

    player: int
    inviter: int | None
    name_commitment: str


class CompleteBaseInfo(Struct, frozen=True, gc=False, array_like=True, tag="base-info"):
    """The member's identity was recorded in the vault."""

    player: int


class SetPayoutAccount(Struct, frozen=True, gc=False, array_like=True, tag="payout-account"):
    """Pay to this bank card (`method` 0) or wallet (1) from now on; `account` is its id."""

    player: int
    method: int
    account: str
    commitment: str


class SetSecurityCode(Struct, frozen=True, gc=False, array_like=True, tag="security-code"):
    """The code was set or changed."""

    player: int


class ReserveQuota(Struct, frozen=True, gc=False, array_like=True, tag="quota"):
    """Reserve the next level for the member."""

    player: int


class ReleaseQuota(Struct, frozen=True, gc=False, array_like=True, tag="quota-release"):
    """Release the reservation immediately."""

    player: int


class SetLimit(Struct, frozen=True, gc=False, array_like=True, tag="limit"):
    """`subject` deposit or loss, `span` day, week or month; None removes the limit."""

    player: int
    subject: str
    span: str
    amount_minor: int | None


class TakeTimeOut(Struct, frozen=True, gc=False, array_like=True, tag="time-out"):
    """Block bets and deposits until then."""

    player: int
    until: int


class ExcludeSelf(Struct, frozen=True, gc=False, array_like=True, tag="exclusion"):
    """Block bets and deposits until then; None is permanently."""

    player: int
    until: int | None


class SetRealityCheck(Struct, frozen=True, gc=False, array_like=True, tag="reality-check"):
    """Set the member's reality check to every N minutes; 0 is never."""

    player: int
    minutes: int


class SwitchPlayer(Struct, frozen=True, gc=False, array_like=True, tag="player-switch"):
    """Staff close a member's gaming, or open it again."""

    player: int
    closed: bool
    by: str
    reason_commitment: str


class ShowPayout(Struct, frozen=True, gc=False, array_like=True, tag="payout-view"):
    """Staff are about to see in full where an open withdrawal is paid to."""

    player: int
    withdrawal: str
    by: str


class LiftSecurityCode(Struct, frozen=True, gc=False, array_like=True, tag="security-code-lift"):
    """Staff reset a locked or forgotten code, so that the member can set a first one again."""

    player: int
    by: str
    reason_commitment: str


class SendMessage(Struct, frozen=True, gc=False, array_like=True, tag="message"):
    """Staff send a message to a member; the vault stores the text."""

    player: int
    message: str
    commitment: str
    by: str


class WithdrawMessage(Struct, frozen=True, gc=False, array_like=True, tag="message-withdrawal"):
    """Staff withdraw a message: it is no longer shown to the member."""

    player: int
    message: str
    by: str


class NoteSharedIdentity(Struct, frozen=True, gc=False, array_like=True, tag="shared-identity"):
    """The member gave an ID card or payout account that the member `other` had given before.

    `subject` is one of `IDENTITIES`.
    """

    player: int
    other: int
    subject: str


class DecideIdentity(Struct, frozen=True, gc=False, array_like=True, tag="identity-decision"):
    """Staff decide whether the member and `other`, who share an identity, are one person."""

    player: int
    other: int
    same: bool
    by: str
    reason_commitment: str


class ProposeAccountChange(Struct, frozen=True, gc=False, array_like=True, tag="account-change"):
    """Reset the member's password or erase the member, once a second person has agreed.

    `kind` is one of `ACCOUNT_CHANGES`, `change` the id of this proposal.
    """

    player: int
    change: str
    kind: str
    by: str
    reason_commitment: str


class DecideAccountChange(
    Struct, frozen=True, gc=False, array_like=True, tag="account-change-decision"
):
    """Agree to a colleague's proposed account change, or reject it."""

    player: int
    change: str
    approve: bool
    by: str


AccountChangeCommand = ProposeAccountChange | DecideAccountChange
IdentityCommand = NoteSharedIdentity | DecideIdentity
MessageCommand = SendMessage | WithdrawMessage
ProtectionCommand = (
    JoinAsMember
    | CompleteBaseInfo
    | SetPayoutAccount
    | SetSecurityCode
    | SetLimit
    | TakeTimeOut
    | ExcludeSelf
    | SetRealityCheck
    | SwitchPlayer
    | ShowPayout
    | LiftSecurityCode
)
ProfileCommand = (
    ProtectionCommand
    | ReserveQuota
    | ReleaseQuota
    | MessageCommand
    | IdentityCommand
    | AccountChangeCommand
)


class RegisterPlayer(Struct, frozen=True, gc=False, array_like=True, tag="register"):
    """Join as member (group 1) or guest (2); `gift_minor` is demo money that comes with it."""

    player: int
    group: int
    inviter: int | None
    name_commitment: str
    bot: bool = False
    gift_minor: int = 0


PlayerCommand = RegisterPlayer | PlaceBet | RecallBets | MoneyCommand | ProfileCommand | ChatCommand
