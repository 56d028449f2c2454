"""A small thread pool for long lists, which leaves the event loop enough processor time."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from engine.runtime import supervision

THREADS: Final = 2
_T = TypeVar("_T")


class ListPool:
    """Reads and encodes lists; further work is queued while all threads are busy."""

    def __init__(self) -> None:
        self._threads = supervision.workers(THREADS, "lists")

    async def __call__(self, work: Callable[[], _T]) -> _T:
        """Returns the result of the work."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Stop the threads; queued work is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
