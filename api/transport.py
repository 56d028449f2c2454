"""Bytes in, bytes out: reading a request's body and sending an answer, on bare ASGI."""

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

from api.envelope import RETRY_AFTER_S, CallRefused, is_worth_retrying
from engine.refusals import Refusal

BODY_LIMIT: Final = 64 * 1024
BODY_TIMEOUT_S = 10.0
_MAX_DRAINED_BYTES: Final = 4 * 1024 * 1024
_FORM: Final = b"application/x-www-form-urlencoded"
#: Below this, packing saves next to nothing: an answer fits a packet or two.
_MIN_GZIP_BYTES: Final = 2 * 1024
#: From here on, packing takes long enough to be done in another thread.
_GZIP_IN_THREAD_BYTES: Final = 32 * 1024
_REFUSED: Final = re.compile(rb"q=0(\.0*)?")
_JSON: Final = (b"content-type", b"application/json; charset=utf-8")

#: What is counted as the caller's address.
ADDRESS: Final[ContextVar[str]] = ContextVar("address", default="")
REQUEST_ID: Final[ContextVar[str]] = ContextVar("request_id", default="")

Headers = dict[bytes, bytes]
#: The headers of an answer.
Fields = tuple[tuple[bytes, bytes], ...]


def headers_of(scope: Scope) -> Headers:
    """The request's headers by lower-case name."""
    return dict(scope["headers"])


def encodings_of(headers: Headers) -> set[bytes]:
    """The content encodings that the client takes by name."""
    accept_encoding = headers.get(b"accept-encoding", b"").lower().replace(b" ", b"")
    parts = (part.partition(b";") for part in accept_encoding.split(b","))
    return {name for name, _, weight in parts if not _REFUSED.fullmatch(weight)}


def method_of(scope: Scope) -> str:
    """The request's method; empty for what is no HTTP request."""
    return str(scope.get("method", ""))


def query_of(scope: Scope) -> dict[str, str]:
    """The fields of the query string; the last of a repeated one."""
    return dict(parse_qsl(scope["query_string"].decode("latin-1")))


async def read_body(receive: Receive, headers: Headers) -> bytes:
    """The whole body, which has to come in time.

    One above the limit is refused, after having been read to be answered.
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
        # The empty message that ends a body of known length need not be waited for.
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
    """Both, such that an answer begins only when somebody has begun to read the body.

    The server closes a connection over a body that nobody read, and the caller who was still
    sending loses the answer with it.
    """
    if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
        return receive, send
    begun = False

    async def receiving() -> HTTPReceiveMessage | WebSocketReceiveMessage:
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


async def has_disconnected(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def is_form(headers: Headers, body: bytes) -> bool:
    """Whether the body is form-encoded; any other, or what looks like JSON, is JSON."""
    return headers.get(b"content-type", b"").startswith(_FORM) and not body.startswith(b"{")


def form_fields(body: bytes) -> dict[str, Any]:
    """The fields of a form-encoded body."""
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None


def should_gzip(body: bytes, headers: Headers) -> bool:
    """Whether an answer to a request with these headers is long, and may be packed.

    That gives nothing away (BREACH): no other site can make a browser send the token, so none
    sees how long an answer to a member is.
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
) -> None:
    """Answer with JSON, by gzip if `packing`; a status that invites to ask again says when."""
    headers = [_JSON]
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
