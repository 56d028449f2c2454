"""Changes of an account that need two members of staff: a password reset, an erasure. Pure.

- One member of staff proposes, with a reason; another agrees. Either may reject it until then.
- A password reset delays withdrawals as a new security code does: an impostor who persuades two
  members of staff still cannot move money immediately.
- An account that has or awaits money is never erased: the house would keep the money.
"""

from typing import assert_never

from engine.answers import Refused
from engine.players.commands import (
    ACCOUNT_CHANGES,
    ERASURE,
    MEMBER,
    PASSWORD_RESET,
    AccountChangeCommand,
    DecideAccountChange,
    ProposeAccountChange,
)
from engine.players.facts import (
    AccountChangeProposed,
    AccountChangeRejected,
    MemberErased,
    PasswordReset,
    ProfileFact,
)
from engine.players.profile import ProposedChange
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms

Decided = list[ProfileFact] | Refused


def decide(command: AccountChangeCommand, player: Player, terms: Terms, now: int) -> Decided:
    """Returns the command's facts, or a refusal."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    match command:
        case ProposeAccountChange():
            return _propose(command, player)
        case DecideAccountChange():
            return _decide(command, player, terms, now)
        case _ as never:
            assert_never(never)


def _propose(command: ProposeAccountChange, player: Player) -> Decided:
    if command.kind not in ACCOUNT_CHANGES:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "kind")
    if player.profile.change(command.change):
        return []
    if any(each.kind == command.kind for each in player.profile.changes):
        return Refused(Refusal.PROPOSAL_OPEN, "kind")
    refused = _impossible(command.kind, player)
    if refused:
        return refused
    change, kind, by = command.change, command.kind, command.by
    return [AccountChangeProposed(change, kind, by, command.reason_commitment)]


def _decide(command: DecideAccountChange, player: Player, terms: Terms, now: int) -> Decided:
    proposed = player.profile.change(command.change)
    if proposed is None:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "id")
    if not command.approve:
        return [AccountChangeRejected(proposed.id, proposed.kind, command.by)]
    if proposed.by == command.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    refused = _impossible(proposed.kind, player)
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


def _impossible(kind: str, player: Player) -> Refused | None:
    if kind == PASSWORD_RESET:
        return None if player.group == MEMBER else Refused(Refusal.MUST_REGISTER)
    return Refused(Refusal.ACCOUNT_NOT_EMPTY, "player") if _holds_money(player) else None


def _holds_money(player: Player) -> bool:
    """Whether any of the member's own money is in the house, or a decision on some is open."""
    balance = player.available or player.staked or player.withdrawing
    return bool(balance or player.payments.open)
