"""The cookie that authorizes the event stream: browsers send no headers of the app with it."""

from typing import Final

from api.http.transport import Headers

STREAM_PATH: Final = "/api/Lottery/stream"
COOKIE: Final = "fairdraw_stream"
# No neighbouring site and no unencrypted response can set this name (RFC 6265bis, 4.1.3.2).
_COOKIE_OVER_TLS: Final = f"__Host-{COOKIE}"


def stream_cookie(token: str, seconds: int, headers: Headers) -> str:
    """Returns a cookie that authorizes the event stream only, for `seconds`; hidden from scripts.

    The path limits it to the stream, except over TLS, where the `__Host-` prefix requires "/".
    """
    name = cookie_name(headers)
    where = f"Path={STREAM_PATH}" if name == COOKIE else "Path=/; Secure"
    return f"{name}={token}; {where}; Max-Age={seconds}; HttpOnly; SameSite=Strict"


def cookie_name(headers: Headers) -> str:
    """Chosen by X-Forwarded-Proto, which api/http/middleware keeps from trusted proxies only."""
    return _COOKIE_OVER_TLS if headers.get(b"x-forwarded-proto") == b"https" else COOKIE
