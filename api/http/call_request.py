"""A request to a call, with its body, its caller and its language.

Middleware decodes the body, guards set the caller, the handler reads both.
"""

import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Final, Self, cast

import msgspec
from litestar import Request
from litestar.connection.base import empty_receive, empty_send
from litestar.types import HTTPScope, Receive, Scope, Send
from msgspec import Struct

from api.http.field_types import Language
from api.http.localization import Translations, translations_for, translations_of_browser
from api.http.refusals import CallRefused, wire_field
from api.http.transport import Headers, form_fields, headers_of, is_form, query_of
from api.http.wire import exact, read_decimal_input
from api.ops.counters import ACCEPTED
from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.roles import Role

#: The key of an `Endpoint` in the options of its route handler.
ENDPOINT: Final = "endpoint"
_STATE: Final = "call"
_PLACE: Final = re.compile(r"\$\.(\w+)")
_FIELD: Final = re.compile(r"field `(\w+)`")
_KEY: Final = re.compile(rb"[!-~]{1,128}")


class ApiRequest(Struct, kw_only=True, gc=False):
    """The fields that every request may have; unknown fields are ignored."""

    lang: Language | None = None


class StaffRequest(ApiRequest, kw_only=True):
    """`staff` is the name of the acting staff member; it must match the pass, if one is sent."""

    staff: str = ""


class Auth(Enum):
    """Who may make a call."""

    NONE = "none"  # a token, if any, is ignored
    OPTIONAL = "optional"  # with a token the caller is known, without one the answer is public
    PLAYER = "player"
    STAFF = "staff"  # with one of the call's roles
    STAFF_OR_MACHINE = "staff_or_machine"  # or the machine's secret, to set up the first managers


OFFICE: Final = "/api/office/"
STAFF_AUTH: Final = frozenset({Auth.STAFF, Auth.STAFF_OR_MACHINE})


class SessionUse(Enum):
    """How a call affects and depends on the idle time of the session."""

    WATCHING = "watching"  # polled by clients: a session stays idle
    ACTING = "acting"
    MONEY = "money"  # refused once the session has been idle for 30 minutes


class HeaderField(Struct, frozen=True):
    """A header that a call needs, with a description and the pattern of its values."""

    name: str
    description: str
    pattern: str


class Endpoint(Struct, frozen=True):
    """What is declared about a call, for its guards, its description and its log.

    `response_type` is the type of the envelope's data, `message` the type of its msg.
    The request log records calls that are `idempotent`, calls that change something without a key
    (`changes`), and all staff calls, because staff read players' data.
    `refusals` are the call's own; api/http/openapi/document.py adds those that follow from its
    other fields and those that every call may return.

    Staff calls, and no others, name the `roles` that may make them (engine/staff/roles.py). Raises
    ValueError for a staff call without roles, and for any other call with roles.
    """

    path: str
    request_type: type[ApiRequest]
    response_type: Any
    summary: str
    description: str = ""
    method: str = "POST"
    auth: Auth = Auth.NONE
    idempotent: bool = False
    changes: bool = False
    use: SessionUse = SessionUse.ACTING
    refusals: tuple[Refusal, ...] = ()
    message: Any = str
    roles: frozenset[Role] = frozenset()
    headers: tuple[HeaderField, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError unless exactly the staff calls have roles."""
        is_staff = self.auth in STAFF_AUTH
        if is_staff != self.path.startswith(OFFICE) or is_staff != bool(self.roles):
            raise ValueError(f"{self.path} must name its roles, as every staff call does")
        # At import: msgspec crashes if several threads decode a type for the first time at once.
        _decoder(self.request_type)

    @property
    def is_logged(self) -> bool:
        """Whether the request log has a line for each request."""
        return self.idempotent or self.changes or self.auth in STAFF_AUTH


class CallState(Struct, gc=False):
    """One call in progress. `texts` is None until the body, which names the language, is decoded.

    `player` is 0 if the caller is not logged in. `staff` is the actor of a staff call, else empty.
    """

    headers: Headers
    content: bytes = b""
    data: ApiRequest | None = None
    texts: Translations | None = None
    player: int = 0
    staff: str = ""
    outcome: str = ACCEPTED


def endpoint_of(scope: Scope) -> Endpoint | None:
    """Returns the declaration of the call that a request was routed to; None for other routes."""
    handler: Any = scope.get("route_handler")
    return None if handler is None else handler.opt.get(ENDPOINT)


def call_of(scope: Scope) -> CallState:
    """Returns the state of the request's call."""
    state: dict[str, Any] = scope["state"]
    call = state.get(_STATE)
    if call is None:
        call = state[_STATE] = CallState(headers_of(scope))
    return cast("CallState", call)


class CallRequest(Request[int, str, Any]):
    """One request as its handler sees it."""

    __slots__ = ("call",)

    def __init__(
        self, scope: Scope, receive: Receive = empty_receive, send: Send = empty_send
    ) -> None:
        super().__init__(scope, receive, send)
        self.call = call_of(scope)

    @classmethod
    def of(cls, scope: Scope, receive: Receive, call: CallState) -> Self:
        """Returns a request outside Litestar, without the parts that only Litestar reads."""
        request = cls.__new__(cls)  # the constructor of Litestar's class takes 2 µs
        request.scope = cast("HTTPScope", scope)
        request.receive = receive
        request.call = call
        return request

    @property
    def player(self) -> int:
        """The caller's id; 0 if the caller is not logged in."""
        return self.call.player

    @property
    def staff(self) -> str:
        """The actor of a staff call; empty for any other call."""
        return self.call.staff

    @property
    def texts(self) -> Translations:
        """The texts in the language that the request names."""
        assert self.call.texts is not None
        return self.call.texts

    @property
    def token(self) -> str:
        """The session's token; empty if none was sent."""
        return token_of(self.call.headers)

    @property
    def key(self) -> str | None:
        """The idempotency key; None if none was sent. Raises CallRefused if it is malformed."""
        return key_of(self.call.headers)

    @property
    def required_key(self) -> str:
        """The idempotency key of a staff command: its guard refuses a call without one."""
        key = self.key
        assert key is not None
        return key

    @property
    def raw_headers(self) -> Headers:
        """The headers as sent, by lower-case name."""
        return self.call.headers

    @property
    def content(self) -> bytes:
        """The body as sent."""
        return self.call.content

    async def body(self) -> bytes:
        """Returns the body, which middleware has read; never empty, or Litestar finds none."""
        return self.call.content or b"{}"

    async def json(self) -> ApiRequest | None:
        """Returns the decoded body."""
        return self.call.data


def token_of(headers: Headers) -> str:
    """Returns the session's token; empty if none was sent."""
    return headers.get(b"token", b"").decode("latin-1")


def key_of(headers: Headers) -> str | None:
    """Returns the idempotency key; None if none was sent. Raises CallRefused if it is malformed."""
    key = headers.get(b"idempotency-key")
    return None if key is None else check_key(key, "Idempotency-Key")


def check_key(key: bytes, field: str) -> str:
    """Returns an idempotency key. Raises CallRefused with the field if it is malformed."""
    if not _KEY.fullmatch(key):
        raise CallRefused(Refusal.KEY_MALFORMED, field)
    return key.decode()


@cache
def _decoder(request_type: type[ApiRequest]) -> Callable[[bytes], ApiRequest]:
    """Returns a decoder of the JSON body; it reads numbers with a fraction as exact decimals."""
    return msgspec.json.Decoder(
        request_type, strict=False, float_hook=exact, dec_hook=read_decimal_input
    ).decode


def read(endpoint: Endpoint, scope: Scope, headers: Headers, content: bytes) -> ApiRequest:
    """Parse the query, form or JSON. Raises CallRefused with the name of an invalid field."""
    try:
        if endpoint.method == "GET":
            return _converted(query_of(scope), endpoint.request_type)
        if is_form(headers, content):
            return _converted(form_fields(content), endpoint.request_type)
        return _decoder(endpoint.request_type)(content or b"{}")
    except msgspec.ValidationError as error:
        found = _PLACE.search(str(error)) or _FIELD.search(str(error))
        field = found[1] if found else ""
        raise CallRefused(Refusal.REQUEST_MALFORMED, field) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None


def _converted(fields: dict[str, str], request_type: type[ApiRequest]) -> ApiRequest:
    return msgspec.convert(fields, request_type, strict=False, dec_hook=read_decimal_input)


class _LanguageField(Struct, gc=False):
    lang: object = None


_decode_language: Final = msgspec.json.Decoder(_LanguageField).decode


def fallback_texts(scope: Scope, call: CallState) -> Translations:
    """Returns the texts for an invalid request, whose language may still be readable."""
    named: object = query_of(scope).get("lang")
    try:
        if is_form(call.headers, call.content):
            named = form_fields(call.content).get("lang")
        elif call.content:
            named = _decode_language(call.content).lang
    except (msgspec.MsgspecError, ValueError, RecursionError, CallRefused):
        pass
    return (
        translations_for(named) if isinstance(named, str) else translations_of_browser(call.headers)
    )


def with_wire_field(endpoint: Endpoint | None, refused: Refused) -> Refused:
    """Returns the refusal with its field's wire name; empty if the request has no such field."""
    if endpoint is None:
        return refused
    field = wire_field(refused.field, endpoint.request_type.__struct_encode_fields__)
    return Refused(refused.refusal, field)
