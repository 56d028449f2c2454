"""Decisions on a player's profile. Pure.

They are about joining, shared identities, account changes that need two members of staff, and
messages from staff. Limits, breaks and exclusion are in `protection.py`.
"""

from typing import assert_never

from engine.answers import Refused
from engine.cashier.facts import DepositApproved
from engine.players.commands import (
    ACCOUNT_CHANGES,
    ERASURE,
    GUEST,
    IDENTITIES,
    MEMBER,
    PASSWORD_RESET,
    AccountChangeCommand,
    DecideAccountChange,
    DecideIdentity,
    IdentityCommand,
    MessageCommand,
    NoteSharedIdentity,
    ProposeAccountChange,
    RegisterPlayer,
    SendMessage,
)
from engine.players.facts import (
    AccountChangeProposed,
    AccountChangeRejected,
    ExclusionCarried,
    IdentityDecided,
    IdentityShared,
    MemberErased,
    MessageSent,
    MessageWithdrawn,
    PasswordReset,
    PlayerFact,
    PlayerRegistered,
    PlayerSwitched,
    ProfileFact,
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
