"""Periodic work, timed by the event loop's monotonic clock."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from engine.runtime import supervision

Work = Callable[[], Awaitable[float]]
"""Returns the seconds until its next run; never raises."""


class Timers:
    """Runs each piece of work in its own task, until stopped."""

    def __init__(self, *works: tuple[str, Work, float]) -> None:
        """Each of `works` is a part's name, its work and the seconds until its first run."""
        self._tasks = [
            supervision.task(name, partial(_repeat, work, wait_s)) for name, work, wait_s in works
        ]

    def stop(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()


async def _repeat(work: Work, wait_s: float) -> None:
    while True:
        await asyncio.sleep(wait_s)
        wait_s = await work()
