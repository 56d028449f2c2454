"""Work that comes again and again, timed by the event loop's clock, which never jumps."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from engine.runtime import supervision

Work = Callable[[], Awaitable[float]]
"""Returns after how many seconds it is to come again; it never raises."""


class Timers:
    """Each piece of work in a task of its own, until stopped."""

    def __init__(self, *works: tuple[str, Work, float]) -> None:
        """Begin each after its seconds, as the part of this name."""
        self._tasks = [
            supervision.task(name, partial(_repeat, work, wait_s)) for name, work, wait_s in works
        ]

    def stop(self) -> None:
        """Cut all of it off."""
        for task in self._tasks:
            task.cancel()


async def _repeat(work: Work, wait_s: float) -> None:
    while True:
        await asyncio.sleep(wait_s)
        wait_s = await work()
