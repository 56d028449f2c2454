"""The endpoint table: path, request type, response type, and authorization of each call.

The dispatcher is one small layer on plain ASGI, for speed. It reads the body, authenticates the
caller, calls the handler, and wraps the result in the envelope.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from enum import Enum
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

import msgspec
import psycopg
import structlog
from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send
from msgspec import Struct
from psycopg_pool import PoolTimeout

from api.http import envelope
from api.http.envelope import RETRY_AFTER_S, CallRefused, CallResult, TextValues
from api.http.field_types import Language
from api.http.localization import Translations, translations_for, translations_of_browser
from api.http.refused_field import wire_field
from api.http.transport import (
    REQUEST_ID,
    Headers,
    form_fields,
    headers_of,
    is_form,
    method_of,
    query_of,
    read_body,
    send_json,
    should_gzip,
)
from api.http.wire import exact, read_decimal_input
from api.office.staff_auth import StaffCredentials, authorize
from api.ops import request_log
from api.ops.counters import ACCEPTED
from api.services import Services
from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.roles import Role

_log = structlog.get_logger()
_PLACE: Final = re.compile(r"\$\.(\w+)")
_FIELD: Final = re.compile(r"field `(\w+)`")
_KEY: Final = re.compile(rb"[!-~]{1,128}")
# The app sends this header with calls without user action: they leave an idle session idle.
_BACKGROUND: Final = b"background"


class ApiRequest(Struct, kw_only=True, gc=False):
    """The fields that every request may have; unknown fields are ignored."""

    lang: Language | None = None


class StaffRequest(ApiRequest, kw_only=True):
    """`staff` is the name of the acting staff member; it must match the pass, if one is sent."""

    staff: str = ""


RequestT = TypeVar("RequestT", bound=ApiRequest)


class Auth(Enum):
    """Who may make a call."""

    NONE = "none"  # a token, if any, is ignored
    OPTIONAL = "optional"  # with a token the caller is known, without one the answer is public
    PLAYER = "player"
    STAFF = "staff"  # with one of the call's roles
    STAFF_OR_MACHINE = "staff_or_machine"  # or the machine's secret, to set up the first managers


_STAFF_AUTH: Final = frozenset({Auth.STAFF, Auth.STAFF_OR_MACHINE})


class SessionUse(Enum):
    """How a call affects and depends on the idle time of the session."""

    WATCHING = "watching"  # polled by clients: a session stays idle
    ACTING = "acting"
    MONEY = "money"  # refused once the session has been idle for 30 minutes


class RequestContext(Struct, Generic[RequestT], gc=False):
    """One request as its handler sees it.

    `player` is 0 if the caller is not logged in. `staff` is the actor of a staff call, else empty.
    """

    services: Services
    body: RequestT
    texts: Translations
    player: int
    key: str | None
    content: bytes
    headers: Headers
    receive: Receive
    client: str
    staff: str = ""

    @property
    def token(self) -> str:
        """The session's token; empty if none was sent."""
        return _token(self.headers)


class Endpoint(Struct, Generic[RequestT], frozen=True):
    """One row of the endpoint table.

    `response_type` is the type of the envelope's data, `message` the type of its msg.
    The request log records calls that are `idempotent`, calls that change something without a key
    (`changes`), and all staff calls, because staff read players' data.
    `refusals` are the call's own; api/http/endpoint_refusals.py adds those that follow from its
    other fields and those that every call may return.

    Staff calls, and no others, name the `roles` that may make them (engine/staff/roles.py). Raises
    ValueError for a staff call without roles, and for any other call with roles.
    """

    path: str
    request_type: type[RequestT]
    response_type: Any
    handle: Callable[[RequestContext[RequestT]], Awaitable[CallResult]]
    summary: str
    method: str = "POST"
    auth: Auth = Auth.NONE
    idempotent: bool = False
    changes: bool = False
    use: SessionUse = SessionUse.ACTING
    refusals: tuple[Refusal, ...] = ()
    message: Any = str
    roles: frozenset[Role] = frozenset()

    def __post_init__(self) -> None:
        """Raises ValueError unless exactly the staff calls have roles."""
        is_staff = self.auth in _STAFF_AUTH
        if is_staff != self.path.startswith("/api/office/") or is_staff != bool(self.roles):
            raise ValueError(f"{self.path} must name its roles, as every staff call does")


def route(endpoint: Endpoint[Any], services: Services) -> ASGIRouteHandler:
    """Returns the route of an endpoint."""
    decode = decoder_of(endpoint)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        texts: Translations | None = None
        refused: Refused | None = None
        values = TextValues()
        headers: Headers = {}
        content, encoded, cookie, retry_after_s = b"", b"", "", RETRY_AFTER_S
        status, outcome, player, began = 200, ACCEPTED, 0, perf_counter()
        is_logged = endpoint.idempotent or endpoint.changes or endpoint.auth in _STAFF_AUTH
        line = request_log.begin() if is_logged else None
        try:
            headers = headers_of(scope)
            if method_of(scope) != endpoint.method:
                raise CallRefused(Refusal.METHOD_NOT_ALLOWED)
            content = await read_body(receive, headers)
            body = read(endpoint, decode, scope, headers, content)
            texts = translations_for(body.lang)
            player = await _caller(endpoint, services, headers)
            staff = _staff(endpoint, services, headers, client_of(scope), body)
            if line is not None:
                line.actor = staff
            ctx = RequestContext(
                services,
                body,
                texts,
                player,
                _key(headers) if endpoint.idempotent else None,
                content,
                headers,
                receive,
                client_of(scope),
                staff,
            )
            result = await endpoint.handle(ctx)
            cookie = result.cookie
            encoded = envelope.accepted(result, texts, REQUEST_ID.get())
        except CallRefused as refusal:
            refused, values = _with_wire_field(endpoint, refusal.refused), refusal.text_values
            retry_after_s = refusal.retry_after_s
        except (psycopg.OperationalError, PoolTimeout) as error:
            _log.warning("database is away", path=endpoint.path, error=str(error))
            refused = Refused(Refusal.UNAVAILABLE)
        except Exception:  # noqa: BLE001 - the caller gets an answer after any error
            _log.exception("call failed", path=endpoint.path)
            refused = Refused(Refusal.INTERNAL_ERROR)
        if refused is not None:
            status, outcome = envelope.status_of(refused.refusal), refused.refusal
            texts = texts or _fallback_texts(endpoint, scope, headers, content)
            encoded = envelope.refused(refused, texts, REQUEST_ID.get(), values)
        seconds = perf_counter() - began
        services.counters.answered(endpoint.path, outcome, seconds)
        if line is not None:
            request_log.end(line, endpoint.path, player, outcome, seconds)
        compress = should_gzip(encoded, headers)
        await send_json(send, status, encoded, cookie, retry_after_s, compress=compress)

    return asgi(endpoint.path, copy_scope=False)(answer)


def _with_wire_field(endpoint: Endpoint[Any], refused: Refused) -> Refused:
    """Returns the refusal with its field's wire name; empty if the request has no such field."""
    field = wire_field(refused.field, endpoint.request_type.__struct_encode_fields__)
    return Refused(refused.refusal, field)


def decoder_of(endpoint: Endpoint[RequestT]) -> Callable[[bytes], RequestT]:
    """Returns a decoder of the JSON body; it reads numbers with a fraction as exact decimals."""
    return msgspec.json.Decoder(
        endpoint.request_type, strict=False, float_hook=exact, dec_hook=read_decimal_input
    ).decode


def read(
    endpoint: Endpoint[RequestT],
    decode: Callable[[bytes], RequestT],
    scope: Scope,
    headers: Headers,
    content: bytes,
) -> RequestT:
    """Parse the query, form or JSON. Raises CallRefused with the name of an invalid field."""
    try:
        if endpoint.method == "GET":
            return _converted(query_of(scope), endpoint.request_type)
        if is_form(headers, content):
            return _converted(form_fields(content), endpoint.request_type)
        return decode(content or b"{}")
    except msgspec.ValidationError as error:
        found = _PLACE.search(str(error)) or _FIELD.search(str(error))
        field = found[1] if found else ""
        raise CallRefused(Refusal.REQUEST_MALFORMED, field) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None


class _LanguageField(Struct, gc=False):
    lang: object = None


def _fallback_texts(
    endpoint: Endpoint[Any], scope: Scope, headers: Headers, content: bytes
) -> Translations:
    """Returns the texts for an invalid request, whose language may still be readable."""
    named: object = None
    try:
        if endpoint.method == "GET":
            named = query_of(scope).get("lang")
        elif is_form(headers, content):
            named = form_fields(content).get("lang")
        else:
            named = msgspec.json.decode(content, type=_LanguageField).lang
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    return translations_for(named) if isinstance(named, str) else translations_of_browser(headers)


def _converted(fields: dict[str, str], request_type: type[RequestT]) -> RequestT:
    return msgspec.convert(fields, request_type, strict=False, dec_hook=read_decimal_input)


def _key(headers: Headers) -> str | None:
    """Returns the idempotency key; None if none was sent. Raises CallRefused if it is malformed."""
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise CallRefused(Refusal.KEY_MALFORMED, "Idempotency-Key")
    return key.decode()


async def _caller(endpoint: Endpoint[Any], services: Services, headers: Headers) -> int:
    if endpoint.auth is Auth.NONE or endpoint.auth in _STAFF_AUTH:
        return 0
    token = _token(headers)
    if not token and endpoint.auth is Auth.OPTIONAL:
        return 0
    player = await authenticate(services, token)
    if endpoint.use is SessionUse.MONEY and not services.sessions.is_recently_active(token):
        raise CallRefused(Refusal.STEP_UP_NEEDED)
    if endpoint.use is not SessionUse.WATCHING and _BACKGROUND not in headers:
        await _record_activity(services, token)
    return player


def _staff(
    endpoint: Endpoint[Any], services: Services, headers: Headers, client: str, body: ApiRequest
) -> str:
    """Returns the actor of a staff call; empty for any other call."""
    if endpoint.auth not in _STAFF_AUTH:
        return ""
    named = body.staff if isinstance(body, StaffRequest) else ""
    machine = endpoint.auth is Auth.STAFF_OR_MACHINE
    return authorize(
        services, StaffCredentials(headers, client, named), endpoint.roles, machine=machine
    )


async def _record_activity(services: Services, token: str) -> None:
    if services.sessions.mark_active(token):
        await asyncio.to_thread(services.sessions.write_activity, token)


def _token(headers: Headers) -> str:
    return headers.get(b"token", b"").decode("latin-1")


async def authenticate(services: Services, token: str) -> int:
    """Returns the player of this token's session. Raises CallRefused if the session is invalid."""
    found = services.sessions.recognise(token)
    if found is None:
        await asyncio.to_thread(services.sessions.load, token)
        found = services.sessions.recognise(token)
    if isinstance(found, Refusal):
        raise CallRefused(found)
    return found or 0


def client_of(scope: Scope) -> str:
    """Returns the client's address; empty if the ASGI server gives none."""
    client = scope.get("client")
    return client[0] if client else ""
