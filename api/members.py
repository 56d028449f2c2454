"""A member as the vault and the engine know them, and the telling of the one what the other took.

The vault is written first, then the fact. Whatever a crash left between the two is found here, by
comparing them, whenever the member's next call looks: facts follow the vault.
"""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from msgspec import Struct

from api.commanding import ANSWERED_WITHIN_S, actor_of, answered
from api.envelope import CallRefused
from api.services import Services
from engine.answers import Refused
from engine.dispatch import Command
from engine.players.commands import GUEST, MEMBER
from engine.players.standing_commands import (
    CompleteBaseInfo,
    JoinAsMember,
    NoteSharedIdentity,
    SetPayoutAccount,
    SetSecurityCode,
)
from engine.refusals import Refusal
from engine.runtime.looking import Looking, PlayerView
from engine.runtime.vault import ProfileState, ShownPayout, VaultRefused

LEVELS: Final = ("basic", "senior", "master", "expert")
_Owed = list[tuple[str | None, Command]]
ResultT = TypeVar("ResultT")


class Known(Struct, frozen=True):
    """What a member has given, masked, and how they stand with the engine, which was told all."""

    given: ProfileState
    player: PlayerView

    def payout(self, method: int) -> ShownPayout | None:
        """Their account of this method."""
        return next((each for each in self.given.payout_accounts if each.kind == method), None)

    def usable_at(self, method: int) -> int:
        """When a withdrawal to their account of this method may be asked for, in microseconds.

        The later of what the account and the security code have to wait for.
        """
        account = self.player.payout(method)
        waits = (account.usable_at if account else 0, self.player.code_usable_at or 0)
        return max(waits)

    @property
    def level(self) -> str:
        """The name of the level that their turnover has reached."""
        return LEVELS[min(self.player.level, len(LEVELS) - 1)]


async def known(services: Services, player: int) -> Known:
    """The member, with whatever the engine did not know told to it; not within their turn."""
    found, owed = await _compared(services, player)
    if not owed:
        return found
    async with services.once.turn(player):
        return await told(services, player)


async def told(services: Services, player: int) -> Known:
    """The same within the member's turn, so that nobody tells of what has changed since."""
    found, owed = await _compared(services, player)
    if not owed:
        return found
    for key, command in owed:
        reply = await answered(services, actor_of(player), key, command)
        services.seen.note(player, reply.position)
    found, _ = await _compared(services, player)
    return found


async def identified(services: Services, player: int) -> None:
    """Tell the engine whose identity the member has given, before money is credited or paid.

    An erased member has none.
    """
    try:
        await told(services, player)
    except CallRefused as refusal:
        if refusal.refused.refusal is not Refusal.TOKEN_UNKNOWN:
            raise


async def carry_exclusion(services: Services, player: int) -> None:
    """Have an exclusion hold in the accounts that gave the member's identity later."""
    for later in await asyncio.to_thread(services.vault.later_claimants, player):
        await known(services, later)


async def full_member(services: Services, player: int) -> Known:
    """The same within their turn; CallRefused for a guest, of whom the vault takes nothing."""
    found = await told(services, player)
    if found.player.group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    return found


async def view_of(services: Services, player: int) -> PlayerView:
    """The player as stored; whoever has a session is one, unless nobody leads."""
    view = await in_time(looking(services).player(player))
    if view is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return view


def check_leading(services: Services) -> None:
    """CallRefused on standby, before the vault keeps what the log could not be told of."""
    if not services.engine.ready:
        raise CallRefused(Refusal.UNAVAILABLE)


def looking(services: Services) -> Looking:
    """What the writer knows; CallRefused on standby."""
    found = services.engine.looking
    if found is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return found


async def in_time(reading: Awaitable[ResultT]) -> ResultT:
    """What is read from the log; CallRefused if the database is away for too long."""
    try:
        return await asyncio.wait_for(reading, ANSWERED_WITHIN_S)
    except TimeoutError:
        raise CallRefused(Refusal.UNAVAILABLE) from None


def refused_by_vault(refused: VaultRefused, fields: dict[str, str]) -> CallRefused:
    """The vault's answer as ours; `fields` gives its arguments the names that they were sent as."""
    return CallRefused(Refusal(refused.reason), fields.get(refused.field, refused.field))


async def _compared(services: Services, player: int) -> tuple[Known, _Owed]:
    """The member, and the commands that the engine still has to be given."""
    given = await asyncio.to_thread(services.vault.profile_state, player)
    if given is None:
        raise CallRefused(Refusal.TOKEN_UNKNOWN)
    # Asked before the view is taken, which then shows all that is not owed.
    owed = await _code(services, player, given.code_set_at)
    view = await view_of(services, player)
    if view.group == GUEST:
        owed += await _joining(services, player)
    if given.base_info_complete and not view.base_info:
        owed.append((None, CompleteBaseInfo(player)))
    owed += await _sharing(services, player, given, view)
    for shown in given.payout_accounts:
        paid_to = view.payout(shown.kind)
        if paid_to is None or paid_to.account != shown.id:
            command = SetPayoutAccount(player, shown.kind, shown.id, shown.commitment)
            owed.append((None, command))
    return Known(given, view), owed


async def _sharing(services: Services, player: int, given: ProfileState, view: PlayerView) -> _Owed:
    """Identities that others gave before, and exclusions of those others."""
    owed: _Owed = []
    for other, subject in given.shared:
        theirs = await in_time(looking(services).player(other))
        if theirs is None or view.group != MEMBER:
            continue
        noted = [each for each in view.shared if each.other == other]
        is_new = all(each.subject != subject for each in noted)
        end = theirs.excluded_until if theirs.excluded_until > services.clock() else 0
        is_excluded = any(each.same is not False and each.carried_until < end for each in noted)
        if is_new or is_excluded:
            owed.append((None, NoteSharedIdentity(player, other, subject)))
    return owed


async def _joining(services: Services, player: int) -> _Owed:
    member = await asyncio.to_thread(services.vault.member, player)
    if member is None or member.group != MEMBER:
        return []
    return [(None, JoinAsMember(player, member.inviter, member.name_commitment))]


async def _code(services: Services, player: int, set_at: int | None) -> _Owed:
    """A code's fact does not say which one it is about, so that its key has to.

    No client's key has a blank in it.
    """
    if set_at is None:
        return []
    key, command = f"code {set_at}", SetSecurityCode(player)
    before = await in_time(looking(services).remembered(actor_of(player), key, command))
    is_told = before is not None and not isinstance(before, Refused)
    return [] if is_told else [(key, command)]
