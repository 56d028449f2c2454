"""The layers around the calls: the log and counters of a call, and the decoding of its body."""

from time import perf_counter

import psycopg
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from psycopg_pool import PoolTimeout

from api.http.call_request import CallState, Endpoint, call_of, endpoint_of, read
from api.http.localization import translations_for
from api.http.refusals import CallRefused
from api.http.transport import method_of, read_body
from api.ops import request_log
from api.ops.counters import Counters
from engine.refusals import Refusal
from engine.runtime.port import EngineUnavailableError

DATABASE_AWAY = (psycopg.OperationalError, PoolTimeout)
#: Errors that mean that the database does not answer, or that no engine leads here.
UNAVAILABLE = (*DATABASE_AWAY, EngineUnavailableError)


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
            call.outcome = outcome_of(error)
            end()
            raise


def outcome_of(error: Exception) -> Refusal:
    """Returns the refusal that a client gets after an error."""
    if isinstance(error, CallRefused):
        return error.refused.refusal
    return Refusal.UNAVAILABLE if isinstance(error, UNAVAILABLE) else Refusal.INTERNAL_ERROR


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
