"""Long lists: built in their own threads, of the requested length, and rate-limited by rows."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest

from api.cashier import history
from api.game import charts, lottery
from api.http import long_lists
from api.http.long_lists import THREADS, ListReader
from api.http.middleware.rate_limiter import RateLimiter
from tests.api.door import Stopwatch, counting
from tests.api.support import ApiServer, Player

ADDRESS, TOKEN = "198.51.100.7", b"%043d" % 1


@pytest.fixture
def watch(house: ApiServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stopwatch]:
    with counting(house, monkeypatch) as counted:
        yield counted


@pytest.fixture(scope="module")
def bettor(house: ApiServer) -> Player:
    """A player with three settled bets."""
    player = house.register()
    for _ in range(3):
        assert player.bet()["code"] == 1
    house.draw_round()
    house.catch_up()
    return player


def test_rows_are_made_and_encoded_in_the_threads_for_lists(
    house: ApiServer, bettor: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noting(module: Any, name: str) -> None:
        work = getattr(module, name)

        def noted(*values: Any) -> Any:
            made.append(threading.current_thread().name)
            return work(*values)

        monkeypatch.setattr(module, name, noted)

    for module, name in (
        (history, "_order"),
        (history, "entry_item"),
        (long_lists, "encode"),
        (history, "encode"),
        (lottery, "draw_message"),
        (charts, "_candles"),
        (charts, "_item"),
    ):
        noting(module, name)
    for path in ("orderList", "quantityLogList", "statementCsv"):
        made.clear()
        assert bettor.call(f"user/{path}", {})["data"]
        assert made
        assert all(name.startswith("lists") for name in made), path
    for path in ("issueList", "cand", "trend"):
        made.clear()
        assert house.call(f"Lottery/{path}", {"game_id": 1})["data"]
        assert made
        assert all(name.startswith("lists") for name in made), path


class NoPool:
    """A pool without a database."""

    def connection(self) -> nullcontext[None]:
        return nullcontext()


async def nothing_to_wait_for(_: int) -> None:
    """Returns immediately."""


def test_few_lists_are_made_at_a_time() -> None:
    async def load() -> int:
        pool: Any = NoPool()
        reader = ListReader(pool, RateLimiter(1, time.monotonic), nothing_to_wait_for)
        at_it, most = 0, 0
        counting_, enough = threading.Lock(), threading.Barrier(THREADS)

        def work(_: object) -> None:
            nonlocal at_it, most
            with counting_:
                at_it += 1
                most = max(most, at_it)
            enough.wait(30)
            with counting_:
                at_it -= 1

        await asyncio.gather(*(reader.read(work) for _ in range(5 * THREADS)))
        reader.close()
        return most

    assert asyncio.run(load()) == THREADS


@pytest.mark.parametrize("path", ["user/orderList", "user/quantityLogList"])
def test_a_caller_chooses_how_many_rows_a_page_has(bettor: Player, path: str) -> None:
    whole = bettor.call(path, {})
    assert (len(whole["data"]) >= 3, whole["more"], whole["cursor"]) == (True, False, None)
    page = bettor.call(path, {"limit": 2})
    assert (page["data"], page["more"]) == (whole["data"][:2], True)
    rest = bettor.call(path, {"limit": 1_000, "cursor": page["cursor"]})
    assert rest["data"] == whole["data"][2:]
    for wrong in (0, -1, 1_001):
        refused = bettor.call(path, {"limit": wrong})
        assert (refused["reason"], refused["field"]) == ("request_malformed", "limit")


def lists(player: Player, body: dict[str, Any]) -> int:
    """The number of lists that the player gets before one is refused."""
    for count in range(1_000):
        answer = player.house.client.post(
            "/api/user/orderList", json=body, headers={"token": player.token}
        )
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["reason"] == "rate_limited"
            return count
    raise AssertionError("none was refused")


def test_a_list_counts_by_the_rows_that_came(
    bettor: Player, watch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_lists, "ROWS_PER_CALL", 1)
    assert lists(bettor, {"limit": 1}) == 100
    watch.now += 1_000
    assert lists(bettor, {"limit": 3}) == 33
    watch.now += 1_000
    # The cost counted for rows that were not returned is refunded.
    assert lists(bettor, {"limit": 13}) == 30


def test_many_long_lists_at_once_are_refused_before_they_are_read(
    house: ApiServer, bettor: Player, watch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a limit a list may have 1,000 rows; it counts as 20 calls until it is read."""
    released, at_it = threading.Event(), threading.Semaphore(0)
    reach = house.services.hub.wait_for

    async def waiting(position: int, within_s: float) -> None:
        at_it.release()
        await asyncio.to_thread(released.wait, 60)
        await reach(position, within_s)

    monkeypatch.setattr(house.services.hub, "wait_for", waiting)
    with ThreadPoolExecutor(5) as callers:
        sent = [callers.submit(bettor.call, "user/orderList", {}) for _ in range(5)]
        try:
            for _ in sent:
                assert at_it.acquire(timeout=60)
            assert lists(bettor, {}) == 0
        finally:
            released.set()
        assert all(each.result()["code"] == 1 for each in sent)
    watch.now += 1
    assert lists(bettor, {"limit": 50}) > 90


def test_calls_that_are_given_back_may_be_made() -> None:
    limits = RateLimiter(1, Stopwatch())
    assert limits.retry_after_s("/api/user/orderList", ADDRESS, TOKEN, 100) == 0
    assert limits.retry_after_s("/api/user/orderList", ADDRESS, TOKEN) >= 1
    limits.refund("/api/user/orderList", ADDRESS, TOKEN, 60)
    assert limits.retry_after_s("/api/user/orderList", ADDRESS, TOKEN, 60) == 0
    assert limits.retry_after_s("/api/user/orderList", ADDRESS, TOKEN) >= 1
