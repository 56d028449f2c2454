"""How a call is declared: a Litestar route handler with its caller, its refusals and its summary.

A handler receives `request` (`CallRequest`), the decoded body as `data`, and the services that it
names: fields of `Services`, or all of them as `services`. It returns a `CallResult`, which becomes
the envelope, or raises `CallRefused`. The annotations of `data` and of the result are its types on
the wire.
"""

import inspect
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, Final, get_args, get_type_hints

from litestar.di import NamedDependency
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, SkipValidation
from litestar.types import Guard

from api.http import call_pipeline
from api.http.call_request import (
    ENDPOINT,
    STAFF_AUTH,
    ApiRequest,
    Auth,
    Endpoint,
    HeaderField,
    SessionUse,
    StaffRequest,
)
from api.http.envelope import CallResult
from engine.refusals import Refusal
from engine.staff.roles import Role

Handler = Callable[..., Awaitable[CallResult[Any]]]
# Services are this program's own objects, and the body is decoded before: neither is validated.
_SERVICE: Final[Any] = NamedDependency[SkipValidation[Any]]  # type: ignore[misc]  # an alias
_BODY: Final[Any] = JSONBody[SkipValidation[Any]]  # type: ignore[misc]  # an alias
_NOT_INJECTED: Final = frozenset({"request", "data", "return"})


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
) -> Callable[[Handler], HTTPRouteHandler]:
    """Declare a call; `Endpoint` explains the parameters."""

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
        handle.__annotations__ |= dict.fromkeys(types.keys() - _NOT_INJECTED, _SERVICE)
        if "data" in types:
            handle.__annotations__["data"] = _BODY
        return HTTPRouteHandler(
            path,
            http_method=HttpMethod(method),
            status_code=200,
            guards=guards_of(endpoint),
            opt={ENDPOINT: endpoint},
        )(handle)

    return declare


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
