"""Headers of every answer, and requests that are refused before they reach a handler."""

from typing import Any

import httpx
import msgspec
import pytest

from api.http import transport
from api.http.middleware.request_checks import MAX_HEADER_BYTES, MAX_HEADERS, MAX_URL_BYTES
from tests.api import catalogue
from tests.api.door import raw_exchange
from tests.api.support import ApiServer, Player

GUARDED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "server": "fairdraw",
}
CALLS_POLICY = "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/user/userInfo", 200),
        ("GET", "/api/index/index", 200),
        ("GET", "/api/user/login", 405),
        ("OPTIONS", "/api/user/login", 405),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing", 404),
        ("GET", "/api/Lottery/stream", 400),
        ("GET", "/healthz", 200),
        ("GET", "/readyz", 200),
        ("GET", "/schema/openapi.json", 200),
        ("GET", "/metrics", 200),
        ("GET", "/", 302),
        ("GET", f"/api/{'x' * MAX_URL_BYTES}", 414),
    ],
)
def test_every_answer_carries_the_headers_that_guard_it(
    house: ApiServer, method: str, path: str, status: int
) -> None:
    house.catch_up()
    answer = house.client.request(method, path, follow_redirects=False)
    assert answer.status_code == status, answer.text
    assert GUARDED.items() <= dict(answer.headers).items()
    assert answer.headers["content-security-policy"] == CALLS_POLICY
    assert answer.headers.get_list("cache-control") == ["no-store"]
    assert "camera=()" in answer.headers["permissions-policy"]
    assert "strict-transport-security" not in answer.headers


@pytest.mark.parametrize(
    ("taken", "is_packed"),
    [
        ("gzip", True),
        ("br, GZIP ; q=0.5", True),
        ("", False),
        ("identity, br", False),
        ("gzip; q=0", False),
        ("deflate, gzip;q=0.00", False),
    ],
)
def test_a_long_answer_is_packed_where_that_is_taken(
    house: ApiServer, taken: str, is_packed: bool
) -> None:
    """Long answers are compressed for slow mobile lines; an answer that fits one packet is not."""
    house.catch_up()
    headers = {"Accept-Encoding": taken}
    about = {"game_id": 1, "plan_id": 1}
    long = house.client.post("/api/Lottery/oddsList", json=about, headers=headers)
    assert (long.headers.get("content-encoding") == "gzip") is is_packed
    assert long.json()["code"] == 1
    assert len(long.content) > 2_000
    assert (int(long.headers["content-length"]) < len(long.content)) is is_packed
    short = house.client.post("/api/user/userInfo", headers=headers)
    assert "content-encoding" not in short.headers


@pytest.mark.parametrize("path", ["/vip/", "/vip/deep/link", "/vip/assets/gone.js"])
def test_the_pages_may_load_their_own_scripts_and_no_others(house: ApiServer, path: str) -> None:
    answer = house.client.get(path)
    assert GUARDED.items() <= dict(answer.headers).items()
    (policy,) = answer.headers.get_list("content-security-policy")
    assert "script-src 'self';" in policy
    assert len(answer.headers.get_list("cache-control")) == 1


def test_the_description_may_load_its_own_style_and_nothing_else(house: ApiServer) -> None:
    for path in ("/schema", "/schema/"):
        answer = house.client.get(path)
        assert GUARDED.items() <= dict(answer.headers).items()
        (policy,) = answer.headers.get_list("content-security-policy")
        assert "default-src 'none'; style-src 'self';" in policy
    assert house.client.get("/schema/page.css").status_code == httpx.codes.OK


def test_the_stream_carries_them_too(house: ApiServer) -> None:
    query = {"game_id": 1, "plan_id": 1}
    with house.client.stream("GET", "/api/Lottery/stream", params=query) as answer:
        assert GUARDED.items() <= dict(answer.headers).items()
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/user/userInfo"),
        ("GET", "/api/index/index"),
        ("GET", "/api/nothing"),
        ("GET", "/api/user/login"),
        ("GET", "/api/Lottery/stream"),
        ("GET", f"/api/{'x' * MAX_URL_BYTES}"),
    ],
)
def test_the_request_id_of_the_header_is_that_of_the_envelope(
    house: ApiServer, method: str, path: str
) -> None:
    answers = [house.client.request(method, path) for _ in range(2)]
    first, second = (answer.headers["x-request-id"] for answer in answers)
    assert first != second
    assert [answer.json()["request_id"] for answer in answers] == [first, second]


FOREIGN: dict[str, dict[str, str]] = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a neighbouring site": {"Sec-Fetch-Site": "same-site"},
    "another origin": {"Origin": "https://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "an origin that says nothing": {"Origin": "null"},
    "what a browser says last": {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"},
}
OWN: dict[str, dict[str, str]] = {
    "no browser": {},
    "the app": {"Sec-Fetch-Site": "same-origin", "Origin": "http://{host}"},
    "the app in an old browser": {"Origin": "http://{host}"},
    "a typed address": {"Sec-Fetch-Site": "none"},
    "the app behind a proxy that renames it": {
        "Sec-Fetch-Site": "same-origin",
        "Origin": "https://play.example",
    },
}


def formatted(headers: dict[str, str], house: ApiServer) -> dict[str, str]:
    host = f"127.0.0.1:{house.settings.port}"
    return {name: value.format(host=host) for name, value in headers.items()}


@pytest.mark.parametrize("case", FOREIGN)
def test_another_site_can_have_nothing_sent(player: Player, house: ApiServer, case: str) -> None:
    headers = formatted(FOREIGN[case], house) | {"token": player.token}
    body = house.order()
    answer = house.client.post("/api/Lottery/playOrder", json=body, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (403, "cross_site")
    assert player.balance() == 1000


@pytest.mark.parametrize("case", OWN)
def test_the_app_and_clients_that_are_no_browsers_are_served(
    player: Player, house: ApiServer, case: str
) -> None:
    headers = formatted(OWN[case], house) | {"token": player.token}
    answer = house.client.post("/api/user/profile", json={"avatar": 3}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (200, 1)


@pytest.mark.parametrize(
    "path",
    [
        "/api/Lottery/stream",
        "/api/Lottery/stream/",
        "/api//Lottery/stream",
        "/api/Lottery//stream/",
    ],
)
@pytest.mark.parametrize("case", FOREIGN)
def test_another_site_cannot_listen_with_the_members_cookie(
    player: Player, house: ApiServer, case: str, path: str
) -> None:
    headers = formatted(FOREIGN[case], house) | {"Cookie": f"fairdraw_stream={player.token}"}
    answer = house.client.get(path, params={"game_id": 1, "plan_id": 1}, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (403, "cross_site")


def test_another_site_may_link_to_the_app(house: ApiServer) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert house.client.get("/vip/", headers=headers).status_code == 200
    assert house.client.get("/", headers=headers, follow_redirects=False).status_code == 302


def test_the_front_answers_in_the_browsers_language(house: ApiServer) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Accept-Language": "zh-CN,zh;q=0.9"}
    answer = house.client.post("/api/user/userInfo", json={}, headers=headers)
    assert answer.json()["msg"].startswith("该请求来自其他网站")


@pytest.mark.parametrize(
    "headers",
    [
        {"x-padding": "x" * MAX_HEADER_BYTES},
        {f"x-{number}": "1" for number in range(MAX_HEADERS)},
    ],
)
def test_headers_beyond_all_measure_are_refused(house: ApiServer, headers: dict[str, str]) -> None:
    answer = house.client.post("/api/user/userInfo", json={}, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (431, "headers_too_large")


def test_an_address_beyond_all_measure_is_refused(house: ApiServer) -> None:
    answer = house.client.get("/api/index/index", params={"lang": "x" * MAX_URL_BYTES})
    assert (answer.status_code, answer.json()["reason"]) == (414, "url_too_long")


def test_an_address_and_headers_of_usual_length_are_served(house: ApiServer) -> None:
    headers = {f"x-{number}": "y" * 200 for number in range(40)}
    answer = house.client.get("/api/index/index", params={"lang": "x" * 2000}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (200, 1)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/user/userInfo", 403),
        ("GET", "/api/user/userInfo", 405),
        ("GET", "/schema", 200),
    ],
)
def test_who_is_still_sending_gets_the_whole_answer(
    house: ApiServer, method: str, path: str, status: int
) -> None:
    """Repeated fifty times: closing a connection with an unread body loses one answer in four."""
    for _ in range(50):
        answer = house.client.request(
            method, path, json={"lang": "x" * 60_000}, headers={"Sec-Fetch-Site": "cross-site"}
        )
        assert answer.status_code == status


HEAD = b"POST /api/user/userInfo HTTP/1.1\r\nHost: fairdraw\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize("body", [b"", b'{"lang":'])
def test_a_body_that_does_not_come_in_time_is_not_waited_for(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr(transport, "BODY_TIMEOUT_S", 0.2)
    head, _, answer = raw_exchange(house, HEAD % 100 + body).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    envelope: dict[str, Any] = msgspec.json.decode(answer)
    assert envelope["reason"] == "body_too_slow"
    catalogue.saw(envelope["reason"])
    assert f"x-request-id: {envelope['request_id']}".encode() in head


@pytest.mark.slow
def test_headers_that_do_not_come_in_time_end_the_connection(house: ApiServer) -> None:
    assert raw_exchange(house, b"POST /api/user/userInfo HTTP/1.1\r\nHost: fair") == b""


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: %b\r\n\r\n" % (b"y" * 300_000),
        b"GET /%b HTTP/1.1\r\nHost: a\r\n\r\n" % (b"y" * 300_000),
    ],
)
def test_an_invalid_request_ends_only_its_connection(house: ApiServer, sent: bytes) -> None:
    try:
        answer = raw_exchange(house, sent)
    except ConnectionError:
        answer = b""
    assert b"200 OK" not in answer
    assert house.client.get("/healthz").status_code == httpx.codes.OK
