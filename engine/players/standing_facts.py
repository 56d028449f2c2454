"""What can have happened to a player's standing: who they are to us, and what protects them.

Times are microseconds since 1970. Who and what is behind an id or a commitment is in the vault.
"""

from msgspec import Struct


class MemberJoined(Struct, frozen=True, gc=False):
    """A guest became a full member and keeps what there is."""

    inviter: int | None
    name_commitment: str


class BaseInfoCompleted(Struct, frozen=True, gc=False):
    """The member's identity is on record."""


class PayoutAccountSet(Struct, frozen=True, gc=False):
    """A bank card (`method` 0) or wallet (1) to pay to, from `usable_at` on."""

    method: int
    account: str
    commitment: str
    usable_at: int


class SecurityCodeSet(Struct, frozen=True, gc=False):
    """The code that confirms withdrawals was set or changed; it confirms from `usable_at` on."""

    usable_at: int


class SecurityCodeLifted(Struct, frozen=True, gc=False):
    """Staff took the code away from a member who had proved anew who they are; none holds now."""

    by: str
    reason_commitment: str


class QuotaReserved(Struct, frozen=True, gc=False):
    """The next level is kept for the member until a time; withdrawals are closed meanwhile."""

    level: int
    until: int


class QuotaReleased(Struct, frozen=True, gc=False):
    """The member gave the reservation up."""


class LimitSet(Struct, frozen=True, gc=False):
    """The member's own limit on deposits or losses a day, week or month; None lifts it.

    It holds from `from_at` on; until then `before_minor`, which held when this was asked.
    """

    subject: str
    span: str
    amount_minor: int | None
    from_at: int
    before_minor: int | None


class TimeOutTaken(Struct, frozen=True, gc=False):
    """The member takes a rest from bets and deposits until a time."""

    until: int


class SelfExcluded(Struct, frozen=True, gc=False):
    """The member excluded themselves from bets and deposits; None is for good."""

    until: int | None


class RealityCheckSet(Struct, frozen=True, gc=False):
    """The member wants to be told every so many minutes how long they play; 0 is never."""

    minutes: int


class PlayerSwitched(Struct, frozen=True, gc=False):
    """Staff closed a member's gaming, or opened it again; withdrawals stay open."""

    closed: bool
    by: str
    reason_commitment: str


class PayoutShown(Struct, frozen=True, gc=False):
    """Staff were shown in full where this open withdrawal is paid to."""

    withdrawal: str
    account: str
    by: str


class MessageSent(Struct, frozen=True, gc=False):
    """Staff told the member something; the words stand in the vault."""

    message: str
    commitment: str
    by: str


class MessageWithdrawn(Struct, frozen=True, gc=False):
    """Staff took a message back."""

    message: str
    by: str


class IdentityShared(Struct, frozen=True, gc=False):
    """The member gave an ID card or payout account (`subject`) that `other` had given before.

    Withdrawals wait until staff have decided whether the two are one person.
    """

    other: int
    subject: str


class ExclusionCarried(Struct, frozen=True, gc=False):
    """The exclusion of `other`, who shares an identity, holds for the member; None is for good."""

    other: int
    until: int | None


class IdentityDecided(Struct, frozen=True, gc=False):
    """Staff decided whether the member and `other` are one person.

    `excluded_until` is the end of the exclusion that holds for the member from then on.
    """

    other: int
    same: bool
    excluded_until: int
    by: str
    reason_commitment: str


class AccountChangeProposed(Struct, frozen=True, gc=False):
    """Staff propose to reset the member's password or to erase the member; `kind` says which."""

    change: str
    kind: str
    by: str
    reason_commitment: str


class AccountChangeRejected(Struct, frozen=True, gc=False):
    """Staff rejected a proposed account change; nothing happened to the account."""

    change: str
    kind: str
    by: str


class PasswordReset(Struct, frozen=True, gc=False):
    """A second person agreed that the member gets a temporary password.

    The security code confirms no withdrawal before `usable_at`, in microseconds since 1970.
    """

    change: str
    by: str
    proposed_by: str
    usable_at: int


class MemberErased(Struct, frozen=True, gc=False):
    """A second person agreed that the member's personal data are destroyed; the account closes."""

    change: str
    by: str
    proposed_by: str


AccountChangeFact = AccountChangeProposed | AccountChangeRejected | PasswordReset | MemberErased
IdentityFact = IdentityShared | ExclusionCarried | IdentityDecided
ProfileFact = (
    MemberJoined
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
    | PayoutShown
    | MessageSent
    | MessageWithdrawn
    | SecurityCodeLifted
    | IdentityFact
    | AccountChangeFact
)
