"""How staff help a member who has locked or forgotten the security code."""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import in_time, looking, told
from api.office_desk import kept, key_of, member_of, note
from api.units import PlayerId, PlayerName, Words
from engine.answers import StandingChanged
from engine.house import roles
from engine.players.standing_commands import LiftSecurityCode
from engine.refusals import Refusal


class CodeLiftAsking(StaffAsking):
    """`player` is a user name or a player id; `reason` says how they proved who they are."""

    player: PlayerName
    reason: Words


class CodeLifted(Struct, frozen=True):
    """The member who has no security code now, and may set a first one."""

    player: PlayerId


async def lift(asked: Asked[CodeLiftAsking]) -> Done:
    """Take a locked or forgotten security code away, once the member has proved who they are.

    No withdrawal is possible until they have set a new one and its cooling time is over. They are
    told by a message.
    """
    body, actor, key, services = asked.body, asked.staff, key_of(asked), asked.services
    player = (await member_of(asked, body.player)).player
    place = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await kept(asked, place, body.reason, player, "reason")
    command = LiftSecurityCode(player, actor, reason)
    async with services.once.turn(player):
        member = await told(services, player)
        if not member.given.code_is_set and await _is_new(asked, key, command):
            raise CallRefused(Refusal.SECURITY_CODE_UNSET, "player")
        reply = await answered(services, actor, key, command)
        assert isinstance(reply.answer, StandingChanged)
        lifted_at = reply.answer.from_at
        # Behind its fact, and never a code that was set since: this may be a repetition.
        await asyncio.to_thread(services.vault.forget_code, player, lifted_at)
    note(asked, player, reply.position)
    return Done(CodeLifted(player), "set")


async def _is_new(asked: Asked[Any], key: str, command: LiftSecurityCode) -> bool:
    """Whether nothing was answered under this key before."""
    before = looking(asked.services).remembered(asked.staff, key, command)
    return await in_time(before) is None


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/securityCodeLift",
        CodeLiftAsking,
        CodeLifted,
        lift,
        "Take a member's locked or forgotten security code away (staff)",
        auth=Auth.STAFF,
        roles=roles.MEMBERS,
        keyed=True,
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.SECURITY_CODE_UNSET),
    ),
)
