"""CORS: which requests the app may send to this server if its page came from the other line.

The lines are origins that the operator configured. Their pages may make the app's calls, whose
token is a header, and open the event stream. Its cookie is SameSite=Strict, so the browser sends it
only if both lines are of one site. Other origins get no CORS headers, and no page may make staff or
gateway calls. Litestar's own CORS has one rule for the whole application, those calls included.
"""

from collections.abc import Iterable
from typing import Final

from litestar.types import Scope, Send

from api.http.transport import Fields, Headers, method_of

_APP_PATHS: Final = ("/api/index/", "/api/Lottery/", "/api/user/", "/api/fair/")
#: The app measures the latency of a line with it.
_HEALTH_PATH: Final = "/healthz"
#: Two hours, the longest time that every browser caches.
_PREFLIGHT_MAX_AGE_S: Final = 7_200
_PREFLIGHT: Final[Fields] = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"background, content-type, idempotency-key, token"),
    (b"access-control-max-age", b"%d" % _PREFLIGHT_MAX_AGE_S),
)
# The response depends on the origin, so that caches must keep one per origin.
_VARY: Final[Fields] = ((b"vary", b"origin"),)


class Cors:
    """CORS for the configured lines; without lines it allows no origin and adds no header."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._origins = frozenset(line.encode() for line in lines if line)

    def origin(self, path: str, headers: Headers) -> bytes:
        """Returns the line whose page sent this; empty for any other origin or path."""
        origin = headers.get(b"origin", b"")
        return origin if origin in self._origins and _allows_cors(path) else b""

    def fields(self, path: str, origin: bytes) -> Fields:
        """Returns the CORS headers of a response; `origin` is the requesting line, if any."""
        if not self._origins or not _allows_cors(path):
            return ()
        if not origin:
            return _VARY
        return (
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-credentials", b"true"),
            *_VARY,
        )


def is_preflight(scope: Scope, headers: Headers) -> bool:
    """Whether this is a preflight request."""
    return method_of(scope) == "OPTIONS" and b"access-control-request-method" in headers


async def send_preflight(send: Send) -> None:
    """Send the allowed methods and headers; the browser compares them with the page's request."""
    headers = list(_PREFLIGHT)
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _allows_cors(path: str) -> bool:
    return path == _HEALTH_PATH or path.startswith(_APP_PATHS)
