"""Where one is signed in: /api/user/sessions, endSession, and stepUp for a session long idle.

Ids name sessions and open none. Ending one ends its streams; those of the member's other devices
come back by themselves (ASVS 7.4.3, 7.5.2).
"""

import asyncio
from typing import Final

from msgspec import Struct

from api.calls import ApiRequest, Auth, Endpoint, RequestContext
from api.envelope import CallRefused, CallResult
from api.units import At
from api.wire import seconds
from engine.refusals import Refusal

_MAX_INPUT_LENGTH: Final = 64


class EndSessionRequest(ApiRequest):
    """The session with this `id`, or all `others` but the one that asks."""

    id: str = ""
    others: bool = False


class StepUpRequest(ApiRequest):
    """The password of the account."""

    password: str


class SessionView(Struct, frozen=True):
    """A session, `current` if it is the one that asks; times are seconds since 1970.

    `client` is a browser and a system, "Chrome · Android", and empty where they are not known.
    """

    id: str
    created_at: At
    active_at: At
    current: bool
    client: str


async def show(ctx: RequestContext[ApiRequest]) -> CallResult:
    """The caller's sessions, the one used last first."""
    sessions, player, token = ctx.services.sessions, ctx.player, ctx.token
    found = await asyncio.to_thread(sessions.list_active, player, token)
    items = [
        SessionView(
            each.id,
            seconds(each.created_at),
            seconds(each.active_at),
            each.current,
            each.device,
        )
        for each in found
    ]
    return CallResult(items)


async def end(ctx: RequestContext[EndSessionRequest]) -> CallResult:
    """End sessions of the caller's own; to end one twice is no mistake."""
    services, player, body = ctx.services, ctx.player, ctx.body
    if body.others:
        await asyncio.to_thread(services.sessions.end_others, player, ctx.token)
    elif not await asyncio.to_thread(services.sessions.end, player, _id(body.id)):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    services.hub.subscribers.end_streams(player)
    return CallResult(None, "session_ended")


def _id(typed: str) -> str:
    if not (0 < len(typed) <= _MAX_INPUT_LENGTH and typed.isprintable()):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    return typed


async def step_up(ctx: RequestContext[StepUpRequest]) -> CallResult:
    """Have a session that was idle move money again; wrong passwords lock as at signing in."""
    services, player, password = ctx.services, ctx.player, ctx.body.password
    is_right = 0 < len(password) <= _MAX_INPUT_LENGTH and await services.hash_pool(
        lambda: services.vault.is_password_of(player, password)
    )
    if not is_right:
        raise CallRefused(Refusal.CREDENTIALS_WRONG, "password")
    await asyncio.to_thread(services.sessions.mark_step_up, ctx.token)
    return CallResult(None, "confirmed")


CALLS: Final = (
    Endpoint(
        "/api/user/sessions",
        ApiRequest,
        list[SessionView],
        show,
        "Where the caller is signed in",
        auth=Auth.PLAYER,
    ),
    Endpoint(
        "/api/user/endSession",
        EndSessionRequest,
        None,
        end,
        "Sign out another device, or all others",
        auth=Auth.PLAYER,
        refusals=(Refusal.SESSION_UNKNOWN,),
        changes=True,
    ),
    Endpoint(
        "/api/user/stepUp",
        StepUpRequest,
        None,
        step_up,
        "Confirm the password in a session that was idle",
        auth=Auth.PLAYER,
        refusals=(Refusal.CREDENTIALS_WRONG,),
        changes=True,
    ),
)
