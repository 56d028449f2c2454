"""I/O on plain ASGI: a request's headers and body, the response, and the stream's cookie."""

import asyncio
import gzip
import re
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import parse_qsl

from litestar.types import (
    HTTPReceiveMessage,
    Message,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)

from api.http.refusals import RETRY_AFTER_S, CallRefused, is_worth_retrying
from engine.refusals import Refusal

BODY_LIMIT: Final = 64 * 1024
BODY_TIMEOUT_S = 10.0
_MAX_DRAINED_BYTES: Final = 4 * 1024 * 1024
_FORM: Final = b"application/x-www-form-urlencoded"
#: Below this size gzip saves almost nothing: the response fits into one or two packets.
_MIN_GZIP_BYTES: Final = 2 * 1024
#: From this size on, gzip runs in another thread because it takes too long for the event loop.
_GZIP_IN_THREAD_BYTES: Final = 32 * 1024
_REFUSED: Final = re.compile(rb"q=0(\.0*)?")
_JSON: Final = (b"content-type", b"application/json; charset=utf-8")

STREAM_PATH: Final = "/api/Lottery/stream"
#: Authorizes the event stream: browsers send no headers of the app with it.
STREAM_COOKIE: Final = "fairdraw_stream"
# No neighbouring site and no unencrypted response can set this name (RFC 6265bis, 4.1.3.2).
_STREAM_COOKIE_OVER_TLS: Final = f"__Host-{STREAM_COOKIE}"

#: The rate-limit key of the caller's address.
ADDRESS: Final[ContextVar[str]] = ContextVar("address", default="")
REQUEST_ID: Final[ContextVar[str]] = ContextVar("request_id", default="")

Headers = dict[bytes, bytes]
# Named here: an inner function would evaluate it with each request, which took 3 µs of 20.
_Received = HTTPReceiveMessage | WebSocketReceiveMessage
#: The headers of a response.
Fields = tuple[tuple[bytes, bytes], ...]


def headers_of(scope: Scope) -> Headers:
    """Returns the request's headers by lower-case name."""
    return dict(scope["headers"])


def encodings_of(headers: Headers) -> set[bytes]:
    """Returns the content encodings that Accept-Encoding names and allows."""
    accept_encoding = headers.get(b"accept-encoding", b"").lower().replace(b" ", b"")
    parts = (part.partition(b";") for part in accept_encoding.split(b","))
    return {name for name, _, weight in parts if not _REFUSED.fullmatch(weight)}


def method_of(scope: Scope) -> str:
    """Returns the request's method; empty if the scope is not an HTTP request."""
    return str(scope.get("method", ""))


def client_of(scope: Scope) -> str:
    """Returns the client's address; empty if the ASGI server gives none."""
    client = scope.get("client")
    return client[0] if client else ""


def query_of(scope: Scope) -> dict[str, str]:
    """Returns the fields of the query string; of a repeated field the last value."""
    return dict(parse_qsl(scope["query_string"].decode("latin-1")))


async def read_body(receive: Receive, headers: Headers) -> bytes:
    """Returns the whole body. Raises CallRefused if it is late or larger than `BODY_LIMIT`.

    A body above the limit is read up to 4 MiB first, so that the client gets the response.
    """
    task, is_late = asyncio.current_task(), False
    assert task is not None

    def give_up() -> None:
        nonlocal is_late
        is_late = task.cancel()

    # What asyncio.timeout does, at a fifth of its cost.
    timer = asyncio.get_running_loop().call_later(BODY_TIMEOUT_S, give_up)
    try:
        return await _read_body(receive, headers)
    except asyncio.CancelledError:
        if not is_late or task.uncancel():
            raise
        raise CallRefused(Refusal.BODY_TOO_SLOW) from None
    finally:
        timer.cancel()


async def _read_body(receive: Receive, headers: Headers) -> bytes:
    message = await receive()
    body: bytes = message.get("body", b"")  # type: ignore[assignment]
    if not message.get("more_body") or headers.get(b"content-length") == b"%d" % len(body):
        # A body of known length is complete without the empty message that ends it.
        return _check_limit(body, len(body))
    parts, size = [body], len(body)
    while message.get("more_body") and size <= _MAX_DRAINED_BYTES:
        message = await receive()
        part: bytes = message.get("body", b"")  # type: ignore[assignment]
        size += len(part)
        if size <= BODY_LIMIT:
            parts.append(part)
    return _check_limit(b"".join(parts), size)


def reading_first(receive: Receive, send: Send, headers: Headers) -> tuple[Receive, Send]:
    """Wrap both, so that the body is read before a response starts.

    The ASGI server closes a connection whose body was not read. A client that is still sending
    would lose the response.
    """
    if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
        return receive, send
    begun = False

    async def receiving() -> _Received:
        nonlocal begun
        begun = True
        return await receive()

    async def sending(message: Message) -> None:
        if not begun:
            with suppress(CallRefused):
                await read_body(receiving, headers)
        await send(message)

    return receiving, sending


def _check_limit(body: bytes, size: int) -> bytes:
    if size > BODY_LIMIT:
        raise CallRefused(Refusal.BODY_TOO_LARGE)
    return body


async def until_disconnected(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


def is_form(headers: Headers, body: bytes) -> bool:
    """Whether the body is form-encoded; a body that begins with `{` is JSON in any case."""
    return headers.get(b"content-type", b"").startswith(_FORM) and not body.startswith(b"{")


def form_fields(body: bytes) -> dict[str, Any]:
    """Returns the fields of a form-encoded body. Raises CallRefused if it is malformed."""
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None


def should_gzip(body: bytes, headers: Headers) -> bool:
    """Whether the response is long enough for gzip, and the client accepts gzip.

    BREACH does not apply: no other site can make a browser send the token, so none can observe
    the length of a response to a player.
    """
    return len(body) >= _MIN_GZIP_BYTES and b"gzip" in encodings_of(headers)


async def send_json(
    send: Send,
    status: int,
    body: bytes,
    cookie: str = "",
    retry_after_s: int = RETRY_AFTER_S,
    *,
    compress: bool = False,
    fresh_s: int = 0,
) -> None:
    """Send a JSON response, gzipped if `compress`; a retryable status gets a Retry-After header.

    Any cache may keep it for `fresh_s`; with 0 `middleware/security_headers.py` forbids it.
    """
    headers = [_JSON]
    if fresh_s:
        headers.append((b"cache-control", b"public, max-age=%d" % fresh_s))
        headers.append((b"vary", b"accept-encoding"))
    if cookie:
        headers.append((b"set-cookie", cookie.encode()))
    if is_worth_retrying(status):
        headers.append((b"retry-after", b"%d" % retry_after_s))
    if compress:
        headers.append((b"content-encoding", b"gzip"))
        if len(body) < _GZIP_IN_THREAD_BYTES:
            body = gzip.compress(body, compresslevel=1)
        else:
            body = await asyncio.to_thread(gzip.compress, body, compresslevel=1)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def stream_cookie(token: str, seconds: int, headers: Headers) -> str:
    """Returns a cookie that authorizes the event stream only, for `seconds`; hidden from scripts.

    The path limits it to the stream, except over TLS, where the `__Host-` prefix requires "/".
    """
    name = stream_cookie_name(headers)
    where = f"Path={STREAM_PATH}" if name == STREAM_COOKIE else "Path=/; Secure"
    return f"{name}={token}; {where}; Max-Age={seconds}; HttpOnly; SameSite=Strict"


def stream_cookie_name(headers: Headers) -> str:
    """Chosen by X-Forwarded-Proto; api/http/middleware drops it unless a trusted proxy sent it."""
    is_tls = headers.get(b"x-forwarded-proto") == b"https"
    return _STREAM_COOKIE_OVER_TLS if is_tls else STREAM_COOKIE
