"""A member as the vault and the engine know them, and the telling of the one what the other took.

The vault is written first, then the fact. Whatever a crash left between the two is found here, by
comparing them, whenever the member's next call looks: facts follow the vault.
"""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from msgspec import Struct

from api.commanding import ANSWER_TIMEOUT_S, actor_of, submit
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
from engine.runtime.looking import EngineReader, PlayerView
from engine.runtime.vault import ProfileState, ShownPayout, VaultRefused

LEVELS: Final = ("basic", "senior", "master", "expert")
_PendingCommands = list[tuple[str | None, Command]]
ResultT = TypeVar("ResultT")


class SyncedPlayer(Struct, frozen=True):
    """What a member has given, masked, and how they stand with the engine, which was told all."""

    profile: ProfileState
    view: PlayerView

    def payout(self, method: int) -> ShownPayout | None:
        """Their account of this method."""
        return next((each for each in self.profile.payout_accounts if each.kind == method), None)

    def usable_at(self, method: int) -> int:
        """When a withdrawal to their account of this method may be asked for, in microseconds.

        The later of what the account and the security code have to wait for.
        """
        account = self.view.payout(method)
        waits = (account.usable_at if account else 0, self.view.code_usable_at or 0)
        return max(waits)

    @property
    def level(self) -> str:
        """The name of the level that their turnover has reached."""
        return LEVELS[min(self.view.level, len(LEVELS) - 1)]


async def sync_player(services: Services, player: int) -> SyncedPlayer:
    """The member, with whatever the engine did not know told to it; not within their turn."""
    found, pending = await _compare(services, player)
    if not pending:
        return found
    async with services.idempotent_requests.player_lock(player):
        return await sync_player_locked(services, player)


async def sync_player_locked(services: Services, player: int) -> SyncedPlayer:
    """The same within the member's turn, so that nobody tells of what has changed since."""
    found, pending = await _compare(services, player)
    if not pending:
        return found
    for key, command in pending:
        reply = await submit(services, actor_of(player), key, command)
        services.last_seen.record(player, reply.position)
    found, _ = await _compare(services, player)
    return found


async def sync_identity(services: Services, player: int) -> None:
    """Tell the engine whose identity the member has given, before money is credited or paid.

    An erased member has none.
    """
    try:
        await sync_player_locked(services, player)
    except CallRefused as refusal:
        if refusal.refused.refusal is not Refusal.TOKEN_UNKNOWN:
            raise


async def propagate_exclusion(services: Services, player: int) -> None:
    """Have an exclusion hold in the accounts that gave the member's identity later."""
    for later in await asyncio.to_thread(services.vault.later_claimants, player):
        await sync_player(services, later)


async def require_member(services: Services, player: int) -> SyncedPlayer:
    """The same within their turn; CallRefused for a guest, of whom the vault takes nothing."""
    found = await sync_player_locked(services, player)
    if found.view.group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    return found


async def view_of(services: Services, player: int) -> PlayerView:
    """The player as stored; whoever has a session is one, unless nobody leads."""
    view = await with_timeout(engine_reader(services).player(player))
    if view is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return view


def check_leading(services: Services) -> None:
    """CallRefused on standby, before the vault keeps what the log could not be told of."""
    if not services.engine.ready:
        raise CallRefused(Refusal.UNAVAILABLE)


def engine_reader(services: Services) -> EngineReader:
    """What the writer knows; CallRefused on standby."""
    found = services.engine.reader
    if found is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return found


async def with_timeout(reading: Awaitable[ResultT]) -> ResultT:
    """What is read from the log; CallRefused if the database is away for too long."""
    try:
        return await asyncio.wait_for(reading, ANSWER_TIMEOUT_S)
    except TimeoutError:
        raise CallRefused(Refusal.UNAVAILABLE) from None


def refused_by_vault(refused: VaultRefused, fields: dict[str, str]) -> CallRefused:
    """The vault's answer as ours; `fields` gives its arguments the names that they were sent as."""
    return CallRefused(Refusal(refused.reason), fields.get(refused.field, refused.field))


async def _compare(services: Services, player: int) -> tuple[SyncedPlayer, _PendingCommands]:
    """The member, and the commands that the engine still has to be given."""
    profile = await asyncio.to_thread(services.vault.profile_state, player)
    if profile is None:
        raise CallRefused(Refusal.TOKEN_UNKNOWN)
    # Asked before the view is taken, which then shows all that is not owed.
    pending = await _security_code_commands(services, player, profile.code_set_at)
    view = await view_of(services, player)
    if view.group == GUEST:
        pending += await _join_commands(services, player)
    if profile.base_info_complete and not view.base_info:
        pending.append((None, CompleteBaseInfo(player)))
    pending += await _shared_identity_commands(services, player, profile, view)
    for shown in profile.payout_accounts:
        paid_to = view.payout(shown.kind)
        if paid_to is None or paid_to.account != shown.id:
            command = SetPayoutAccount(player, shown.kind, shown.id, shown.commitment)
            pending.append((None, command))
    return SyncedPlayer(profile, view), pending


async def _shared_identity_commands(
    services: Services, player: int, profile: ProfileState, view: PlayerView
) -> _PendingCommands:
    """Identities that others gave before, and exclusions of those others."""
    pending: _PendingCommands = []
    for other, subject in profile.shared:
        other_view = await with_timeout(engine_reader(services).player(other))
        if other_view is None or view.group != MEMBER:
            continue
        recorded = [each for each in view.shared if each.other == other]
        is_new = all(each.subject != subject for each in recorded)
        end = other_view.excluded_until if other_view.excluded_until > services.clock() else 0
        is_excluded = any(each.same is not False and each.carried_until < end for each in recorded)
        if is_new or is_excluded:
            pending.append((None, NoteSharedIdentity(player, other, subject)))
    return pending


async def _join_commands(services: Services, player: int) -> _PendingCommands:
    member = await asyncio.to_thread(services.vault.identity, player)
    if member is None or member.group != MEMBER:
        return []
    return [(None, JoinAsMember(player, member.inviter, member.name_commitment))]


async def _security_code_commands(
    services: Services, player: int, set_at: int | None
) -> _PendingCommands:
    """A code's fact does not say which one it is about, so that its key has to.

    No client's key has a blank in it.
    """
    if set_at is None:
        return []
    key, command = f"code {set_at}", SetSecurityCode(player)
    before = await with_timeout(
        engine_reader(services).stored_answer(actor_of(player), key, command)
    )
    is_recorded = before is not None and not isinstance(before, Refused)
    return [] if is_recorded else [(key, command)]
