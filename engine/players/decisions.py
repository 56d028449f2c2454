"""Decisions on a player's profile and protection. Pure.

First joining, shared identities, account changes that need two members of staff, and messages from
staff. Then what protects a member and their money: limits, breaks, exclusion, reality checks, the
security code and payout accounts.
"""

from typing import assert_never

from engine.answers import Refused
from engine.cashier.commands import BANK_CARD, WALLET
from engine.cashier.facts import DepositApproved
from engine.lifecycle import WITHDRAWAL
from engine.players.commands import (
    ACCOUNT_CHANGES,
    ERASURE,
    GUEST,
    IDENTITIES,
    MAX_EXCLUSION_US,
    MAX_REALITY_CHECK_MINUTES,
    MAX_TIME_OUT_US,
    MEMBER,
    MIN_EXCLUSION_US,
    PASSWORD_RESET,
    PERIOD_TOLERANCE_US,
    SPANS,
    SUBJECTS,
    AccountChangeCommand,
    CompleteBaseInfo,
    DecideAccountChange,
    DecideIdentity,
    ExcludeSelf,
    IdentityCommand,
    JoinAsMember,
    LiftSecurityCode,
    MessageCommand,
    NoteSharedIdentity,
    ProposeAccountChange,
    ProtectionCommand,
    RegisterPlayer,
    SendMessage,
    SetLimit,
    SetPayoutAccount,
    SetRealityCheck,
    SetSecurityCode,
    ShowPayout,
    SwitchPlayer,
    TakeTimeOut,
)
from engine.players.facts import (
    AccountChangeProposed,
    AccountChangeRejected,
    BaseInfoCompleted,
    ExclusionCarried,
    IdentityDecided,
    IdentityShared,
    LimitSet,
    MemberErased,
    MemberJoined,
    MessageSent,
    MessageWithdrawn,
    PasswordReset,
    PayoutAccountSet,
    PayoutShown,
    PlayerFact,
    PlayerRegistered,
    PlayerSwitched,
    ProfileFact,
    RealityCheckSet,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.players.profile import FOR_GOOD, ProposedChange, mark_decided
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms

Decided = list[ProfileFact] | Refused


def register(command: RegisterPlayer, player: Player) -> list[PlayerFact] | Refused:
    """Join once: a player who is there already yields no facts."""
    if command.group not in {MEMBER, GUEST}:
        return Refused(Refusal.GROUP_UNKNOWN, "group_id")
    if player.registered:
        return []
    joined = PlayerRegistered(command.group, command.inviter, command.bot, command.name_commitment)
    if not command.gift_minor:
        return [joined]
    gift = DepositApproved(f"demo-{command.player}", "demo", command.gift_minor, "")
    return [joined, gift]


def decide_identity(command: IdentityCommand, player: Player, other: Player, now: int) -> Decided:
    """Returns the facts about two members with the same ID card or payout account.

    One person has one account. The member who gave it later is marked, and answered like any other.
    Their withdrawals wait until staff have decided whether the two are one person (GLI-19 2.5.2d).
    An exclusion of the earlier member also applies to them, so that a new account does not evade it
    (GLI-19 A.3.8). A command that changes nothing yields no facts.
    """
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    match command:
        case NoteSharedIdentity():
            return _record_shared(command, player, other, now)
        case DecideIdentity():
            return _decide_same_person(command, player)
        case _ as never:
            assert_never(never)


def _record_shared(command: NoteSharedIdentity, player: Player, other: Player, now: int) -> Decided:
    if command.subject not in IDENTITIES or not other.registered or other.id == player.id:
        return Refused(Refusal.IDENTITY_UNKNOWN, "other")
    shared = player.profile.shared
    with_other = [each for each in shared if each.other == other.id]
    facts: list[ProfileFact] = []
    if all(each.subject != command.subject for each in with_other):
        facts.append(IdentityShared(other.id, command.subject))
    elif all(each.same is False for each in with_other):
        return []
    end = other.profile.excluded_until
    carried = max((each.carried_until for each in with_other), default=0)
    if now < end and carried < end:
        facts.append(ExclusionCarried(other.id, None if end >= FOR_GOOD else end))
    return facts


def _decide_same_person(command: DecideIdentity, player: Player) -> Decided:
    """One person's second account is closed to bets; its money can be withdrawn."""
    profile, other, by = player.profile, command.other, command.by
    with_other = [each for each in profile.shared if each.other == other]
    if not with_other:
        return Refused(Refusal.IDENTITY_UNKNOWN, "other")
    if all(each.same == command.same for each in with_other):
        return []
    end = profile.excluded_with(mark_decided(profile.shared, other, same=command.same))
    reason = command.reason_commitment
    facts: list[ProfileFact] = [IdentityDecided(other, command.same, end, by, reason)]
    if command.same and not profile.closed:
        facts.append(PlayerSwitched(closed=True, by=by, reason_commitment=reason))
    return facts


def decide_account_change(
    command: AccountChangeCommand, player: Player, terms: Terms, now: int
) -> Decided:
    """Returns the facts about a password reset or an erasure, which need two members of staff.

    - One member of staff proposes, with a reason; another agrees. Either may reject it until then.
    - A password reset delays withdrawals as a new security code does: an impostor who persuades two
      members of staff still cannot move money immediately.
    - An account that has or awaits money is never erased: the house would keep the money.
    """
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    match command:
        case ProposeAccountChange():
            return _propose_change(command, player)
        case DecideAccountChange():
            return _decide_change(command, player, terms, now)
        case _ as never:
            assert_never(never)


def _propose_change(command: ProposeAccountChange, player: Player) -> Decided:
    if command.kind not in ACCOUNT_CHANGES:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "kind")
    if player.profile.change(command.change):
        return []
    if any(each.kind == command.kind for each in player.profile.changes):
        return Refused(Refusal.PROPOSAL_OPEN, "kind")
    refused = _refused_change(command.kind, player)
    if refused:
        return refused
    change, kind, by = command.change, command.kind, command.by
    return [AccountChangeProposed(change, kind, by, command.reason_commitment)]


def _decide_change(command: DecideAccountChange, player: Player, terms: Terms, now: int) -> Decided:
    proposed = player.profile.change(command.change)
    if proposed is None:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "id")
    if not command.approve:
        return [AccountChangeRejected(proposed.id, proposed.kind, command.by)]
    if proposed.by == command.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    refused = _refused_change(proposed.kind, player)
    if refused:
        return refused
    if proposed.kind == ERASURE:
        return _erase(command, proposed, player)
    return [PasswordReset(proposed.id, command.by, proposed.by, now + terms.cooling_us)]


def _erase(command: DecideAccountChange, proposed: ProposedChange, player: Player) -> Decided:
    """Erase the member; nothing can be decided afterwards, so nothing may be left open."""
    facts: list[ProfileFact] = [
        AccountChangeRejected(each.id, each.kind, command.by)
        for each in player.profile.changes
        if each != proposed
    ]
    return [*facts, MemberErased(proposed.id, command.by, proposed.by)]


def _refused_change(kind: str, player: Player) -> Refused | None:
    if kind == PASSWORD_RESET:
        return None if player.group == MEMBER else Refused(Refusal.MUST_REGISTER)
    return Refused(Refusal.ACCOUNT_NOT_EMPTY, "player") if _holds_money(player) else None


def _holds_money(player: Player) -> bool:
    """Whether any of the member's own money is in the house, or a decision on some is open."""
    balance = player.available or player.staked or player.withdrawing
    return bool(balance or player.payments.open)


def decide_message(
    command: MessageCommand, player: Player
) -> list[MessageSent | MessageWithdrawn] | Refused:
    """Returns the facts about a message from staff; it is sent once and never changed."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    exists = command.message in player.profile.messages
    if isinstance(command, SendMessage):
        sent = MessageSent(command.message, command.commitment, command.by)
        return [] if exists else [sent]
    if not exists:
        return Refused(Refusal.CONTENT_UNKNOWN, "id")
    return [MessageWithdrawn(command.message, command.by)]


def decide_protection(
    command: ProtectionCommand, player: Player, terms: Terms, now: int
) -> Decided:
    """Returns the facts about a member's identity, payout accounts and protection.

    A stricter limit takes effect immediately, a looser one after a delay (RTS 12, GLI-19 A.3.7,
    A.3.8). What a player or staff set to its present value yields no facts, but for limits,
    breaks, exclusions and reality checks: a request for protection is recorded even if repeated.
    """
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    if player.group != MEMBER and not isinstance(command, JoinAsMember | SwitchPlayer):
        return Refused(Refusal.MUST_REGISTER)
    match command:
        case JoinAsMember(inviter=inviter, name_commitment=name):
            return [] if player.group == MEMBER else [MemberJoined(inviter, name)]
        case CompleteBaseInfo():
            return [] if player.profile.base_info else [BaseInfoCompleted()]
        case SetPayoutAccount():
            return _payout_account(command, player, terms, now)
        case SetSecurityCode():
            return [SecurityCodeSet(now + terms.cooling_us)]
        case SetLimit():
            return _limit(command, player, terms, now)
        case TakeTimeOut(until=until):
            return _time_out(until, player, now)
        case ExcludeSelf(until=until):
            return _exclusion(until, player, now)
        case SetRealityCheck(minutes=minutes):
            if not 0 <= minutes <= MAX_REALITY_CHECK_MINUTES:
                return Refused(Refusal.INTERVAL_INVALID, "minutes")
            return [RealityCheckSet(minutes)]
        case SwitchPlayer() | ShowPayout() | LiftSecurityCode():
            return _by_staff(command, player)
        case _ as never:
            assert_never(never)


def _by_staff(command: SwitchPlayer | ShowPayout | LiftSecurityCode, player: Player) -> Decided:
    if isinstance(command, SwitchPlayer):
        switched = PlayerSwitched(command.closed, command.by, command.reason_commitment)
        return [] if command.closed == player.profile.closed else [switched]
    if isinstance(command, LiftSecurityCode):
        lifted = SecurityCodeLifted(command.by, command.reason_commitment)
        return [] if player.profile.code_usable_at is None else [lifted]
    withdrawal = player.payments.find(WITHDRAWAL, command.withdrawal)
    if withdrawal is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    return [PayoutShown(withdrawal.id, withdrawal.account, command.by)]


def _payout_account(command: SetPayoutAccount, player: Player, terms: Terms, now: int) -> Decided:
    if command.method not in {BANK_CARD, WALLET}:
        return Refused(Refusal.PAYOUT_ACCOUNT_INVALID, "type")
    current = player.profile.payout(command.method)
    if current is not None and current.account == command.account:
        return []
    usable_at = now + terms.cooling_us
    return [PayoutAccountSet(command.method, command.account, command.commitment, usable_at)]


def _limit(command: SetLimit, player: Player, terms: Terms, now: int) -> Decided:
    if command.subject not in SUBJECTS or command.span not in SPANS:
        return Refused(Refusal.LIMIT_UNKNOWN, "span")
    amount = command.amount_minor
    if amount is not None and not 0 <= amount <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    current = player.profile.limit(command.subject, command.span)
    before = current.at(now) if current else None
    lowers = amount is not None and (before is None or amount <= before)
    from_at = now if lowers or before == amount else now + terms.raise_wait_us
    return [LimitSet(command.subject, command.span, amount, from_at, before)]


def _time_out(until: int, player: Player, now: int) -> Decided:
    if not now < until <= now + MAX_TIME_OUT_US + PERIOD_TOLERANCE_US:
        return Refused(Refusal.PERIOD_INVALID, "until")
    if until < player.profile.time_out_until:
        return Refused(Refusal.PERIOD_SHORTENED, "until")
    return [TimeOutTaken(until)]


def _exclusion(until: int | None, player: Player, now: int) -> Decided:
    earliest, latest = now + MIN_EXCLUSION_US, now + MAX_EXCLUSION_US + PERIOD_TOLERANCE_US
    if until is not None and not earliest <= until <= latest:
        return Refused(Refusal.PERIOD_INVALID, "until")
    if (FOR_GOOD if until is None else until) < player.profile.excluded_until:
        return Refused(Refusal.PERIOD_SHORTENED, "until")
    return [SelfExcluded(until)]
