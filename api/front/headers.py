"""The headers that go with every answer, whichever part of the program gave it (ASVS 3.4)."""

from typing import Final

from litestar.types import Message, Send

PAGE: Final = "/vip"
DESCRIPTION: Final = "/schema"
REQUEST_ID_HEADER: Final = b"x-request-id"
_Headers = tuple[tuple[bytes, bytes], ...]

_ALWAYS: Final[_Headers] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # Otherwise the server names itself.
    (b"server", b"fairdraw"),
)
_OF_PAGES: Final[_Headers] = (
    (
        b"content-security-policy",
        (
            b"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            b" img-src 'self' data: blob:; connect-src 'self'; object-src 'none';"
            b" base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
    ),
    *_ALWAYS,
)
_OF_CALLS: Final[_Headers] = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
    *_ALWAYS,
)
# A page without a script, and with a style sheet of its own.
_OF_DESCRIPTION: Final[_Headers] = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"cache-control", b"no-store"),
    *_ALWAYS,
)
_OVER_TLS: Final[_Headers] = ((b"strict-transport-security", b"max-age=31536000"),)


def with_headers(send: Send, path: str, request_id: str, *, secure: bool) -> Send:
    """Send with the headers of this path's answers; pages say themselves how long they keep."""
    of_all = _of(path)
    if secure:
        of_all += _OVER_TLS
    request = (REQUEST_ID_HEADER, request_id.encode())

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *of_all, request]
        await send(message)

    return sending


def _of(path: str) -> _Headers:
    if path.startswith(PAGE):
        return _OF_PAGES
    return _OF_DESCRIPTION if path.rstrip("/") == DESCRIPTION else _OF_CALLS
