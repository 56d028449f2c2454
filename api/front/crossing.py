"""What the app may ask of this house where its page came by another line (CORS).

The lines are origins that the operator named. Their pages may make the app's calls, whose token is
a header, and open the stream, whose cookie the browser sends only where both lines are of one site
(it is SameSite=Strict). No other origin is given a word, and the staff's and the gateway's calls
are for no page at all.
"""

from collections.abc import Iterable
from typing import Final

from litestar.types import Scope, Send

from api.transport import Fields, Headers, method_of

_APP_PATHS: Final = ("/api/index/", "/api/Lottery/", "/api/user/")
#: By which the app measures how long a line takes.
_HEALTH_PATH: Final = "/healthz"
#: Two hours, the longest that every browser remembers.
_PREFLIGHT_MAX_AGE_S: Final = 7_200
_PREFLIGHT: Final[Fields] = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"background, content-type, idempotency-key, token"),
    (b"access-control-max-age", b"%d" % _PREFLIGHT_MAX_AGE_S),
)
# What is told to one origin is not for another: caches must know.
_VARY: Final[Fields] = ((b"vary", b"origin"),)


class Cors:
    """Knows the lines; with none, nothing crosses and no header says a word of it."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._origins = frozenset(line.encode() for line in lines if line)

    def origin(self, path: str, headers: Headers) -> bytes:
        """The line whose page has sent this; empty for any other sender, and for other paths."""
        origin = headers.get(b"origin", b"")
        return origin if origin in self._origins and _allows_cors(path) else b""

    def fields(self, path: str, origin: bytes) -> Fields:
        """What goes with the answers of a path; `origin` is the line that has asked, if any."""
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
    """Whether a browser asks, before a page's own request, if it may send it."""
    return method_of(scope) == "OPTIONS" and b"access-control-request-method" in headers


async def send_preflight(send: Send) -> None:
    """Yes; the browser compares what is allowed with what the page wants."""
    headers = list(_PREFLIGHT)
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _allows_cors(path: str) -> bool:
    return path == _HEALTH_PATH or path.startswith(_APP_PATHS)
