"""The writer's state of a player's profile: identity, payout accounts, protection."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from engine.players.facts import (
    AccountChangeFact,
    AccountChangeProposed,
    AccountChangeRejected,
    BaseInfoCompleted,
    ExclusionCarried,
    IdentityDecided,
    IdentityFact,
    IdentityShared,
    LimitSet,
    MemberErased,
    MessageSent,
    MessageWithdrawn,
    PasswordReset,
    PayoutAccountSet,
    PlayerSwitched,
    ProfileFact,
    QuotaReleased,
    QuotaReserved,
    RealityCheckSet,
    RecordOnlyFact,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)

FOR_GOOD = 1 << 62
"""A time that never comes, in microseconds since 1970."""


class PayoutAccount(Struct, frozen=True, gc=False):
    """Where to pay: `method` 0 is a bank card, 1 a wallet; `paid` after the first payment."""

    method: int
    account: str
    usable_at: int
    paid: bool = False


class Limit(Struct, frozen=True, gc=False):
    """`amount_minor` (None for none) applies from `from_at` on, `before_minor` until then."""

    subject: str
    span: str
    amount_minor: int | None
    from_at: int
    before_minor: int | None

    def at(self, now: int) -> int | None:
        """The limit in effect at a time."""
        return self.amount_minor if now >= self.from_at else self.before_minor


class SharedIdentity(Struct, frozen=True, gc=False):
    """The member gave the same identity as `other` before.

    The other's exclusion applies to this member until `carried_until`. `same` is whether staff
    found them to be one person, None while they have not decided.
    """

    other: int
    subject: str
    carried_until: int = 0
    same: bool | None = None


class ProposedChange(Struct, frozen=True, gc=False):
    """An account change that a second person has to agree to."""

    id: str
    kind: str
    by: str


class PlayerProfile(Struct, frozen=True):
    """Immutable, so that copies of a player's state can share it.

    `quota` is the level reserved and until when. A field `x_until` is when x ends. `excluded_until`
    ends the member's own exclusion or one that was carried over to them. `messages` are the ids of
    those from staff that were not withdrawn.
    """

    base_info: bool = False
    code_usable_at: int | None = None
    payouts: tuple[PayoutAccount, ...] = ()
    quota: tuple[int, int] | None = None
    limits: tuple[Limit, ...] = ()
    time_out_until: int = 0
    excluded_until: int = 0
    reality_check_minutes: int = 0
    closed: bool = False
    messages: tuple[str, ...] = ()
    own_excluded_until: int = 0
    shared: tuple[SharedIdentity, ...] = ()
    changes: tuple[ProposedChange, ...] = ()
    erased: bool = False

    @property
    def identity_unclear(self) -> bool:
        """Whether staff still have to decide whose identity the member has given."""
        return any(each.same is None for each in self.shared)

    def excluded_with(self, shared: tuple[SharedIdentity, ...]) -> int:
        """When all exclusions end if these are the shared identities."""
        carried = (each.carried_until for each in shared if each.same is not False)
        return max(self.own_excluded_until, *carried, 0)

    def is_blocked(self, now: int) -> bool:
        """Whether a time-out or an exclusion, own or carried over, blocks bets and deposits."""
        return now < self.time_out_until or now < self.excluded_until

    def may_withdraw_unconditionally(self, now: int) -> bool:
        """Whether withdrawals ignore turnover due: the member is excluded, or closed by staff."""
        return self.closed or now < self.excluded_until

    def payout(self, method: int) -> PayoutAccount | None:
        """The account of this method that is paid to now."""
        return next((each for each in self.payouts if each.method == method), None)

    def change(self, change: str) -> ProposedChange | None:
        """The proposed account change with this id."""
        return next((each for each in self.changes if each.id == change), None)

    def limit(self, subject: str, span: str) -> Limit | None:
        """The member's limit, None if they never set one."""
        key = (subject, span)
        return next((each for each in self.limits if (each.subject, each.span) == key), None)


def evolve(profile: PlayerProfile, fact: ProfileFact) -> PlayerProfile:
    """The profile after a fact; never refuses."""
    match fact:
        case BaseInfoCompleted():
            return replace(profile, base_info=True)
        case PayoutAccountSet(method=method, account=account, usable_at=usable_at):
            others = tuple(each for each in profile.payouts if each.method != method)
            return replace(profile, payouts=(*others, PayoutAccount(method, account, usable_at)))
        case SecurityCodeSet() | SecurityCodeLifted():
            set_to = fact.usable_at if isinstance(fact, SecurityCodeSet) else None
            return replace(profile, code_usable_at=set_to)
        case QuotaReserved() | QuotaReleased():
            quota = (fact.level, fact.until) if isinstance(fact, QuotaReserved) else None
            return replace(profile, quota=quota)
        case LimitSet():
            return _limit(profile, fact)
        case TimeOutTaken(until=until):
            return replace(profile, time_out_until=until)
        case SelfExcluded(until=until):
            own = FOR_GOOD if until is None else until
            return replace(profile, excluded_until=own, own_excluded_until=own)
        case RealityCheckSet(minutes=minutes):
            return replace(profile, reality_check_minutes=minutes)
        case PlayerSwitched(closed=closed):
            return replace(profile, closed=closed)
        case MessageSent() | MessageWithdrawn():
            remaining = tuple(each for each in profile.messages if each != fact.message)
            sent = (fact.message,) if isinstance(fact, MessageSent) else ()
            return replace(profile, messages=(*remaining, *sent))
        case _ if isinstance(fact, IdentityFact | AccountChangeFact):
            return _by_staff(profile, fact)
        case _ if isinstance(fact, RecordOnlyFact):
            return profile
        case _ as never:
            assert_never(never)


def mark_paid(profile: PlayerProfile, account: str) -> PlayerProfile:
    """Mark this payout account as paid to."""
    payouts = tuple(
        replace(each, paid=True) if each.account == account else each for each in profile.payouts
    )
    return replace(profile, payouts=payouts)


def _by_staff(profile: PlayerProfile, fact: IdentityFact | AccountChangeFact) -> PlayerProfile:
    if isinstance(fact, AccountChangeFact):
        return _account_change(profile, fact)
    return _identity(profile, fact)


def _identity(profile: PlayerProfile, fact: IdentityFact) -> PlayerProfile:
    match fact:
        case IdentityShared(other=other, subject=subject):
            shared = (*profile.shared, SharedIdentity(other, subject))
            return replace(profile, shared=shared)
        case ExclusionCarried(other=other, until=until):
            end = FOR_GOOD if until is None else until
            shared = tuple(
                replace(each, carried_until=end) if each.other == other else each
                for each in profile.shared
            )
            return replace(profile, shared=shared, excluded_until=profile.excluded_with(shared))
        case IdentityDecided(other=other, same=same, excluded_until=excluded_until):
            shared = mark_decided(profile.shared, other, same=same)
            return replace(profile, shared=shared, excluded_until=excluded_until)
        case _ as never:
            assert_never(never)


def _account_change(profile: PlayerProfile, fact: AccountChangeFact) -> PlayerProfile:
    others = tuple(each for each in profile.changes if each.id != fact.change)
    match fact:
        case AccountChangeProposed(change=change, kind=kind, by=by):
            return replace(profile, changes=(*others, ProposedChange(change, kind, by)))
        case AccountChangeRejected():
            return replace(profile, changes=others)
        case PasswordReset(usable_at=usable_at):
            code = profile.code_usable_at
            code = None if code is None else max(code, usable_at)
            return replace(profile, changes=others, code_usable_at=code)
        case MemberErased():
            return replace(profile, changes=others, closed=True, erased=True)
        case _ as never:
            assert_never(never)


def mark_decided(
    shared: tuple[SharedIdentity, ...], other: int, *, same: bool
) -> tuple[SharedIdentity, ...]:
    """These shared identities, once staff have decided about those with one other member."""
    return tuple(replace(each, same=same) if each.other == other else each for each in shared)


def _limit(profile: PlayerProfile, fact: LimitSet) -> PlayerProfile:
    old = profile.limit(fact.subject, fact.span)
    others = tuple(each for each in profile.limits if each is not old)
    new = Limit(fact.subject, fact.span, fact.amount_minor, fact.from_at, fact.before_minor)
    return replace(profile, limits=(*others, new))
