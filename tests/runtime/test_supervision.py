"""A thread or task that fails restarts after a growing wait, or ends the process."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection
from psycopg.rows import DictRow
from structlog.testing import capture_logs

from engine.runtime import supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.log import deadlines
from engine.runtime.log.deadlines import Store
from engine.runtime.log.fact_log import FactLog
from engine.runtime.postgres import embedded_postgres
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.runtime.supervision import PARTS, RESTARTS, Backoff, RestartPolicy, Timers
from tests.runtime.house import until

ROOT = Path(__file__).parents[2]
THREAD_ENDS = """
import threading
from engine.runtime import supervision
supervision.thread("parent watch", lambda: 1 / 0, threading.Event()).join()
print("still here")
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(supervision, "MAX_WAIT_S", 0.004)


class Failing:
    """Fails a number of times, then works until its `end` event is set."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.works = threading.Event()
        self.end = threading.Event()

    def __call__(self) -> None:
        if self.left:
            self.left -= 1
            raise OSError(24, "too many open files")
        self.works.set()
        assert self.end.wait(60)


def test_waits_grow_to_a_bound_and_begin_again_after_a_long_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision, "FIRST_WAIT_S", 0.1)
    monkeypatch.setattr(supervision, "MAX_WAIT_S", 10.0)
    waits = Backoff()
    assert [waits.after(0.0) for _ in range(9)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    assert [waits.after(60.0), waits.after(59.0)] == [0.1, 0.2]


def test_a_thread_that_fails_is_restarted_logged_and_counted() -> None:
    work, before, stopping = Failing(3), RESTARTS["follower"], threading.Event()
    with capture_logs() as logs:
        thread = supervision.thread("follower", work, stopping)
        assert work.works.wait(60)
    assert RESTARTS["follower"] == before + 3
    assert [(it["event"], it["part"]) for it in logs] == [
        ("part failed and restarts", "follower")
    ] * 3
    work.end.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_thread_that_is_stopped_while_it_waits_does_not_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision, "FIRST_WAIT_S", 3_600.0)
    work, stopping = Failing(2), threading.Event()
    thread = supervision.thread("follower", work, stopping)
    stopping.set()
    thread.join(60)
    assert not thread.is_alive()
    assert work.left > 0


def test_a_failing_logger_does_not_prevent_the_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def error(self, *_: object, **__: object) -> None:
            raise OSError(24, "too many open files")

    monkeypatch.setattr(supervision, "_log", Broken())
    work = Failing(1)
    supervision.thread("follower", work, threading.Event())
    assert work.works.wait(60)
    work.end.set()


def test_a_thread_that_ends_the_process_does() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", THREAD_ENDS], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert b"part failed and ends the process" in ended.stdout
    assert b"still here" not in ended.stdout


@pytest.mark.parametrize("part", sorted(PARTS))
def test_every_task_restarts_or_raises_according_to_its_rule(part: str) -> None:
    times = 0

    async def work() -> None:
        nonlocal times
        times += 1
        if times < 3:
            raise RuntimeError("a fault")

    async def watch() -> None:
        await supervision.task(part, work)

    if PARTS[part] is RestartPolicy.RESTART:
        asyncio.run(watch())
        assert times == 3
    else:
        with pytest.raises(RuntimeError, match="a fault"):
            asyncio.run(watch())


def test_a_part_without_a_rule_cannot_be_started() -> None:
    with pytest.raises(KeyError):
        supervision.thread("unknown", lambda: None, threading.Event())


def test_the_failure_of_unawaited_work_is_logged() -> None:
    with capture_logs() as logs, ThreadPoolExecutor(1) as threads:
        supervision.run_in_background(threads, lambda: 1 / 0)
    assert [it["event"] for it in logs] == ["background work failed"]


def test_rounds_continue_after_a_failed_tick() -> None:
    async def watch() -> int:
        ticks, done = 0, asyncio.Event()

        async def tick() -> float:
            nonlocal ticks
            ticks += 1
            if ticks == 1:
                raise RuntimeError("a fault after the tick")
            done.set()
            return 3_600.0

        timers = Timers(("rounds", tick, 0.0))
        await asyncio.wait_for(done.wait(), 60)
        timers.stop()
        return ticks

    assert asyncio.run(watch()) == 2


def test_the_clock_is_compared_again_after_a_fault(
    log: FactLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, times = GuardedClock.compare, 0

    def failing(clock: GuardedClock, store: Store) -> None:
        nonlocal times
        times += 1
        if times == 1:
            raise RuntimeError("can't start new thread")
        compare(clock, store)

    monkeypatch.setattr(GuardedClock, "compare", failing)

    async def watch() -> None:
        clock = GuardedClock()
        watching = supervision.task("clock", lambda: clock.watch(log.datastore))
        await asyncio.wait_for(until(lambda: not clock.trouble), 60)
        watching.cancel()

    asyncio.run(watch())
    assert times == 2


def test_deadlines_are_enforced_after_a_fault(
    log: FactLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, shut_down = threading.Event(), deadlines._shutdown_socket
    faults = [RuntimeError("a fault")]

    def failing(connection: Connection[DictRow], *log: Any, **details: Any) -> bool:
        if faults:
            raise faults.pop()
        cut.set()
        return shut_down(connection, *log, **details)

    monkeypatch.setattr(deadlines, "_shutdown_socket", failing)
    with log.datastore.get_connection() as connection, deadlines.within(connection, 0.0):
        assert cut.wait(60)
    assert not faults


def test_the_embedded_server_is_watched_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_postgres, "_WATCH_SECONDS", 0.001)
    started, looked = threading.Event(), 0

    class Server(EmbeddedPostgres):
        def __init__(self) -> None:
            """Start nothing."""

        def postmaster(self) -> None:
            nonlocal looked
            looked += 1
            if looked == 1:
                raise OSError(24, "too many open files")

        def start(self) -> None:
            started.set()

    with embedded_postgres._watched(Server()):
        assert started.wait(60)
