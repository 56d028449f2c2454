"""How a call is declared: a Litestar route handler with its caller, its refusals and its summary.

A handler receives `request` (`CallRequest`), the decoded body as `data`, and the services that it
names: fields of `Services`, or all of them as `services`. It returns a `CallResult`, which becomes
the envelope, or raises `CallRefused`. The annotations of `data` and of the result are its types on
the wire.

The heartbeat and placing a bet are nearly all of the traffic, and are served on bare ASGI
(`with_hot_calls`). They are declared as all other calls are, and have the same guards, log,
counters and envelope. But they pass through one function instead of Litestar's router and layers:
20 instead of 58 µs for each call, on a machine where a bet takes 200 µs and a heartbeat 60.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from time import perf_counter
from types import ModuleType
from typing import Any, Final, get_args, get_type_hints

from litestar.di import NamedDependency
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, SkipValidation
from litestar.types import ASGIApp, Guard, Receive, Scope, Send

from api.http import call_pipeline, envelope
from api.http.call_pipeline import authenticate, decode_body, record_activity, refusal_response
from api.http.call_request import (
    ENDPOINT,
    OFFICE,
    STAFF_AUTH,
    ApiRequest,
    Auth,
    CallRequest,
    CallState,
    Endpoint,
    HeaderField,
    SessionUse,
    StaffRequest,
    key_of,
    token_of,
)
from api.http.envelope import CallResult
from api.http.idempotency import once_per_key
from api.http.refusals import RETRY_AFTER_S
from api.http.transport import REQUEST_ID, headers_of, send_json, should_gzip
from api.ops import request_log
from api.ops.counters import Counters
from engine.refusals import Refusal
from engine.runtime.vault.sessions import Sessions
from engine.staff.roles import Role

Handler = Callable[..., Awaitable[CallResult[Any]]]
# Services are this program's own objects, and the body is decoded before: neither is validated.
_SERVICE: Final[Any] = NamedDependency[SkipValidation[Any]]  # type: ignore[misc]  # an alias
_BODY: Final[Any] = JSONBody[SkipValidation[Any]]  # type: ignore[misc]  # an alias
_NOT_INJECTED: Final = frozenset({"request", "player", "key", "data", "return"})
_HOT_AUTH: Final = frozenset({Auth.PLAYER, Auth.OPTIONAL})


def call(
    path: str,
    summary: str,
    *,
    method: str = "POST",
    auth: Auth = Auth.NONE,
    idempotent: bool = False,
    changes: bool = False,
    use: SessionUse = SessionUse.ACTING,
    refusals: tuple[Refusal, ...] = (),
    message: Any = str,
    roles: frozenset[Role] = frozenset(),
    headers: tuple[HeaderField, ...] = (),
    once: tuple[str, ...] | None = None,
) -> Callable[[Handler], HTTPRouteHandler]:
    """Declare a call; `Endpoint` explains the parameters.

    With `once` the handler runs once per idempotency key and under its player's lock; `once` names
    the fields of the body that a repetition must not change (`once_per_key`). Only such a handler,
    of a call by players, may name `player` and `key`. Raises ValueError otherwise.
    """

    def declare(handle: Handler) -> HTTPRouteHandler:
        types = get_type_hints(handle, include_extras=True)
        default = StaffRequest if auth in STAFF_AUTH else ApiRequest
        endpoint = Endpoint(
            path,
            types.get("data") or default,
            _data_type(types["return"]),
            summary,
            inspect.getdoc(handle) or "",
            method,
            auth,
            idempotent,
            changes,
            use,
            refusals,
            message,
            roles,
            headers,
        )
        handle = _injected(handle, endpoint, once, types)
        return HTTPRouteHandler(
            path,
            http_method=HttpMethod(method),
            status_code=200,
            guards=guards_of(endpoint),
            opt={ENDPOINT: endpoint},
        )(handle)

    return declare


def _injected(
    handle: Handler, endpoint: Endpoint, once: tuple[str, ...] | None, types: Mapping[str, Any]
) -> Handler:
    """Returns the handler as Litestar calls it; `types` are the annotations as written."""
    if once is not None and endpoint.auth is Auth.PLAYER:
        handle = once_per_key(handle, endpoint.path, once)
    elif once is not None or types.keys() & {"player", "key"}:
        raise ValueError(f"{endpoint.path} is no player's call that runs once per key")
    handle.__annotations__ |= {"request": CallRequest}
    handle.__annotations__ |= dict.fromkeys(types.keys() - _NOT_INJECTED, _SERVICE)
    if "data" in types:
        handle.__annotations__["data"] = _BODY
    return handle


def staff_query(
    name: str, summary: str, roles: frozenset[Role], refusals: tuple[Refusal, ...] = ()
) -> Callable[[Handler], HTTPRouteHandler]:
    """Declare `/api/office/<name>`, which changes nothing, for staff with one of these roles."""
    return call(
        f"{OFFICE}{name}", f"{summary} (staff)", auth=Auth.STAFF, roles=roles, refusals=refusals
    )


def staff_command(
    name: str,
    summary: str,
    roles: frozenset[Role],
    refusals: tuple[Refusal, ...] = (),
    *,
    auth: Auth = Auth.STAFF,
) -> Callable[[Handler], HTTPRouteHandler]:
    """Declare `/api/office/<name>`, which changes something and needs an idempotency key."""
    return call(
        f"{OFFICE}{name}",
        f"{summary} (staff)",
        auth=auth,
        roles=roles,
        idempotent=True,
        refusals=refusals,
    )


def guards_of(endpoint: Endpoint) -> list[Guard]:
    """Returns the guards that follow from a declaration, in the order in which they refuse."""
    found: list[Guard] = []
    if endpoint.auth in STAFF_AUTH:
        found.append(call_pipeline.require_staff)
    elif endpoint.auth is not Auth.NONE:
        found.append(
            call_pipeline.require_player
            if endpoint.auth is Auth.PLAYER
            else call_pipeline.identify_player
        )
        if endpoint.use is SessionUse.MONEY:
            found.append(call_pipeline.require_step_up)
        if endpoint.use is not SessionUse.WATCHING:
            found.append(call_pipeline.mark_active)
    if endpoint.idempotent:
        found.append(call_pipeline.check_idempotency_key)
    return found


def calls_in(*modules: ModuleType) -> list[HTTPRouteHandler]:
    """Returns the calls that these modules declare, in their order."""
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, HTTPRouteHandler)
    ]


def endpoint_of_handler(handler: HTTPRouteHandler) -> Endpoint:
    """Returns the declaration of a call."""
    found: Endpoint = handler.opt[ENDPOINT]
    return found


def _data_type(result_type: Any) -> Any:
    """Returns T of `CallResult[T]`."""
    (data_type,) = get_args(result_type)
    return data_type


def with_hot_calls(
    app: ASGIApp, handlers: Iterable[HTTPRouteHandler], state: Mapping[str, Any]
) -> ASGIApp:
    """Answer these calls, and pass all other requests to `app`. `state` is that of `app`."""
    calls = {endpoint_of_handler(each).path: _on_bare_asgi(each, state) for each in handlers}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await calls.get(scope.get("path", ""), app)(scope, receive, send)

    return answer


def _on_bare_asgi(handler: HTTPRouteHandler, state: Mapping[str, Any]) -> ASGIApp:
    """Returns a call, which needs no staff and no step-up, as an ASGI application."""
    endpoint, handle = endpoint_of_handler(handler), handler.fn
    assert endpoint.auth in _HOT_AUTH
    assert endpoint.use is not SessionUse.MONEY
    named = inspect.signature(handle).parameters.keys() - _NOT_INJECTED
    services = {name: state["dependencies"][name] for name in named}
    counters: Counters = state["counters"]
    sessions: Sessions = state["sessions"]
    is_logged = endpoint.is_logged

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        headers = headers_of(scope)
        call = CallState(headers)
        line = request_log.begin() if is_logged else None
        try:
            await decode_body(endpoint, call, scope, receive)
            token = token_of(headers)
            if token or endpoint.auth is Auth.PLAYER:
                call.player = await authenticate(sessions, token)
            if endpoint.use is SessionUse.ACTING:
                await record_activity(sessions, call)
            if endpoint.idempotent:
                key_of(headers)
            request = CallRequest.of(scope, receive, call)
            result = await handle(request=request, data=call.data, **services)
            body = envelope.accepted(result, request.texts, REQUEST_ID.get())
        except Exception as error:  # noqa: BLE001 - the caller gets an answer after any error
            refused = refusal_response(error, scope["path"])
            status, body, cookie, retry_after_s = refused.encoded(endpoint, call, scope)
        else:
            status, cookie, retry_after_s = 200, result.cookie, RETRY_AFTER_S
        seconds = perf_counter() - began
        counters.answered(endpoint.path, call.outcome, seconds)
        if line is not None:
            request_log.end(line, endpoint.path, call.player, call.outcome, seconds)
        compress = should_gzip(body, headers)
        await send_json(send, status, body, cookie, retry_after_s, compress=compress)

    return answer
