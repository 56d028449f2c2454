"""A thread pool for password hashes only, so that many logins cannot delay other work."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from api.http.refusals import CallRefused
from engine.refusals import Refusal
from engine.runtime import supervision

THREADS: Final = 2
MAX_WAITING: Final = 200
ResultT = TypeVar("ResultT")


class HashPool:
    """Runs work that computes a password hash, which takes about 20 ms."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        """Calls are refused while `max_waiting` others are running or queued."""
        self._threads = supervision.workers(THREADS, "passwords")
        self._max_waiting = max_waiting
        self._waiting = 0

    async def __call__(self, work: Callable[[], ResultT]) -> ResultT:
        """Returns the result of the work. Raises CallRefused if too many calls wait."""
        if self._waiting >= self._max_waiting:
            raise CallRefused(Refusal.RATE_LIMITED)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown()
