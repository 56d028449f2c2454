"""Facts about a player. Stream: `player-<id>`.

Facts carry no personal data: it is in the vault, and a fact has an id of it or a keyed commitment
to it. Amounts are integer minor units, odds integer thousandths, times microseconds since 1970. A
bet's facts repeat its stake and bonus share, so that the postings of a fact follow from that fact
alone.
"""

from typing import ClassVar

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import MoneyFact
from engine.chat.facts import ChatFact


class MemberJoined(Struct, frozen=True, gc=False):
    """A guest became a full member and keeps all balances and bets."""

    topic: ClassVar = "member-joined.1"
    inviter: int | None
    name_commitment: str


class BaseInfoCompleted(Struct, frozen=True, gc=False):
    """The member's identity is recorded in the vault."""

    topic: ClassVar = "base-info-completed.1"


class PayoutAccountSet(Struct, frozen=True, gc=False):
    """A bank card (`method` 0) or wallet (1) to pay to, from `usable_at` on."""

    topic: ClassVar = "payout-account-set.1"
    method: int
    account: str
    commitment: str
    usable_at: int


class SecurityCodeSet(Struct, frozen=True, gc=False):
    """The code that confirms withdrawals was set or changed; it confirms from `usable_at` on."""

    topic: ClassVar = "security-code-set.1"
    usable_at: int


class SecurityCodeLifted(Struct, frozen=True, gc=False):
    """Staff reset the code of a member who had proved their identity again; none is valid now."""

    topic: ClassVar = "security-code-lifted.1"
    by: str
    reason_commitment: str


class QuotaReserved(Struct, frozen=True, gc=False):
    """The next level is reserved until a time; the member cannot withdraw meanwhile."""

    topic: ClassVar = "quota-reserved.1"
    level: int
    until: int


class QuotaReleased(Struct, frozen=True, gc=False):
    """The member released the reservation."""

    topic: ClassVar = "quota-released.1"


class LimitSet(Struct, frozen=True, gc=False):
    """The member's own limit on deposits or losses a day, week or month; None removes it.

    It applies from `from_at` on; until then `before_minor` does, the limit at the time of the
    request.
    """

    topic: ClassVar = "limit-set.1"
    subject: str
    span: str
    amount_minor: int | None
    from_at: int
    before_minor: int | None


class TimeOutTaken(Struct, frozen=True, gc=False):
    """The member takes a break from bets and deposits until a time."""

    topic: ClassVar = "time-out-taken.1"
    until: int


class SelfExcluded(Struct, frozen=True, gc=False):
    """The member excluded themselves from bets and deposits; None is permanently."""

    topic: ClassVar = "self-excluded.1"
    until: int | None


class RealityCheckSet(Struct, frozen=True, gc=False):
    """The member gets a reminder of their playing time every N minutes; 0 is never."""

    topic: ClassVar = "reality-check-set.1"
    minutes: int


class PlayerSwitched(Struct, frozen=True, gc=False):
    """Staff closed a member's gaming, or opened it again; withdrawals stay open."""

    topic: ClassVar = "player-switched.1"
    closed: bool
    by: str
    reason_commitment: str


class PayoutShown(Struct, frozen=True, gc=False):
    """Staff were shown in full where this open withdrawal is paid to."""

    topic: ClassVar = "payout-shown.1"
    withdrawal: str
    account: str
    by: str


class MessageSent(Struct, frozen=True, gc=False):
    """Staff sent the member a message; the vault stores the text."""

    topic: ClassVar = "message-sent.1"
    message: str
    commitment: str
    by: str


class MessageWithdrawn(Struct, frozen=True, gc=False):
    """Staff withdrew a message."""

    topic: ClassVar = "message-withdrawn.1"
    message: str
    by: str


class IdentityShared(Struct, frozen=True, gc=False):
    """The member gave an ID card or payout account (`subject`) that `other` had given before.

    Withdrawals wait until staff have decided whether the two are one person.
    """

    topic: ClassVar = "identity-shared.1"
    other: int
    subject: str


class ExclusionCarried(Struct, frozen=True, gc=False):
    """`other`'s exclusion applies to the member, who shares an identity; None is permanently."""

    topic: ClassVar = "exclusion-carried.1"
    other: int
    until: int | None


class IdentityDecided(Struct, frozen=True, gc=False):
    """Staff decided whether the member and `other` are one person.

    `excluded_until` is the end of the exclusion that applies to the member from then on.
    """

    topic: ClassVar = "identity-decided.1"
    other: int
    same: bool
    excluded_until: int
    by: str
    reason_commitment: str


class AccountChangeProposed(Struct, frozen=True, gc=False):
    """Staff propose to reset the member's password or to erase the member; `kind` says which."""

    topic: ClassVar = "account-change-proposed.1"
    change: str
    kind: str
    by: str
    reason_commitment: str


class AccountChangeRejected(Struct, frozen=True, gc=False):
    """Staff rejected a proposed account change; nothing happened to the account."""

    topic: ClassVar = "account-change-rejected.1"
    change: str
    kind: str
    by: str


class PasswordReset(Struct, frozen=True, gc=False):
    """A second person agreed that the member gets a temporary password.

    The security code confirms no withdrawal before `usable_at`, in microseconds since 1970.
    """

    topic: ClassVar = "password-reset.1"
    change: str
    by: str
    proposed_by: str
    usable_at: int


class MemberErased(Struct, frozen=True, gc=False):
    """A second person agreed that the member's personal data are destroyed; the account closes."""

    topic: ClassVar = "member-erased.1"
    change: str
    by: str
    proposed_by: str


AccountChangeFact = AccountChangeProposed | AccountChangeRejected | PasswordReset | MemberErased
IdentityFact = IdentityShared | ExclusionCarried | IdentityDecided
#: What is on record and leaves the profile (engine/players/profile.py) as it is.
RecordOnlyFact = MemberJoined | PayoutShown
ProfileFact = (
    RecordOnlyFact
    | BaseInfoCompleted
    | PayoutAccountSet
    | SecurityCodeSet
    | QuotaReserved
    | QuotaReleased
    | LimitSet
    | TimeOutTaken
    | SelfExcluded
    | RealityCheckSet
    | PlayerSwitched
    | MessageSent
    | MessageWithdrawn
    | SecurityCodeLifted
    | IdentityFact
    | AccountChangeFact
)


class PlayerRegistered(Struct, frozen=True, gc=False):
    """A player was registered; `group` is 1 for a member and 2 for a guest."""

    topic: ClassVar = "player-registered.1"
    group: int
    inviter: int | None
    bot: bool
    name_commitment: str


PlayerFact = (
    PlayerRegistered
    | BetPlaced
    | BetRecalled
    | BetSettled
    | BetVoided
    | MoneyFact
    | ProfileFact
    | ChatFact
)
