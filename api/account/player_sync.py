"""Keeps the engine in sync with the vault.

A change is written to the vault first, then recorded as a fact. If the process dies in between, a
background job compares the two and submits the missing commands (`record_changes`). So does a
command that depends on them, before it is submitted. Reads change nothing.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import psycopg
import structlog
from msgspec import Struct
from psycopg_pool import PoolTimeout

from api.http.commands import Commands
from api.http.refusals import COMMAND_REFUSALS, CallRefused
from engine.answers import Refused
from engine.command_handler import Command
from engine.facts import player_stream
from engine.players.commands import (
    GUEST,
    MEMBER,
    CompleteBaseInfo,
    JoinAsMember,
    NoteSharedIdentity,
    SetPayoutAccount,
    SetSecurityCode,
)
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.vault import ProfileState, ShownPayout, Vault, VaultRefused
from engine.runtime.writer.engine_reader import PlayerView

LEVELS: Final = ("basic", "senior", "master", "expert")
_RECORD_EVERY_S: Final = 1.0
_MAX_CHANGED: Final = 1_000
_log = structlog.get_logger()
_PendingCommands = list[tuple[str | None, Command]]
ResultT = TypeVar("ResultT")


class PlayerRecord(Struct, frozen=True):
    """A player's masked data in the vault, and their state in the engine."""

    profile: ProfileState
    view: PlayerView

    def payout(self, method: int) -> ShownPayout | None:
        """Returns the player's payout account of this method; None if none is stored."""
        return next((each for each in self.profile.payout_accounts if each.kind == method), None)

    def usable_at(self, method: int) -> int:
        """Returns when a withdrawal to the account of this method may start, in microseconds.

        This is the later end of the account's and the security code's cooling time.
        """
        account = self.view.payout(method)
        waits = (account.usable_at if account else 0, self.view.code_usable_at or 0)
        return max(waits)

    @property
    def level(self) -> str:
        """The name of the level that the player's turnover has reached."""
        return LEVELS[min(self.view.level, len(LEVELS) - 1)]


class Players:
    """The players as the vault and the engine know them, kept in sync."""

    def __init__(
        self, vault: Vault, engine: EnginePort, commands: Commands, clock: Callable[[], int]
    ) -> None:
        """`clock` returns microseconds since 1970."""
        self._vault = vault
        self._engine = engine
        self._commands = commands
        self._clock = clock

    async def load(self, player: int) -> PlayerRecord:
        """Returns the player; the engine may lack a change of the vault for about a second.

        Raises CallRefused if the player was erased, and on standby.
        """
        profile = await asyncio.to_thread(self._vault.profile_state, player)
        if profile is None:
            raise CallRefused(Refusal.TOKEN_UNKNOWN)
        return PlayerRecord(profile, await self.view(player))

    async def run(self) -> None:
        """Record the vault's changes while this server leads, until cancelled."""
        while True:
            await asyncio.sleep(_RECORD_EVERY_S)
            with suppress(psycopg.OperationalError, PoolTimeout):  # the database is away
                await self.record_changes()

    async def record_changes(self) -> None:
        """Submit what the engine lacks for each player in the vault's outbox; on standby, nothing.

        A player whose command was not answered stays in the outbox for the next time.
        """
        if not self._engine.ready:
            return
        for player, changes in await asyncio.to_thread(self._vault.changed_players, _MAX_CHANGED):
            try:
                await self.sync(player)
            except CallRefused as refusal:
                reason = refusal.refused.refusal
                if reason in COMMAND_REFUSALS:
                    return
                if reason is Refusal.UNAVAILABLE:
                    continue
                if reason is not Refusal.TOKEN_UNKNOWN:  # an erased player has nothing to record
                    _log.warning("change not recorded", player=player, reason=reason.value)
            await asyncio.to_thread(self._vault.change_recorded, player, changes)

    async def record_shared_exclusions(self) -> None:
        """Extend the exclusions that a stopped process has not extended (`propagate_exclusion`)."""
        for player in await asyncio.to_thread(self._vault.sharing):
            with suppress(CallRefused):  # an erased player, or one that the next run repeats
                await self.sync(player)

    async def sync(self, player: int) -> PlayerRecord:
        """Submit the commands that the engine lacks, and return the player.

        It takes the player's lock, so call it without holding the lock.
        """
        found, pending = await self._compare(player)
        if not pending:
            return found
        async with self._commands.once.player_lock(player):
            return await self.sync_locked(player)

    async def sync_locked(self, player: int) -> PlayerRecord:
        """The same with the player's lock held, so that no outdated change is submitted."""
        found, pending = await self._compare(player)
        if not pending:
            return found
        for key, command in pending:
            await self._commands.submit_under(player, key, command)
        found, _ = await self._compare(player)
        return found

    async def sync_identity(self, player: int) -> None:
        """Record whose identity the player has given, before money is credited or paid.

        An erased player has none. Call it with the player's lock held.
        """
        try:
            await self.sync_locked(player)
        except CallRefused as refusal:
            if refusal.refused.refusal is not Refusal.TOKEN_UNKNOWN:
                raise

    async def propagate_exclusion(self, player: int) -> None:
        """Extend an exclusion to the accounts that gave the same identity later."""
        for later in await asyncio.to_thread(self._vault.later_claimants, player):
            await self.sync(later)

    async def require_member(self, player: int) -> PlayerRecord:
        """`sync_locked` for members only. Raises CallRefused for a guest.

        The vault stores no personal data of guests.
        """
        found = await self.sync_locked(player)
        if found.view.group != MEMBER:
            raise CallRefused(Refusal.MUST_REGISTER)
        return found

    async def view(self, player: int) -> PlayerView:
        """Returns the player from the engine; a caller with a session always is one.

        Raises CallRefused on standby.
        """
        view = await self._engine.player(player)
        if view is None:
            raise CallRefused(Refusal.UNAVAILABLE)
        return view

    def check_leading(self) -> None:
        """Raises CallRefused on standby, before the vault stores what the log could not record."""
        if not self._engine.ready:
            raise CallRefused(Refusal.UNAVAILABLE)

    async def _compare(self, player: int) -> tuple[PlayerRecord, _PendingCommands]:
        """Returns the player, and the commands that the engine still lacks, with their keys."""
        profile = await asyncio.to_thread(self._vault.profile_state, player)
        if profile is None:
            raise CallRefused(Refusal.TOKEN_UNKNOWN)
        # Queried before the view is read, so that the view includes everything that is not pending.
        pending = await self._security_code_commands(player, profile.code_set_at)
        view = await self.view(player)
        if view.group == GUEST:
            pending += await self._join_commands(player)
        if profile.base_info_complete and not view.base_info:
            pending.append((None, CompleteBaseInfo(player)))
        pending += await self._shared_identity_commands(player, profile, view)
        for shown in profile.payout_accounts:
            paid_to = view.payout(shown.kind)
            if paid_to is None or paid_to.account != shown.id:
                command = SetPayoutAccount(player, shown.kind, shown.id, shown.commitment)
                pending.append((None, command))
        return PlayerRecord(profile, view), pending

    async def _shared_identity_commands(
        self, player: int, profile: ProfileState, view: PlayerView
    ) -> _PendingCommands:
        """Commands for identities that others gave before, and for those players' exclusions."""
        pending: _PendingCommands = []
        for other, subject in profile.shared:
            other_view = await self._engine.player(other)
            if other_view is None or view.group != MEMBER:
                continue
            recorded = [each for each in view.shared if each.other == other]
            is_new = all(each.subject != subject for each in recorded)
            end = other_view.excluded_until if other_view.excluded_until > self._clock() else 0
            is_excluded = any(
                each.same is not False and each.carried_until < end for each in recorded
            )
            if is_new or is_excluded:
                pending.append((None, NoteSharedIdentity(player, other, subject)))
        return pending

    async def _join_commands(self, player: int) -> _PendingCommands:
        member = await asyncio.to_thread(self._vault.identity, player)
        if member is None or member.group != MEMBER:
            return []
        return [(None, JoinAsMember(player, member.inviter, member.name_commitment))]

    async def _security_code_commands(self, player: int, set_at: int | None) -> _PendingCommands:
        """The command for a new security code, if the engine has not recorded it.

        The fact does not identify the code, so the idempotency key does. It contains a blank, which
        no client's key does.
        """
        if set_at is None:
            return []
        key, command = f"code {set_at}", SetSecurityCode(player)
        before = await self._engine.stored_answer(player_stream(player), key, command)
        is_recorded = before is not None and not isinstance(before, Refused)
        return [] if is_recorded else [(key, command)]


def refused_by_vault(refused: VaultRefused, fields: dict[str, str]) -> CallRefused:
    """Converts the vault's refusal; `fields` maps the vault's field names to those of the wire."""
    return CallRefused(refused.reason, fields.get(refused.field, refused.field))
