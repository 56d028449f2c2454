"""Staff remove a player's locked or forgotten security code."""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.account.player_sync import engine_reader, sync_player_locked, with_timeout
from api.http.command_submission import submit
from api.http.endpoints import Auth, Endpoint, RequestContext, StaffRequest
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import PlayerId, PlayerName, Words
from api.office.common import commitment_to, member_of, record_position, require_idempotency_key
from engine.answers import StandingChanged
from engine.players.commands import LiftSecurityCode
from engine.refusals import Refusal
from engine.staff import roles


class CodeLiftRequest(StaffRequest):
    """`player` is a user name or a player id; `reason` says how they proved their identity."""

    player: PlayerName
    reason: Words


class CodeLifted(Struct, frozen=True):
    """The player, who now has no security code and may set a new one."""

    player: PlayerId


async def lift(ctx: RequestContext[CodeLiftRequest]) -> CallResult:
    """Remove a locked or forgotten security code after the player has proved their identity.

    The player cannot withdraw until they have set a new one and its cooling time is over. They are
    notified by a message.
    """
    body, actor, key, services = ctx.body, ctx.staff, require_idempotency_key(ctx), ctx.services
    player = (await member_of(ctx, body.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(ctx, text_id, body.reason, player, "reason")
    command = LiftSecurityCode(player, actor, reason)
    async with services.idempotent_requests.player_lock(player):
        member = await sync_player_locked(services, player)
        if not member.profile.code_is_set and await _is_new(ctx, key, command):
            raise CallRefused(Refusal.SECURITY_CODE_UNSET, "player")
        reply = await submit(services, actor, key, command)
        assert isinstance(reply.answer, StandingChanged)
        lifted_at = reply.answer.from_at
        # After the fact. A code set later stays, because this may be a repetition.
        await asyncio.to_thread(services.vault.remove_code, player, lifted_at)
    record_position(ctx, player, reply.position)
    return CallResult(CodeLifted(player), "set")


async def _is_new(ctx: RequestContext[Any], key: str, command: LiftSecurityCode) -> bool:
    """Whether there is no earlier answer under this key."""
    before = engine_reader(ctx.services).stored_answer(ctx.staff, key, command)
    return await with_timeout(before) is None


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        "/api/office/securityCodeLift",
        CodeLiftRequest,
        CodeLifted,
        lift,
        "Remove a player's locked or forgotten security code (staff)",
        auth=Auth.STAFF,
        roles=roles.MEMBERS,
        idempotent=True,
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.SECURITY_CODE_UNSET),
    ),
)
