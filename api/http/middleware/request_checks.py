"""Checks of every request before routing, in this order.

1. A URL or headers that are too long: 414, 431.
2. Too many requests of one session or one address: 429 with Retry-After.
3. Requests sent by a page of another site that could change something or carry the cookie: 403.
   A page at one of the operator's lines is not another site (cors.py).
"""

import itertools
import re
import secrets
from collections.abc import Sequence
from time import perf_counter
from typing import Final

import structlog
from litestar.types import ASGIApp, Receive, Scope, Send

from api.http.envelope import refused, status_of
from api.http.localization import translations_of_browser
from api.http.middleware.client_address import (
    ClientInfo,
    Network,
    client_info,
    is_cross_site,
    may_change,
    rate_limit_key,
)
from api.http.middleware.cors import Cors, is_preflight, send_preflight
from api.http.middleware.rate_limiter import RateLimiter
from api.http.middleware.security_headers import SecurityHeaders, with_headers
from api.http.refusals import CallRefused
from api.http.transport import (
    ADDRESS,
    REQUEST_ID,
    STREAM_PATH,
    Headers,
    headers_of,
    method_of,
    reading_first,
    send_json,
)
from api.ops.counters import ACCEPTED, Counters
from engine.answers import Refused
from engine.refusals import Refusal

COUNTED_AS: Final = "front"
_SLASHES: Final = re.compile("/+")
_log = structlog.get_logger()
MAX_URL_BYTES: Final = 4 * 1024
MAX_HEADERS: Final = 64
MAX_HEADER_BYTES: Final = 16 * 1024


def with_request_checks(
    app: ASGIApp,
    limiter: RateLimiter,
    proxies: tuple[Network, ...],
    measures: Counters,
    lines: Sequence[str],
    service: str = "",
) -> ASGIApp:
    """Pass requests to `app`, each with an id for its response and its log lines.

    The app's pages may also connect to `lines` and to `service`, customer service's web socket.

    Requests that are answered here count under one route label, because clients choose the paths.
    """
    cors, security_headers = Cors(lines), SecurityHeaders((*lines, service))
    prefix, numbers = secrets.token_hex(4), itertools.count(1)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if not method_of(scope):
            await app(scope, receive, send)
            return
        path = scope["path"] = normalize_path(scope["path"])
        request_id = f"{prefix}-{next(numbers):x}"
        REQUEST_ID.set(request_id)
        headers = headers_of(scope)
        client = client_info(scope, headers, proxies)
        origin = cors.origin(path, headers)
        fields = security_headers.fields(path, secure=client.secure) + cors.fields(path, origin)
        receive, send = reading_first(receive, send, headers)
        sending = with_headers(send, fields, request_id)
        retry_after_s, began = 0, perf_counter()
        try:
            _check_size(scope)
            token = headers.get(b"token", b"")
            address = rate_limit_key(client.address)
            ADDRESS.set(address)
            retry_after_s = limiter.retry_after_s(path, address, token)
            if retry_after_s:
                raise CallRefused(Refusal.RATE_LIMITED)
            if not origin:
                _check_site(scope, headers, client)
        except CallRefused as refusal:
            await _refuse(sending, refusal.refused, headers, retry_after_s)
            measures.answered(COUNTED_AS, refusal.refused.refusal, perf_counter() - began)
            return
        if origin and is_preflight(scope, headers):
            await send_preflight(sending)
            measures.answered(COUNTED_AS, ACCEPTED, perf_counter() - began)
            return
        try:
            await app(scope, receive, sending)
        except Exception:
            # The response has begun, so that the client cannot get an error any more.
            _log.exception("answer broken off", path=path)
            raise

    return answer


def normalize_path(path: str) -> str:
    """Returns the path without repeated and trailing slashes, which the router also ignores.

    All code after this sees the same path as the router.
    """
    if "//" not in path and not path.endswith("/"):
        return path
    return _SLASHES.sub("/", path).rstrip("/") or "/"


def _check_size(scope: Scope) -> None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URL_BYTES:
        raise CallRefused(Refusal.URL_TOO_LONG)
    sizes = [len(name) + len(value) for name, value in scope["headers"]]
    if len(sizes) > MAX_HEADERS or sum(sizes) > MAX_HEADER_BYTES:
        raise CallRefused(Refusal.HEADERS_TOO_LARGE)


def _check_site(scope: Scope, headers: Headers, client: ClientInfo) -> None:
    """Raises CallRefused. The event stream is included, because its cookie is sent by any page."""
    guarded = may_change(method_of(scope)) or scope["path"] == STREAM_PATH
    if guarded and is_cross_site(headers, client.host):
        raise CallRefused(Refusal.CROSS_SITE)


async def _refuse(send: Send, answer: Refused, headers: Headers, retry_after_s: int) -> None:
    """Send a refusal in the browser's language; the body with the app's language is not read."""
    body = refused(answer, translations_of_browser(headers), REQUEST_ID.get())
    await send_json(send, status_of(answer.refusal), body, retry_after_s=retry_after_s)
