"""CORS between the server's two lines: a page loaded from one may call the API through the other.

A page of any other origin gets no permission, as tests/api/test_request_checks.py shows as well.
"""

import asyncio
from typing import Any

import httpx
import pytest

from api.http.middleware.rate_limiter import RateLimiter
from api.http.middleware.request_checks import with_request_checks
from api.ops.counters import Counters
from tests.api.support import DEADLINE_S, LINES, PASSWORD, ApiServer, Player, events, new_key
from tests.api.test_log_tree import seal

REQUEST_METHOD = "access-control-request-method"
ALLOWED = "access-control-allow-origin"
FROM_A_LINE = {"Origin": LINES[0], "Sec-Fetch-Site": "cross-site"}
STRANGERS = (
    "https://evil.example",
    "null",
    "*",
    "http://line1.example",
    "https://line1.example:8443",
    "https://line1.example.evil.example",
    "https://sub.line1.example",
    "https://LINE1.example",
    "https://line1.example/",
)


def crossing(headers: httpx.Headers) -> dict[str, str]:
    """The CORS headers of an answer."""
    return {name: value for name, value in headers.items() if name.startswith("access-control-")}


def preflight(
    house: ApiServer, origin: str, path: str = "/api/Lottery/playOrder"
) -> httpx.Response:
    """A browser's preflight request for a call from a page at `origin`."""
    headers = {"Origin": origin, REQUEST_METHOD: "POST", "Access-Control-Request-Headers": "token"}
    return house.client.options(path, headers=headers)


def test_the_app_gets_its_lines(house: ApiServer) -> None:
    config = house.client.get("/api/index/index").json()["data"]
    assert config["lines"] == list(LINES)


@pytest.mark.parametrize("line", LINES)
def test_a_page_at_a_line_may_bet_by_the_other(player: Player, house: ApiServer, line: str) -> None:
    preflighted = preflight(house, line)
    assert (preflighted.status_code, preflighted.content) == (204, b"")
    assert preflighted.headers["vary"] == "origin"
    assert crossing(preflighted.headers) == {
        ALLOWED: line,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "background, content-type, idempotency-key, token",
        "access-control-max-age": "7200",
    }
    headers = {"Origin": line, "Sec-Fetch-Site": "cross-site", "token": player.token}
    headers["Idempotency-Key"] = new_key()
    answer = house.client.post("/api/Lottery/playOrder", json=house.order(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (200, 1)
    assert (answer.headers["vary"], answer.headers[ALLOWED]) == ("origin", line)
    assert player.balance() == 990


@pytest.mark.parametrize("origin", STRANGERS)
def test_a_page_elsewhere_is_given_no_word_of_permission(
    player: Player, house: ApiServer, origin: str
) -> None:
    preflighted = preflight(house, origin)
    assert (preflighted.status_code, crossing(preflighted.headers)) == (405, {})
    headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site", "token": player.token}
    answer = house.client.post("/api/Lottery/playOrder", json=house.order(), headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (403, "cross_site")
    assert (answer.headers["vary"], crossing(answer.headers)) == ("origin", {})
    public = house.client.get("/api/index/index", headers=headers)
    assert (public.headers["vary"], crossing(public.headers)) == ("origin", {})
    assert player.balance() == 1000


def test_a_page_at_a_line_can_read_why_it_is_refused(house: ApiServer) -> None:
    unknown = house.client.post("/api/user/userInfo", json={}, headers=FROM_A_LINE)
    at_the_front = house.client.get(f"/api/index/{'x' * 5_000}", headers=FROM_A_LINE)
    assert (unknown.json()["code"], at_the_front.status_code) == (50008, 414)
    assert unknown.headers[ALLOWED] == at_the_front.headers[ALLOWED] == LINES[0]


def test_a_page_at_a_line_may_follow_the_log(house: ApiServer) -> None:
    seal(house)
    for path in ("checkpoint", "proof/inclusion?position=1&size=1"):
        answer = house.client.get(f"/api/fair/{path}", headers=FROM_A_LINE)
        assert (answer.status_code, answer.headers[ALLOWED]) == (200, LINES[0])
        assert answer.headers["vary"] == "origin"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/office/queue", 403),
        ("/api/gateway/notify", 403),
        ("/api/nothing", 403),
        ("/api//office/queue", 403),
        ("/vip/", 200),
        ("/schema", 200),
        ("/readyz", 200),
        ("/metrics", 200),
    ],
)
def test_what_is_not_the_apps_is_for_no_other_page(
    house: ApiServer, path: str, status: int
) -> None:
    preflighted = preflight(house, LINES[0], path)
    answer = house.client.request(
        "POST" if status == 403 else "GET", path, json={}, headers=FROM_A_LINE
    )
    assert answer.status_code == status
    assert crossing(preflighted.headers) == crossing(answer.headers) == {}


def test_an_answering_line_can_be_distinguished_from_a_silent_one(house: ApiServer) -> None:
    answer = house.client.get("/healthz", headers=FROM_A_LINE)
    assert (answer.json(), answer.headers[ALLOWED]) == ({"status": "alive"}, LINES[0])


def test_signing_in_by_another_line_leaves_a_cookie_that_does_not_cross_sites(
    house: ApiServer,
) -> None:
    player = house.register()
    body = {"account": player.username, "password": PASSWORD}
    answer = house.client.post("/api/user/login", json=body, headers=FROM_A_LINE)
    house.client.cookies.clear()
    assert answer.json()["code"] == 1
    assert answer.headers["set-cookie"].endswith("; HttpOnly; SameSite=Strict")
    assert answer.headers["access-control-allow-credentials"] == "true"


def stream_start(
    house: ApiServer, player: Player, user_id: int, **headers: str
) -> tuple[httpx.Headers, Any]:
    """The stream's headers and its first heartbeat, with the player's cookie."""
    query = {"game_id": 1, "plan_id": 1, "user_id": user_id}
    cookie = {"Cookie": f"fairdraw_stream={player.token}", **headers}
    with (
        httpx.Client(base_url=house.url, timeout=DEADLINE_S) as client,
        client.stream("GET", "/api/Lottery/stream", params=query, headers=cookie) as answer,
    ):
        name, data = next(events(answer.iter_lines()))
        assert name == "heart"
        return answer.headers, data


def test_a_page_at_a_line_may_listen_by_the_other(player: Player, house: ApiServer) -> None:
    headers, heart = stream_start(house, player, player.id, **FROM_A_LINE)
    assert heart["user_quantity"]["money"] == 1000
    assert headers[ALLOWED] == LINES[0]
    assert headers["access-control-allow-credentials"] == "true"


def test_a_stream_for_another_player_than_the_cookies_owner_is_public(
    player: Player, house: ApiServer
) -> None:
    _, heart = stream_start(house, player, house.register().id)
    assert heart["user_quantity"] is None


def test_the_pages_may_call_the_lines_and_nothing_else(house: ApiServer) -> None:
    policy = house.client.get("/vip/").headers["content-security-policy"]
    assert f" connect-src 'self' {LINES[0]} {LINES[1]};" in policy
    assert "default-src 'self'; script-src 'self';" in policy


def test_the_pages_may_reach_the_socket_of_customer_service_and_nothing_else() -> None:
    _, headers = front_response("/vip/", {b"host": b"a"}, "wss://help.example/live")
    policy = headers["content-security-policy"]
    assert " connect-src 'self' wss://help.example/live;" in policy
    assert policy.count("help.example") == 1


def front_response(
    path: str, headers: dict[bytes, bytes], service: str = ""
) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer of a server without lines."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        await asyncio.sleep(0)
        sent.append(message)

    async def yes(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "headers": list(headers.items()),
    }
    app = with_request_checks(yes, RateLimiter(1, lambda: 0.0), (), Counters(), ("", ""), service)
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found


@pytest.mark.parametrize("origin", [b"https://line1.example", b""])
def test_without_lines_no_other_page_is_spoken_of(origin: bytes) -> None:
    status, headers = front_response("/api/user/userInfo", {b"host": b"a", b"origin": origin})
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control-") or name == "vary"]
    _, headers = front_response("/vip/", {b"host": b"a"})
    assert " connect-src 'self';" in headers["content-security-policy"]
