"""Calls on bare ASGI: the heartbeat and placing a bet, which are nearly all of the traffic.

They are declared as all other calls are, and have the same guards, log, counters and envelope. But
they pass through one function instead of Litestar's layers: 28 instead of 58 µs for each call, on a
machine where a bet takes 200 µs and a heartbeat 60.
"""

import inspect
from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final

from litestar import asgi
from litestar.handlers import ASGIRouteHandler, HTTPRouteHandler
from litestar.types import Receive, Scope, Send

from api.http import envelope
from api.http.call_pipeline import authenticate, decode_body, record_activity, refusal_response
from api.http.call_request import ENDPOINT, Auth, CallRequest, SessionUse, key_of, token_of
from api.http.calls import endpoint_of_handler
from api.http.refusals import RETRY_AFTER_S
from api.http.transport import REQUEST_ID, send_json, should_gzip
from api.ops import request_log
from api.ops.counters import Counters
from engine.runtime.vault.sessions import Sessions

_AUTH: Final = frozenset({Auth.PLAYER, Auth.OPTIONAL})
_GIVEN: Final = frozenset({"request", "data"})


def on_bare_asgi(handler: HTTPRouteHandler, state: Mapping[str, Any]) -> ASGIRouteHandler:
    """Returns the same call, which needs no staff and no step-up, as an ASGI route.

    `state` is that of the application (api/http/asgi_app.py).
    """
    endpoint, handle = endpoint_of_handler(handler), handler.fn
    assert endpoint.auth in _AUTH
    assert endpoint.use is not SessionUse.MONEY
    named = inspect.signature(handle).parameters.keys() - _GIVEN
    services = {name: state["dependencies"][name] for name in named}
    counters: Counters = state["counters"]
    sessions: Sessions = state["sessions"]

    @asgi(endpoint.path, copy_scope=False, opt={ENDPOINT: endpoint})
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        request = CallRequest(scope, receive, send)
        call = request.call
        line = request_log.begin() if endpoint.is_logged else None
        try:
            await decode_body(endpoint, call, scope, receive)
            token = token_of(call.headers)
            if token or endpoint.auth is Auth.PLAYER:
                call.player = await authenticate(sessions, token)
            if endpoint.use is SessionUse.ACTING:
                await record_activity(sessions, call)
            if endpoint.idempotent:
                key_of(call.headers)
            result = await handle(request=request, data=call.data, **services)
            body = envelope.accepted(result, request.texts, REQUEST_ID.get())
        except Exception as error:  # noqa: BLE001 - the caller gets an answer after any error
            refused = refusal_response(request, error)
            status, body, cookie, retry_after_s = refused.encoded(request)
        else:
            status, cookie, retry_after_s = 200, result.cookie, RETRY_AFTER_S
        seconds = perf_counter() - began
        counters.answered(endpoint.path, call.outcome, seconds)
        if line is not None:
            request_log.end(line, endpoint.path, call.player, call.outcome, seconds)
        compress = should_gzip(body, call.headers)
        await send_json(send, status, body, cookie, retry_after_s, compress=compress)

    return answer
