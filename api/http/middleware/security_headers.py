"""CSP and other security headers of every response, from any part of the server (ASVS 3.4)."""

from collections.abc import Iterable
from typing import Final

from litestar.types import Message, Send

from api.http.transport import Fields

PAGE: Final = "/vip"
DESCRIPTION: Final = "/schema"
LOG: Final = "/api/fair/"
_PUBLIC_LOG: Final = tuple(f"{LOG}{part}" for part in ("checkpoint", "tile/", "proof/"))
REQUEST_ID_HEADER: Final = b"x-request-id"

_ALWAYS: Final[Fields] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # Replaces the name of the ASGI server.
    (b"server", b"fairdraw"),
)
_CACHE: Final = b"cache-control"
_WITHOUT_CONTENT: Final = (
    b"content-security-policy",
    b"default-src 'none'; frame-ancestors 'none'",
)
_OF_CALLS: Final[Fields] = (_WITHOUT_CONTENT, (_CACHE, b"no-store"), *_ALWAYS)
_OF_LOG: Final[Fields] = (_WITHOUT_CONTENT, *_ALWAYS)
# A page without scripts and with one style sheet.
_OF_DESCRIPTION: Final[Fields] = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (_CACHE, b"no-store"),
    *_ALWAYS,
)
_OVER_TLS: Final[Fields] = ((b"strict-transport-security", b"max-age=31536000"),)


class SecurityHeaders:
    """The headers by path; the app's pages may also connect to these addresses."""

    def __init__(self, addresses: Iterable[str]) -> None:
        reached = " ".join(("'self'", *filter(None, addresses)))
        policy = (
            "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            f" img-src 'self' data: blob:; connect-src {reached}; object-src 'none';"
            " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        self._of_pages: Fields = ((b"content-security-policy", policy.encode()), *_ALWAYS)

    def fields(self, path: str, *, secure: bool) -> Fields:
        """Returns the headers of a path; files and the public log add cache-control."""
        of_all = self._of(path)
        return of_all + _OVER_TLS if secure else of_all

    def _of(self, path: str) -> Fields:
        if path.startswith(PAGE):
            return self._of_pages
        if path.startswith(_PUBLIC_LOG):
            return _OF_LOG
        return _OF_DESCRIPTION if path.rstrip("/") == DESCRIPTION else _OF_CALLS


def with_headers(send: Send, fields: Fields, request_id: str) -> Send:
    """Wrap `send`, so that every response has these headers and the request's id.

    A response's own cache-control replaces that of `fields`.
    """
    request = (REQUEST_ID_HEADER, request_id.encode())

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own, added = message.get("headers", ()), fields
            if any(name == _CACHE for name, _ in own):
                added = tuple(field for field in fields if field[0] != _CACHE)
            message["headers"] = [*own, *added, request]
        await send(message)

    return sending
