"""Litestar guards: who may make a call. They run after the body was decoded, in a call's order.

`app.state` has the two that know: `sessions` of the players and `staff_auth` of the staff.
"""

import asyncio
from typing import Any, cast

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from api.http.call_request import (
    Auth,
    CallState,
    StaffRequest,
    call_of,
    endpoint_of,
    key_of,
    token_of,
)
from api.http.refusals import CallRefused
from api.http.staff_auth import StaffAuth, StaffCredentials
from api.http.transport import client_of
from engine.refusals import Refusal
from engine.runtime.vault.sessions import Sessions

Connection = ASGIConnection[Any, Any, Any, Any]
# The app sends this header with calls without user action: they leave an idle session idle.
_BACKGROUND = b"background"


async def authenticate(sessions: Sessions, token: str) -> int:
    """Returns the player of this token's session. Raises CallRefused if the session is invalid."""
    found = sessions.recognise(token)
    if found is None:
        await asyncio.to_thread(sessions.load, token)
        found = sessions.recognise(token)
    if isinstance(found, Refusal):
        raise CallRefused(found)
    return found or 0


async def require_player(connection: Connection, _: BaseRouteHandler) -> None:
    """The caller is logged in."""
    call = call_of(connection.scope)
    call.player = await authenticate(_sessions(connection), token_of(call.headers))


async def identify_player(connection: Connection, handler: BaseRouteHandler) -> None:
    """The caller is logged in, or sends no token."""
    if token_of(call_of(connection.scope).headers):
        await require_player(connection, handler)


async def require_step_up(connection: Connection, _: BaseRouteHandler) -> None:
    """The session was active within 30 minutes, or its owner has confirmed the password since."""
    if not _sessions(connection).is_recently_active(token_of(call_of(connection.scope).headers)):
        raise CallRefused(Refusal.STEP_UP_NEEDED)


async def mark_active(connection: Connection, _: BaseRouteHandler) -> None:
    """Never refuses: the call is activity of its session, unless the app made it by itself."""
    await record_activity(_sessions(connection), call_of(connection.scope))


async def record_activity(sessions: Sessions, call: CallState) -> None:
    """Record that the caller's session is active, unless the app made the call by itself."""
    if call.player and _BACKGROUND not in call.headers:
        token = token_of(call.headers)
        if sessions.mark_active(token):
            await asyncio.to_thread(sessions.write_activity, token)


async def require_staff(connection: Connection, _: BaseRouteHandler) -> None:
    """The caller has a pass with one of the call's roles, or is the machine where it may be."""
    scope = connection.scope
    call, endpoint = call_of(scope), endpoint_of(scope)
    assert endpoint is not None
    named = call.data.staff if isinstance(call.data, StaffRequest) else ""
    staff_auth: StaffAuth = connection.app.state.staff_auth
    call.staff = await staff_auth.authorize(
        StaffCredentials(call.headers, client_of(scope), named),
        endpoint.roles,
        machine=endpoint.auth is Auth.STAFF_OR_MACHINE,
    )


async def check_idempotency_key(connection: Connection, _: BaseRouteHandler) -> None:
    """The idempotency key, if one was sent, is well-formed."""
    key_of(call_of(connection.scope).headers)


def _sessions(connection: Connection) -> Sessions:
    return cast("Sessions", connection.app.state.sessions)
