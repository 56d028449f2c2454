"""The threads that make long lists: few, so that they never take the event loop's time."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from engine.runtime import supervision

THREADS: Final = 2
_T = TypeVar("_T")


class ListPool:
    """Reads and encodes lists; whatever comes while all threads are busy waits its turn."""

    def __init__(self) -> None:
        self._threads = supervision.workers(THREADS, "lists")

    async def __call__(self, work: Callable[[], _T]) -> _T:
        """The result of the work."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Let go of the threads; what waits its turn is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
