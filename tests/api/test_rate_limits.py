"""Rate limits: no normal player waits, floods are limited, and Retry-After is correct."""

from collections.abc import Iterator

import httpx
import pytest

from api.http.asgi_app import CALLS
from api.http.middleware import rate_limiter
from api.http.middleware.rate_limiter import RateLimiter, class_of
from tests.api.door import Stopwatch, counting
from tests.api.support import ApiServer, Player, new_key

HEART, ORDER, LOGIN = "/api/Lottery/heart", "/api/Lottery/playOrder", "/api/user/login"
# Spellings of one path; the router treats them all as the same.
WAYS = (
    LOGIN,
    LOGIN + "/",
    LOGIN + "//",
    "/api/user//login",
    "/api//user/login",
    "/api/user/%6Cogin",
)
ADDRESS = "198.51.100.7"
WRONG = {"account": "nobody1234", "password": "not-this-one"}


@pytest.fixture
def watch(house: ApiServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stopwatch]:
    with counting(house, monkeypatch) as counted:
        yield counted


def token(number: int) -> bytes:
    return b"%043d" % number


def passed(limits: RateLimiter, path: str, times: int, address: str = ADDRESS, who: int = 1) -> int:
    """Send `times` requests at once and return how many are let through."""
    return sum(limits.retry_after_s(path, address, token(who)) == 0 for _ in range(times))


def test_signing_in_is_strict_for_an_address_whatever_the_name(
    house: ApiServer, watch: Stopwatch
) -> None:
    """GLI-19 2.5.3: the limit is per address, because one attacker may try many names."""
    answers = [
        house.client.post(WAYS[number % len(WAYS)], json={**WRONG, "account": f"name{number}"})
        for number in range(31)
    ]
    assert {answer.status_code for answer in answers[:30]} == {200}
    refused = answers[30]
    assert (refused.status_code, refused.json()["reason"]) == (429, "rate_limited")
    assert refused.json()["code"] == 0
    wait_s = int(refused.headers["retry-after"])
    watch.now += wait_s - 1
    assert house.client.post(LOGIN, json=WRONG).status_code == 429
    watch.now += 1
    assert house.client.post(LOGIN, json=WRONG).status_code == 200


def test_a_flood_of_one_session_leaves_others_at_its_address_alone(
    house: ApiServer, player: Player, watch: Stopwatch
) -> None:
    other = house.register()
    body = {"plan_id": 1, "game_id": 1}
    answers = [player.call("Lottery/heart", body) for _ in range(101)]
    assert [answer.get("reason") for answer in answers] == [None] * 100 + ["rate_limited"]
    assert other.call("Lottery/heart", body)["code"] == 1
    assert player.call("user/userInfo", {})["code"] == 1, "other calls are counted by themselves"
    assert watch.now == 1_000


def test_thirteen_items_bought_at_once_and_repeated_seven_times_pass(
    house: ApiServer, watch: Stopwatch
) -> None:
    player = house.register()
    house.next_round()
    keys = [new_key() for _ in range(13)]
    for _ in range(7):
        assert {player.bet("big", 1, key)["code"] for key in keys} == {1}
        watch.now += 2
    assert player.balance() == 987


def test_heartbeats_of_ten_tabs_pass_for_an_hour() -> None:
    watch = Stopwatch()
    limits = RateLimiter(1, watch)
    for _ in range(1_800):
        assert passed(limits, HEART, 10) == 10
        watch.now += 2


def test_five_hundred_phones_behind_one_router_are_served() -> None:
    watch = Stopwatch()
    limits = RateLimiter(1, watch)
    for _ in range(60):
        assert all(passed(limits, HEART, 1, who=phone) for phone in range(500))
        watch.now += 2


def test_new_tokens_do_not_help_a_flood_from_one_address() -> None:
    limits = RateLimiter(1, Stopwatch())
    let_through = sum(passed(limits, HEART, 1, who=number) for number in range(20_000))
    assert let_through == class_of(HEART).address.burst


def test_what_is_no_token_is_counted_for_its_address_alone() -> None:
    limits = RateLimiter(1, Stopwatch())
    waits = {
        limits.retry_after_s(ORDER, ADDRESS, b"short") for _ in range(class_of(ORDER).session.burst)
    }
    assert limits.retry_after_s(ORDER, ADDRESS, b"short") == 0
    assert waits == {0}


@pytest.mark.parametrize("path", [HEART, ORDER, LOGIN, "/api/user/orderList", "/vip/"])
def test_a_caller_is_let_through_after_retry_after_and_not_before(path: str) -> None:
    watch = Stopwatch()
    limits = RateLimiter(1, watch)
    passed(limits, path, 20_000)
    wait_s = limits.retry_after_s(path, ADDRESS, token(1))
    assert wait_s >= 1
    watch.now += wait_s - 1
    assert limits.retry_after_s(path, ADDRESS, token(1)) in {0, 1}
    watch.now += 1
    assert limits.retry_after_s(path, ADDRESS, token(1)) == 0


def test_a_refused_request_is_not_counted() -> None:
    watch = Stopwatch()
    limits = RateLimiter(1, watch)
    passed(limits, LOGIN, 30)
    before = limits.retry_after_s(LOGIN, ADDRESS, b"")
    assert passed(limits, LOGIN, 1_000) == 0
    assert limits.retry_after_s(LOGIN, ADDRESS, b"") == before


def test_a_factor_lets_so_many_times_as_much_through() -> None:
    assert passed(RateLimiter(1, Stopwatch()), LOGIN, 1_000) == 30
    assert passed(RateLimiter(10, Stopwatch()), LOGIN, 1_000) == 300
    assert passed(RateLimiter(1_000_000, Stopwatch()), LOGIN, 100_000) == 100_000


def test_memory_is_bounded_and_a_flood_cannot_push_itself_out() -> None:
    limits = RateLimiter(1, Stopwatch(), max_callers=100)
    flooding = 0
    for number in range(10_000):
        limits.retry_after_s(HEART, f"192.0.2.{number}", b"")
        flooding += passed(limits, LOGIN, 1)
        assert len(limits._paid_at) + len(limits._older) <= 202
    assert flooding == 30


def test_staff_public_pages_and_new_calls_have_a_class() -> None:
    classes = {call.path: class_of(call.path).name for call in CALLS}
    assert classes["/api/office/queue"] == "machines"
    assert classes["/api/user/orderList"] == "lists"
    assert classes["/api/index/index"] == "public"
    assert class_of("/vip/assets/app.js").name == class_of("/healthz").name == "files"


def test_every_path_of_the_table_is_one_of_a_call() -> None:
    """Otherwise a renamed call would silently lose its limit."""
    known = {call.path for call in CALLS} | {"/api/Lottery/stream"}
    assert set(rate_limiter._BY_PATH) <= known


def test_the_answer_is_one_that_a_phone_understands(house: ApiServer, watch: Stopwatch) -> None:
    *_, answer = [house.client.post(LOGIN, json=WRONG) for _ in range(31)]
    assert answer.status_code == httpx.codes.TOO_MANY_REQUESTS
    assert set(answer.json()) == {"code", "msg", "time", "data", "reason", "request_id"}
    assert watch.now == 1_000
