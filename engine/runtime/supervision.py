"""Supervises every thread and long-running task of the server; no failure goes unnoticed.

`PARTS` lists the threads and tasks that run by themselves, with the policy for a failure. A failed
part restarts with exponential backoff, or it ends the process, which the process supervisor then
restarts. Each failure is logged with its traceback; restarts are counted for /metrics.

All others have an owner that awaits their result and gets their exception: an `owned` task, such
as the lease's and the writer's, and work submitted to `workers`. A failure in work started with
`run_in_background` is logged. `Timers` repeat work, timed by the event loop's monotonic clock.
"""

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeVar

import structlog

FIRST_WAIT_S: Final = 0.1
MAX_WAIT_S: Final = 10.0
#: A part that ran for this long has recovered from its last failure.
RECOVERED_AFTER_S: Final = 60.0
_log = structlog.get_logger()
_T = TypeVar("_T")
#: How often each part was restarted in this process.
RESTARTS: Final[Counter[str]] = Counter()
Work = Callable[[], Awaitable[float]]
"""Returns the seconds until its next run; never raises."""


class RestartPolicy(StrEnum):
    """What happens when a part fails."""

    RESTART = "restart"
    END = "end the process"


PARTS: Final[Mapping[str, RestartPolicy]] = {
    # Threads
    "follower": RestartPolicy.RESTART,
    "vault follower": RestartPolicy.RESTART,
    "read models' process": RestartPolicy.RESTART,
    "witness's process": RestartPolicy.RESTART,
    "embedded PostgreSQL": RestartPolicy.RESTART,
    "deadlines": RestartPolicy.RESTART,
    "fairdraw.log": RestartPolicy.RESTART,
    "staff.log": RestartPolicy.RESTART,
    "stderr": RestartPolicy.RESTART,
    "tiles": RestartPolicy.RESTART,
    "parent watch": RestartPolicy.END,
    # Tasks
    "engine": RestartPolicy.END,
    "server": RestartPolicy.END,
    "engine connection": RestartPolicy.RESTART,
    "clock": RestartPolicy.RESTART,
    "rounds": RestartPolicy.RESTART,
    "sealer": RestartPolicy.RESTART,
    "cosigners": RestartPolicy.RESTART,
    "jobs": RestartPolicy.RESTART,
    "vault outbox": RestartPolicy.RESTART,
    "overnight bonus": RestartPolicy.RESTART,
    "demo": RestartPolicy.RESTART,
    "welcome": RestartPolicy.RESTART,
    "first contents": RestartPolicy.RESTART,
    "damage report": RestartPolicy.RESTART,
}


class Backoff:
    """Exponential backoff: the wait before a restart doubles each time, up to `MAX_WAIT_S`."""

    def __init__(self) -> None:
        """Begin with the shortest wait."""
        self._next_s = FIRST_WAIT_S

    def after(self, ran_s: float) -> float:
        """Returns the seconds to wait after a failed run of this length."""
        if ran_s >= RECOVERED_AFTER_S:
            self._next_s = FIRST_WAIT_S
        wait_s = self._next_s
        self._next_s = min(2 * wait_s, MAX_WAIT_S)
        return wait_s


def thread(name: str, work: Callable[[], object], stopping: threading.Event) -> threading.Thread:
    """Start a part in a thread. It ends when `work` returns; `stopping` interrupts a backoff."""
    policy = PARTS[name]

    def run() -> None:
        backoff = Backoff()
        while not stopping.is_set():
            began = time.monotonic()
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the part's policy applies to every error
                if policy is RestartPolicy.END:
                    _log_end(name, error)
                    os._exit(1)
                wait_s = backoff.after(time.monotonic() - began)
                _count(name, wait_s, error)
                stopping.wait(wait_s)
            else:
                return

    started = threading.Thread(target=run, name=name, daemon=True)
    started.start()
    return started


def task(name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
    """Start a part as a task. It ends when `work` returns or is cancelled.

    Under `RestartPolicy.END` it raises its error, which the main program awaits.
    """
    return asyncio.create_task(_run(name, work), name=name)


async def _run(name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    clock, backoff = asyncio.get_running_loop().time, Backoff()
    while True:
        began = clock()
        try:
            return await work()
        except Exception as error:
            if PARTS[name] is RestartPolicy.END:
                _log_end(name, error)
                raise
            wait_s = backoff.after(clock() - began)
            _count(name, wait_s, error)
        await asyncio.sleep(wait_s)


def _count(name: str, wait_s: float, error: Exception) -> None:
    RESTARTS[name] += 1
    # Rendering a traceback opens files, which may be what just failed.
    with suppress(Exception):
        _log.error("part failed and restarts", part=name, wait_s=wait_s, exc_info=error)


def _log_end(name: str, error: Exception) -> None:
    with suppress(Exception):
        _log.critical("part failed and ends the process", part=name, exc_info=error)


def owned(work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
    """Start a task that the caller awaits or cancels, and whose exception it so receives."""
    return asyncio.create_task(work)


def workers(threads: int, name: str) -> ThreadPoolExecutor:
    """A thread pool for work whose result the caller awaits."""
    return ThreadPoolExecutor(threads, name)


def run_in_background(executor: Executor, work: Callable[..., object], *args: object) -> None:
    """Submit work whose result is not awaited. A failure is logged."""
    executor.submit(work, *args).add_done_callback(_log_failure)


def _log_failure(done: Future[object]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        _log.error("background work failed", exc_info=error)


def after(seconds: float, work: Callable[[], object]) -> threading.Timer:
    """Run `work` once in a thread after `seconds`, unless the timer is cancelled before."""
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    timer.start()
    return timer


class Timers:
    """Runs each piece of work in its own task, until stopped."""

    def __init__(self, *works: tuple[str, Work, float]) -> None:
        """Each of `works` is a part's name, its work and the seconds until its first run."""
        self._tasks = [task(name, partial(_repeat, work, wait_s)) for name, work, wait_s in works]

    def stop(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()


async def _repeat(work: Work, wait_s: float) -> None:
    while True:
        await asyncio.sleep(wait_s)
        wait_s = await work()
