"""Staff remove a player's locked or forgotten security code."""

import asyncio
from hashlib import sha256

from msgspec import Struct

from api.http.call_request import Auth, CallRequest, StaffRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import PlayerId, PlayerName, Words
from api.http.refusals import CallRefused
from api.office.common import commitment_to, member_of, record_position, require_idempotency_key
from api.services import Services
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


@call(
    "/api/office/securityCodeLift",
    "Remove a player's locked or forgotten security code (staff)",
    auth=Auth.STAFF,
    roles=roles.MEMBERS,
    idempotent=True,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.SECURITY_CODE_UNSET),
)
async def lift(
    request: CallRequest, data: CodeLiftRequest, services: Services
) -> CallResult[CodeLifted]:
    """Remove a locked or forgotten security code after the player has proved their identity.

    The player cannot withdraw until they have set a new one and its cooling time is over. They are
    notified by a message.
    """
    actor, key = request.staff, require_idempotency_key(request)
    player = (await member_of(services, data.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(services, text_id, data.reason, player, "reason")
    command = LiftSecurityCode(player, actor, reason)
    async with services.commands.once.player_lock(player):
        member = await services.players.sync_locked(player)
        if not member.profile.code_is_set and await _is_new(request, services, key, command):
            raise CallRefused(Refusal.SECURITY_CODE_UNSET, "player")
        reply = await services.commands.submit(actor, key, command)
        assert isinstance(reply.answer, StandingChanged)
        lifted_at = reply.answer.from_at
        # After the fact. A code set later stays, because this may be a repetition.
        await asyncio.to_thread(services.vault.remove_code, player, lifted_at)
    record_position(services, player, reply.position)
    return CallResult(CodeLifted(player), "set")


async def _is_new(
    request: CallRequest, services: Services, key: str, command: LiftSecurityCode
) -> bool:
    """Whether there is no earlier answer under this key."""
    return await services.engine.stored_answer(request.staff, key, command) is None
