"""What surrounds a call's handler, in the order of a request: log, decoding, guards, response.

Litestar runs these layers around all calls but bets and heartbeats, which calls.py answers on bare
ASGI. `app.state` has what they need: `counters`, the `sessions` of the players, `staff_auth` for
the staff, and `once` for what idempotency.py runs once per key.
"""

import asyncio
from time import perf_counter
from typing import Any, Final, cast

import psycopg
import structlog
from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from psycopg_pool import PoolTimeout

from api.http import envelope
from api.http.call_request import (
    STAFF_AUTH,
    Auth,
    CallRequest,
    CallState,
    Endpoint,
    StaffRequest,
    call_of,
    endpoint_of,
    fallback_texts,
    key_of,
    read,
    token_of,
    with_wire_field,
)
from api.http.envelope import CallResult
from api.http.localization import translations_for
from api.http.refusals import NO_VALUES, RETRY_AFTER_S, CallRefused, TextValues
from api.http.staff_auth import StaffAuth, StaffCredentials
from api.http.transport import (
    REQUEST_ID,
    Headers,
    client_of,
    method_of,
    read_body,
    send_json,
    should_gzip,
)
from api.ops import request_log
from api.ops.counters import Counters
from engine.answers import Refused
from engine.refusals import Refusal
from engine.runtime.port import EngineUnavailableError
from engine.runtime.vault.sessions import Sessions

#: Errors that mean that the database does not answer.
DATABASE_AWAY: Final = (psycopg.OperationalError, PoolTimeout)
Connection = ASGIConnection[Any, Any, Any, Any]
_STATUS_REFUSALS: Final = {404: Refusal.ROUTE_UNKNOWN, 405: Refusal.METHOD_NOT_ALLOWED}
# The app sends this header with calls without user action: they leave an idle session idle.
_BACKGROUND: Final = b"background"
_log = structlog.get_logger()


class CallLog:
    """Counts each call with its outcome and its time, and logs those that change something."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the call ends when its response starts."""
        endpoint = endpoint_of(scope)
        if endpoint is None:  # Litestar's own answer to OPTIONS
            await self._app(scope, receive, send)
            return
        call, began, ended = call_of(scope), perf_counter(), False
        counters: Counters = scope["litestar_app"].state.counters
        line = request_log.begin() if endpoint.is_logged else None

        def end() -> None:
            nonlocal ended
            if ended:
                return
            ended, seconds = True, perf_counter() - began
            counters.answered(endpoint.path, call.outcome, seconds)
            if line is not None:
                line.actor = line.actor or call.staff
                request_log.end(line, endpoint.path, call.player, call.outcome, seconds)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                end()
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            # Raised before the route's own handlers: the application answers it.
            call.outcome = refused_by(error).refusal
            end()
            raise


def refused_by(error: Exception) -> Refused:
    """Returns the refusal that a client gets after an error."""
    if isinstance(error, CallRefused):
        return error.refused
    if isinstance(error, HTTPException) and error.status_code in _STATUS_REFUSALS:
        return Refused(_STATUS_REFUSALS[error.status_code])
    is_away = isinstance(error, (*DATABASE_AWAY, EngineUnavailableError))
    return Refused(Refusal.UNAVAILABLE if is_away else Refusal.INTERNAL_ERROR)


class BodyDecoder:
    """Decodes a call's body, before its guards refuse: the body names the language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises CallRefused if the body is late, too large or invalid."""
        endpoint = endpoint_of(scope)
        if endpoint is None:  # Litestar's own answer to OPTIONS
            raise CallRefused(Refusal.METHOD_NOT_ALLOWED)
        await decode_body(endpoint, call_of(scope), scope, receive)
        await self._app(scope, receive, send)


async def decode_body(endpoint: Endpoint, call: CallState, scope: Scope, receive: Receive) -> None:
    """Read the body or the query. Raises CallRefused if it is late, too large or invalid."""
    if method_of(scope) != endpoint.method:
        raise CallRefused(Refusal.METHOD_NOT_ALLOWED)
    call.content = await read_body(receive, call.headers)
    call.data = read(endpoint, scope, call.headers, call.content)
    call.texts = translations_for(call.data.lang)


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
    """Refuse a caller who is not logged in."""
    call = call_of(connection.scope)
    call.player = await authenticate(_sessions(connection), token_of(call.headers))


async def identify_player(connection: Connection, handler: BaseRouteHandler) -> None:
    """Refuse a caller whose token is not that of a session. Without a token there is no player."""
    if token_of(call_of(connection.scope).headers):
        await require_player(connection, handler)


async def require_step_up(connection: Connection, _: BaseRouteHandler) -> None:
    """Refuse a session idle for 30 minutes, unless its owner has confirmed the password since."""
    if not _sessions(connection).is_recently_active(token_of(call_of(connection.scope).headers)):
        raise CallRefused(Refusal.STEP_UP_NEEDED)


async def mark_active(connection: Connection, _: BaseRouteHandler) -> None:
    """Count the call as activity of its session, unless the app made it by itself."""
    await record_activity(_sessions(connection), call_of(connection.scope))


async def record_activity(sessions: Sessions, call: CallState) -> None:
    """Record that the caller's session is active, unless the app made the call by itself."""
    if call.player and _BACKGROUND not in call.headers:
        token = token_of(call.headers)
        if sessions.mark_active(token):
            await asyncio.to_thread(sessions.write_activity, token)


async def require_staff(connection: Connection, _: BaseRouteHandler) -> None:
    """Refuse a caller without a pass that has one of the call's roles.

    Some calls also accept a program on the server's machine, without a pass.
    """
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
    """Refuse a malformed idempotency key, and a staff command without one."""
    scope = connection.scope
    endpoint = endpoint_of(scope)
    assert endpoint is not None
    if key_of(call_of(scope).headers) is None and endpoint.auth in STAFF_AUTH:
        raise CallRefused(Refusal.KEY_MALFORMED, "Idempotency-Key")


def _sessions(connection: Connection) -> Sessions:
    return cast("Sessions", connection.app.state.sessions)


class EnvelopeResponse(Response[CallResult[Any]]):
    """The response class of all calls: a handler's `CallResult` in its envelope."""

    def to_asgi_response(  # type: ignore[override]  # the library's type names its own class
        self, *, request: Request[Any, Any, Any], **_: Any
    ) -> ASGIApp:
        """Encode the envelope in the language of the request."""
        assert isinstance(request, CallRequest)
        body = envelope.accepted(self.content, request.texts, REQUEST_ID.get())
        result, headers = self.content, request.call.headers
        return _sending(headers, 200, body, result.cookie, RETRY_AFTER_S, result.fresh_s)


class RefusalResponse(Response[bytes]):
    """A refusal in its envelope."""

    def __init__(
        self,
        refused: Refused,
        retry_after_s: int = RETRY_AFTER_S,
        values: TextValues = NO_VALUES,
    ) -> None:
        super().__init__(b"")
        self._refused = refused
        self._retry_after_s = retry_after_s
        self._values = values

    def encoded(
        self, endpoint: Endpoint | None, call: CallState, scope: Scope
    ) -> tuple[int, bytes, str, int]:
        """Returns status, envelope, cookie and Retry-After, and sets the call's outcome.

        The text is in the language of the request, so far as it is known.
        """
        refused = with_wire_field(endpoint, self._refused)
        call.outcome = refused.refusal
        texts = call.texts or fallback_texts(scope, call)
        body = envelope.refused(refused, texts, REQUEST_ID.get(), self._values)
        return envelope.status_of(refused.refusal), body, "", self._retry_after_s

    def to_asgi_response(  # type: ignore[override]  # the library's type names its own class
        self, *, request: Request[Any, Any, Any], **_: Any
    ) -> ASGIApp:
        """Encode the envelope."""
        scope = request.scope
        call = call_of(scope)
        return _sending(call.headers, *self.encoded(endpoint_of(scope), call, scope))


def _sending(
    headers: Headers, status: int, body: bytes, cookie: str, retry_after_s: int, fresh_s: int = 0
) -> ASGIApp:
    async def respond(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        compress = should_gzip(body, headers)
        await send_json(
            send, status, body, cookie, retry_after_s, compress=compress, fresh_s=fresh_s
        )

    return respond


def refusal_response(error: Exception, path: str) -> RefusalResponse:
    """Returns the answer to any error of a request to this path, and logs a fault."""
    if isinstance(error, CallRefused):
        return RefusalResponse(error.refused, error.retry_after_s, error.text_values)
    refused = refused_by(error)
    if isinstance(error, DATABASE_AWAY):
        _log.warning("database is away", path=path, error=str(error))
    elif refused.refusal is Refusal.INTERNAL_ERROR:
        _log.error("call failed", path=path, exc_info=error)
    return RefusalResponse(refused)


def handle_exception(request: Request[Any, Any, Any], error: Exception) -> RefusalResponse:
    """The exception handler of the whole API: the caller gets an answer after any error."""
    return refusal_response(error, request.scope["path"])
