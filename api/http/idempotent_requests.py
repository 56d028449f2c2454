"""Idempotent calls that change the vault: one at a time per player, and once per key.

The log keeps the answer to a command that became a fact, for the retention time of
engine/runtime/log/retention.py. The answer to a change of the vault alone, such as a new password,
is kept here while the process runs. While the first call with a key is in progress, its
repetitions wait for the answer.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import Any, Final
from weakref import WeakValueDictionary

from msgspec import Struct

from api.http.envelope import CallRefused, CallResult, DataT
from engine.refusals import Refusal
from engine.runtime import supervision

ANSWER_CACHE_SIZE: Final = 20_000
MAX_WAITING: Final = 256


class _FirstCall(Struct, frozen=True):
    """A key's first call: a keyed hash of each request field, and the answer."""

    request_fields: dict[str, bytes]
    answer: asyncio.Task[CallResult[Any]]


class _PlayerQueue:
    """The lock of one player, and the number of calls that wait for it or have it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0


class IdempotentRequests:
    """First answers per idempotency key; used only from the event loop."""

    def __init__(self, cache_size: int = ANSWER_CACHE_SIZE) -> None:
        """Initially empty; the newest `cache_size` answers are kept."""
        self._cache_size = cache_size
        self._salt = os.urandom(32)
        self._firsts: dict[tuple[int, str], _FirstCall] = {}
        self._queues: WeakValueDictionary[int, _PlayerQueue] = WeakValueDictionary()

    @asynccontextmanager
    async def player_lock(self, player: int) -> AsyncIterator[None]:
        """Lock the player. Raises CallRefused if `MAX_WAITING` calls already wait for it."""
        queue = self._queues.setdefault(player, _PlayerQueue())
        if queue.waiting >= MAX_WAITING:
            raise CallRefused(Refusal.RATE_LIMITED)
        queue.waiting += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.waiting -= 1

    async def __call__(
        self,
        player: int,
        path: str,
        key: str,
        request_fields: Mapping[str, object],
        work: Callable[[], Awaitable[CallResult[DataT]]],
    ) -> CallResult[DataT]:
        """Returns the result of the work, which runs once per key, under the player's lock.

        A repeated key must have the same path and the same `request_fields`, which contain no
        secrets. Refusals are not kept. The work continues if the caller disconnects.
        """
        identity = (player, key)
        named = {"Idempotency-Key": path, **request_fields}
        hashes = {name: self._hash(value) for name, value in named.items()}
        first = self._firsts.get(identity)
        if first is None:
            answer = supervision.owned(self._with_player_lock(player, work))
            first = self._firsts[identity] = _FirstCall(hashes, answer)
            answer.add_done_callback(lambda done: self._evict(identity, done))
        _check_same(first.request_fields, hashes)
        return await asyncio.shield(first.answer)

    async def _with_player_lock(
        self, player: int, work: Callable[[], Awaitable[CallResult[Any]]]
    ) -> CallResult[Any]:
        async with self.player_lock(player):
            return await work()

    def _evict(self, identity: tuple[int, str], done: asyncio.Task[CallResult[Any]]) -> None:
        """Keep the answer, but drop a refusal or an error, and the oldest beyond the cache size."""
        if done.cancelled() or done.exception() is not None:
            self._firsts.pop(identity, None)
        while len(self._firsts) > self._cache_size:
            del self._firsts[next(iter(self._firsts))]

    def _hash(self, value: object) -> bytes:
        return blake2b(repr(value).encode(), key=self._salt, digest_size=16).digest()


def _check_same(before: dict[str, bytes], now: dict[str, bytes]) -> None:
    for name, value in now.items():
        if before.get(name) != value:
            raise CallRefused(Refusal.KEY_REUSED, name)
