"""The client address: the peer, or the address that a trusted proxy forwards."""

import asyncio
from http.cookies import SimpleCookie
from ipaddress import ip_network
from typing import Any

import pytest

from api.http.middleware.client_address import client_info, rate_limit_key
from api.http.middleware.rate_limiter import RateLimiter
from api.http.middleware.request_checks import with_request_checks
from api.http.transport import stream_cookie
from api.ops.counters import Counters
from api.setting_types import SettingsError
from api.settings import read

PROXIES = (ip_network("10.0.0.0/8"), ip_network("127.0.0.1/32"))
FORWARDED = {
    b"x-forwarded-for": b"198.51.100.7",
    b"x-forwarded-proto": b"https",
    b"x-forwarded-host": b"play.example",
    b"host": b"inside",
}


def scope_of(peer: str, headers: dict[bytes, bytes], method: str = "POST") -> Any:
    return {
        "type": "http",
        "method": method,
        "path": "/api/user/login",
        "raw_path": b"/api/user/login",
        "query_string": b"",
        "client": (peer, 50_000),
        "headers": list(headers.items()),
    }


def address_of(peer: str, forwarded: str) -> str:
    headers = {b"x-forwarded-for": forwarded.encode()}
    return client_info(scope_of(peer, headers), headers, PROXIES).address


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "6.6.6.6, 198.51.100.7, 10.1.2.3", "198.51.100.7"),
        ("127.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "10.1.2.3", "127.0.0.1"),
        ("127.0.0.1", "6.6.6.6, nonsense", "127.0.0.1"),
        ("::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("203.0.113.9", "198.51.100.7", "203.0.113.9"),
        ("", "198.51.100.7", ""),
    ],
)
def test_only_a_trusted_proxy_is_believed_whom_it_speaks_for(
    peer: str, forwarded: str, address: str
) -> None:
    assert address_of(peer, forwarded) == address


def test_an_untrusted_clients_headers_are_dropped() -> None:
    scope = scope_of("203.0.113.9", FORWARDED)
    visitor = client_info(scope, FORWARDED, PROXIES)
    assert (visitor.host, visitor.secure) == (b"inside", False)
    assert scope["headers"] == [(b"host", b"inside"), (b"forwarded", b"for=unknown")]
    assert scope["client"] == ("203.0.113.9", 50_000)


def test_behind_a_trusted_proxy_the_calls_see_the_client() -> None:
    """Staff calls stay local, although the proxy runs on the machine itself."""
    scope = scope_of("127.0.0.1", FORWARDED)
    visitor = client_info(scope, FORWARDED, PROXIES)
    assert (visitor.host, visitor.secure) == (b"play.example", True)
    assert scope["client"][0] == "198.51.100.7"


def test_the_addresses_of_one_household_are_counted_as_one() -> None:
    assert rate_limit_key("2001:db8:1:2::a") == rate_limit_key("2001:db8:1:2:ffff::b")
    assert rate_limit_key("2001:db8:1:2::a") != rate_limit_key("2001:db8:1:3::a")
    assert rate_limit_key("::ffff:198.51.100.7") == rate_limit_key("198.51.100.7") == "198.51.100.7"
    assert rate_limit_key("") == ""


def front_response(peer: str, headers: dict[bytes, bytes]) -> tuple[int, dict[str, str]]:
    """Status and headers of the guards' answer before an application that accepts all."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        await asyncio.sleep(0)
        sent.append(message)

    async def yes(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": await _body_of(scope, receive)})

    app = with_request_checks(yes, RateLimiter(1, lambda: 0.0), PROXIES, Counters(), ())
    asyncio.run(app(scope_of(peer, headers), receive, send))  # type: ignore[arg-type]
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found


async def _body_of(scope: Any, receive: Any) -> Any:
    assert scope["type"] == "http"
    return (await receive())["body"]


def test_over_tls_browsers_get_strict_transport_security() -> None:
    status, headers = front_response("127.0.0.1", FORWARDED)
    assert (status, headers["strict-transport-security"]) == (200, "max-age=31536000")
    _, headers = front_response("203.0.113.9", FORWARDED)
    assert "strict-transport-security" not in headers


def test_the_apps_own_origin_is_the_one_requested_from_the_proxy() -> None:
    assert front_response("127.0.0.1", {**FORWARDED, b"origin": b"https://play.example"})[0] == 200
    assert front_response("127.0.0.1", {**FORWARDED, b"origin": b"https://inside"})[0] == 403
    assert (
        front_response("203.0.113.9", {**FORWARDED, b"origin": b"https://play.example"})[0] == 403
    )


def test_over_tls_the_cookie_has_the_host_prefix() -> None:
    cookie = stream_cookie("t0ken", 60, {b"x-forwarded-proto": b"https"})
    (name,) = SimpleCookie(cookie)
    assert name == "__Host-fairdraw_stream"
    assert {"Path=/", "Secure", "HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_proxies_are_addresses_or_networks() -> None:
    environment = {"FAIRDRAW_TRUSTED_PROXIES": "10.0.0.0/8, 127.0.0.1"}
    assert read([], environment).trusted_proxies == PROXIES
    assert read([], {}).trusted_proxies == ()
    for wrong in ("proxy.example", "10.0.0.1/8", "10.0.0.0/8;127.0.0.1"):
        with pytest.raises(SettingsError, match="FAIRDRAW_TRUSTED_PROXIES"):
            read([], {"FAIRDRAW_TRUSTED_PROXIES": wrong})


def test_the_rates_can_be_multiplied_and_not_switched_off() -> None:
    assert read([], {}).rate_factor == 1
    assert read([], {"FAIRDRAW_RATE_FACTOR": "1000000"}).rate_factor == 1_000_000
    for wrong in ("0", "-1", "off", "1.5", "1000001", "9" * 5000, "²"):
        with pytest.raises(SettingsError, match="FAIRDRAW_RATE_FACTOR"):
            read([], {"FAIRDRAW_RATE_FACTOR": wrong})
