"""Limits on what costs much: password hashes, open event streams, and chat messages.

`middleware/rate_limiter.py` limits the requests themselves.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from api.http.refusals import CallRefused
from api.settings import StreamLimits
from engine.refusals import Refusal
from engine.runtime import supervision

_HASH_THREADS: Final = 2
_MAX_WAITING_HASHES: Final = 200
MAX_CHAT_MESSAGES: Final = 5
CHAT_WINDOW_US: Final = 10 * 1_000_000
_MAX_PLAYERS_KEPT: Final = 10_000
ResultT = TypeVar("ResultT")


class HashPool:
    """Runs work that computes a password hash, which takes about 20 ms.

    It has its own threads, so that many logins cannot delay other work.
    """

    def __init__(self, max_waiting: int = _MAX_WAITING_HASHES) -> None:
        """Calls are refused while `max_waiting` others are running or queued."""
        self._threads = supervision.workers(_HASH_THREADS, "passwords")
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


class StreamLimiter:
    """Limits the open event streams: per session, per address, and in all.

    Used from the event loop only.
    """

    def __init__(self, limits: StreamLimits) -> None:
        """Initially empty."""
        self._limits = limits
        self._open: Counter[Hashable] = Counter()
        self._in_all = 0

    @contextmanager
    def slot(self, session: str, address: str) -> Iterator[None]:
        """Count a stream as open while the block runs; `session` is empty without one.

        Raises CallRefused: `rate_limited` if the session or the address has reached its limit,
        `engine_busy` if the server has.
        """
        counted = [("address", address), *([("session", session)] if session else [])]
        self._check(session, address)
        self._in_all += 1
        self._open.update(counted)
        try:
            yield
        finally:
            self._in_all -= 1
            for key in counted:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]

    def _check(self, session: str, address: str) -> None:
        limits = self._limits
        if self._in_all >= limits.in_all:
            raise CallRefused(Refusal.ENGINE_BUSY)
        if self._open["address", address] >= limits.per_address:
            raise CallRefused(Refusal.RATE_LIMITED)
        if session and self._open["session", session] >= limits.per_session:
            raise CallRefused(Refusal.RATE_LIMITED)


class ChatRateLimiter:
    """Limits a player's chat messages, so that no one floods a hall.

    It has the ids of each player's newest messages and their times, in microseconds since 1970.

    Used from the event loop only.
    """

    def __init__(self) -> None:
        """Initially empty."""
        self._newest: dict[int, dict[str, int]] = {}

    def acquire(self, player: int, message_id: str, now: int) -> None:
        """Count a message, unless it is a repetition. Raises CallRefused if there are too many."""
        # Removing and reinserting the player makes them the last to be evicted.
        before = self._newest.pop(player, {})
        newest = {each: at for each, at in before.items() if now - at < CHAT_WINDOW_US}
        self._newest[player] = newest
        while len(self._newest) > _MAX_PLAYERS_KEPT:
            del self._newest[next(iter(self._newest))]
        if message_id not in newest and len(newest) >= MAX_CHAT_MESSAGES:
            raise CallRefused(Refusal.RATE_LIMITED)
        newest.setdefault(message_id, now)
