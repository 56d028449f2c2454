"""Threads for password hashes alone, so that many sign-ins cannot hold up anything else."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from api.envelope import CallRefused
from engine.refusals import Refusal
from engine.runtime import supervision

THREADS: Final = 2
MAX_WAITING: Final = 200
ResultT = TypeVar("ResultT")


class HashPool:
    """Does what takes a password's hash, some 20 ms each."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        """Refuse whoever comes while `most_waiting` are at it or wait for their turn."""
        self._threads = supervision.workers(THREADS, "passwords")
        self._max_waiting = max_waiting
        self._waiting = 0

    async def __call__(self, work: Callable[[], ResultT]) -> ResultT:
        """The result of the work."""
        if self._waiting >= self._max_waiting:
            raise CallRefused(Refusal.RATE_LIMITED)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown()
