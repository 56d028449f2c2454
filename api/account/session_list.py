"""The player's sessions: /api/user/sessions, endSession, and stepUp for an idle session.

An id identifies a session but does not authenticate. Ending a session ends all streams of the
player; those of the other devices reconnect by themselves (ASVS 7.4.3, 7.5.2).
"""

import asyncio
from typing import Final

from msgspec import Struct

from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At
from api.http.refusals import CallRefused
from api.http.wire import seconds
from api.services import Services
from engine.refusals import Refusal

_MAX_INPUT_LENGTH: Final = 64


class EndSessionRequest(ApiRequest):
    """The session with this `id`, or with `others` all sessions but the caller's."""

    id: str = ""
    others: bool = False


class StepUpRequest(ApiRequest):
    """The password of the account."""

    password: str


class SessionView(Struct, frozen=True):
    """A session, `current` if it is the caller's; times are seconds since 1970.

    `client` is a browser and a system, such as "Chrome · Android", and empty if unknown.
    """

    id: str
    created_at: At
    active_at: At
    current: bool
    client: str


@call("/api/user/sessions", "Where the caller is signed in", auth=Auth.PLAYER)
async def show(request: CallRequest, services: Services) -> CallResult[list[SessionView]]:
    """Returns the caller's sessions, the most recently used first."""
    sessions, player, token = services.sessions, request.player, request.token
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


@call(
    "/api/user/endSession",
    "Sign out another device, or all others",
    auth=Auth.PLAYER,
    refusals=(Refusal.SESSION_UNKNOWN,),
    changes=True,
)
async def end(
    request: CallRequest, data: EndSessionRequest, services: Services
) -> CallResult[None]:
    """End one of the caller's sessions, or all others; ending one twice is not an error."""
    player = request.player
    if data.others:
        await asyncio.to_thread(services.sessions.end_others, player, request.token)
    elif not await asyncio.to_thread(services.sessions.end, player, _id(data.id)):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    services.hub.subscribers.end_streams(player)
    return CallResult(None, "session_ended")


def _id(typed: str) -> str:
    if not (0 < len(typed) <= _MAX_INPUT_LENGTH and typed.isprintable()):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    return typed


@call(
    "/api/user/stepUp",
    "Confirm the password in a session that was idle",
    auth=Auth.PLAYER,
    refusals=(Refusal.CREDENTIALS_WRONG,),
    changes=True,
)
async def step_up(
    request: CallRequest, data: StepUpRequest, services: Services
) -> CallResult[None]:
    """Let an idle session move money again; wrong passwords count toward the lock, as at login."""
    player, password = request.player, data.password
    is_right = 0 < len(password) <= _MAX_INPUT_LENGTH and await services.hash_pool(
        lambda: services.vault.is_password_of(player, password)
    )
    if not is_right:
        raise CallRefused(Refusal.CREDENTIALS_WRONG, "password")
    await asyncio.to_thread(services.sessions.mark_step_up, request.token)
    return CallResult(None, "confirmed")
