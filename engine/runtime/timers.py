"""Work that comes again and again, timed by the event loop's clock, which never jumps."""

import asyncio
from collections.abc import Awaitable, Callable

Work = Callable[[], Awaitable[float]]
"""Returns after how many seconds it is to come again; it never raises."""


class Timers:
    """Each piece of work in a task of its own, until stopped."""

    def __init__(self, *works: tuple[Work, float]) -> None:
        """Begin each after its seconds."""
        self._tasks = [asyncio.create_task(_repeat(work, wait_s)) for work, wait_s in works]

    def stop(self) -> None:
        """Cut all of it off."""
        for task in self._tasks:
            task.cancel()


async def _repeat(work: Work, wait_s: float) -> None:
    while True:
        await asyncio.sleep(wait_s)
        wait_s = await work()
