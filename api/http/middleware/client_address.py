"""The client's address behind reverse proxies, and whether another site's page sent the request.

The headers X-Forwarded-For, -Proto and -Host are used if the connection comes from a proxy that the
operator trusts. From any other peer they are removed from the request.
"""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from litestar.types import Scope
from msgspec import Struct

from api.http.transport import Headers

Network = IPv4Network | IPv6Network
_FORWARDED: Final = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host")
_OWN_SITE: Final = frozenset({b"same-origin", b"none"})
_READ_ONLY: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class ClientInfo(Struct, frozen=True, gc=False):
    """`address` is an IP address or empty, `host` the requested host.

    `secure` is true if the client's own connection is encrypted.
    """

    address: str
    host: bytes
    secure: bool


def client_info(scope: Scope, headers: Headers, proxies: tuple[Network, ...]) -> ClientInfo:
    """Returns the client; removes the forwarding headers of an untrusted peer from the scope."""
    client = scope.get("client")
    peer = client[0] if client else ""
    host = headers.get(b"host", b"")
    if not _is_within(peer, proxies):
        if any(name in headers for name in _FORWARDED):
            remaining = [pair for pair in scope["headers"] if pair[0] not in _FORWARDED]
            # Keep the information that a proxy was involved (RFC 7239, 6.2).
            scope["headers"] = [*remaining, (b"forwarded", b"for=unknown")]
        return ClientInfo(peer, host, secure=False)
    address = _forwarded(headers.get(b"x-forwarded-for", b""), proxies) or peer
    scope["client"] = (address, 0)
    secure = headers.get(b"x-forwarded-proto") == b"https"
    return ClientInfo(address, headers.get(b"x-forwarded-host", host), secure)


def is_cross_site(headers: Headers, host: bytes) -> bool:
    """Whether a page of another site sent this. Clients other than browsers send neither header."""
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITE
    origin = headers.get(b"origin")
    return origin is not None and origin.partition(b"://")[2] != host


def may_change(method: str) -> bool:
    """Whether a request of this method may change anything."""
    return method not in _READ_ONLY


@lru_cache(maxsize=4096)
def rate_limit_key(address: str) -> str:
    """Returns the rate-limit key: for IPv6 the /64 prefix, which one customer controls."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return address if parsed is None else str(parsed)


def _forwarded(header: bytes, proxies: tuple[Network, ...]) -> str:
    """Returns the last address that is not a trusted proxy; each proxy appends its client's."""
    for part in reversed(header.decode("latin-1").split(",")):
        parsed = _parsed(part.strip())
        if parsed is None:
            return ""
        if not _is_within(str(parsed), proxies):
            return str(parsed)
    return ""


@lru_cache(maxsize=4096)
def _is_within(address: str, networks: Sequence[Network]) -> bool:
    if not networks:
        return False
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in networks)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed
