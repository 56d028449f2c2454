"""Members who gave the same ID card or payout account: one person has one account. Pure.

The member who gave it later is marked, and answered like any other. Their withdrawals wait until
staff have decided whether the two are one person (GLI-19 2.5.2d). An exclusion of the earlier
member also applies to them, so that a new account does not evade it (GLI-19 A.3.8).
"""

from typing import assert_never

from engine.answers import Refused
from engine.players.commands import IDENTITIES, DecideIdentity, IdentityCommand, NoteSharedIdentity
from engine.players.facts import (
    ExclusionCarried,
    IdentityDecided,
    IdentityShared,
    PlayerSwitched,
    ProfileFact,
)
from engine.players.profile import FOR_GOOD, mark_decided
from engine.players.state import Player
from engine.refusals import Refusal

Decided = list[ProfileFact] | Refused


def decide(command: IdentityCommand, player: Player, other: Player, now: int) -> Decided:
    """Returns the command's facts; one that changes nothing yields no facts."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    match command:
        case NoteSharedIdentity():
            return _record_shared(command, player, other, now)
        case DecideIdentity():
            return _decide(command, player)
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


def _decide(command: DecideIdentity, player: Player) -> Decided:
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
