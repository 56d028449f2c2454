"""Idempotency: a command, and any other change, is done once per key.

`once_per_key` wraps a handler so that all of it runs once per key and under its player's lock. A
handler that only submits a command needs the key alone.

The log keeps the answer to a command for the retention time of engine/runtime/log/retention.py; the
writer finds it, and compares a repeated command with it (engine/runtime/log/idempotency.py). The
answer to a change of the vault alone, such as a new password, is kept here while the process runs.
A client that sends no key gets one that its retries share. The header Idempotency-Key is read in
call_request.py.
"""

import asyncio
import inspect
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from hashlib import blake2b, sha256
from itertools import islice
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakValueDictionary

from litestar import Litestar
from litestar.types import Receive
from msgspec import Struct

from api.http.refusals import CallRefused
from api.http.transport import until_disconnected
from engine.refusals import Refusal
from engine.runtime import supervision

ANSWER_CACHE_SIZE: Final = 20_000
MAX_WAITING: Final = 256
ResultT = TypeVar("ResultT")


class KeyedRequest(Protocol):
    """What is read of a request here; call_request.py has the class."""

    receive: Receive

    @property
    def player(self) -> int:
        """The caller; 0 if the caller is not logged in."""

    @property
    def key(self) -> str | None:
        """The idempotency key; None if none was sent."""

    @property
    def content(self) -> bytes:
        """The body as sent."""

    @property
    def app(self) -> Litestar:
        """The application, whose state has `once`."""


class _FirstCall(Struct, frozen=True):
    """A key's first call: a keyed hash of each request field, and the answer."""

    request_fields: dict[str, bytes]
    answer: asyncio.Task[Any]


class _PlayerQueue:
    """The lock of one player, and the number of calls that wait for it or have it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0


class IdempotentRequests:
    """First answers per idempotency key; used only from the event loop."""

    def __init__(self, monotonic: Callable[[], float], cache_size: int = ANSWER_CACHE_SIZE) -> None:
        """Initially empty; the newest `cache_size` answers are kept. `monotonic` is in seconds."""
        self._retries = KeylessRetryDedup(monotonic)
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
        work: Callable[[], Awaitable[ResultT]],
    ) -> ResultT:
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

    @asynccontextmanager
    async def key(self, request: KeyedRequest, path: str) -> AsyncIterator[str]:
        """Yields the client's key, or without one a key that the call's retries share."""
        if request.key is not None:
            yield request.key
            return
        called = b"%d\0%s\0%s" % (request.player, path.encode(), request.content)
        identity = sha256(called).digest()
        key = self._retries.begin(identity)
        disconnected = supervision.owned(self._abandon_on_disconnect(request, identity, key))
        unanswered = False
        try:
            yield key
        except CallRefused as refusal:
            unanswered = refusal.refused.refusal is Refusal.OUTCOME_UNKNOWN
            raise
        finally:
            if unanswered:
                self._retries.abandon(identity, key)
            elif not disconnected.done():
                self._retries.answered(identity, key)
            disconnected.cancel()

    async def _abandon_on_disconnect(
        self, request: KeyedRequest, identity: bytes, key: str
    ) -> None:
        await until_disconnected(request.receive)
        self._retries.abandon(identity, key)

    async def run_once(
        self,
        request: KeyedRequest,
        path: str,
        request_fields: Mapping[str, object],
        work: Callable[[str], Awaitable[ResultT]],
    ) -> ResultT:
        """Returns the result of the work, which runs once per key, under the player's lock.

        `request_fields` are the wire fields that a repetition must repeat unchanged, without
        secrets.
        """
        async with self.key(request, path) as key:
            return await self(request.player, path, key, request_fields, lambda: work(key))

    async def _with_player_lock(self, player: int, work: Callable[[], Awaitable[Any]]) -> Any:
        async with self.player_lock(player):
            return await work()

    def _evict(self, identity: tuple[int, str], done: asyncio.Task[Any]) -> None:
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


JOIN_TIMEOUT_S: Final = 61.0
_MAX_KEPT: Final = 50_000
_MAX_INSPECTED: Final = 8


class _KeylessCall(Struct):
    """A call without an idempotency key, and the key that the server assigned to it."""

    key: str
    abandoned_at: float | None = None


class KeylessRetryDedup:
    """Detects retries of clients that send no idempotency key.

    A call without a key may be identical in session, route and body to one that is in flight, or
    whose connection closed unanswered within the last 61 s. It gets that call's key, and so its
    answer.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """`monotonic` returns seconds."""
        self._monotonic = monotonic
        self._calls: dict[bytes, _KeylessCall] = {}

    def begin(self, identity: bytes) -> str:
        """Returns the key to use for this call."""
        self._evict()
        call = self._calls.get(identity)
        if call is None:
            call = self._calls[identity] = _KeylessCall(f"auto-{secrets.token_hex(16)}")
        return call.key

    def abandon(self, identity: bytes, key: str) -> None:
        """Record that the connection of this call closed before the answer was sent."""
        call = self._calls.get(identity)
        if call is not None and call.key == key:
            call.abandoned_at = self._monotonic()

    def answered(self, identity: bytes, key: str) -> None:
        """Record that the call was answered: the same request again is a new command."""
        call = self._calls.get(identity)
        if call is not None and call.key == key:
            del self._calls[identity]

    def _evict(self) -> None:
        oldest = self._monotonic() - JOIN_TIMEOUT_S
        for identity in list(islice(self._calls, _MAX_INSPECTED)):
            at = self._calls[identity].abandoned_at
            if len(self._calls) > _MAX_KEPT or (at is not None and at < oldest):
                del self._calls[identity]


_FROM_REQUEST: Final = frozenset({"request", "player", "key"})


def once_per_key(
    handle: Callable[..., Awaitable[ResultT]], path: str, compared: Sequence[str]
) -> Callable[..., Awaitable[ResultT]]:
    """Returns a handler that runs `handle` once per key, under its player's lock.

    Besides what every handler may name, `handle` may name `player` and `key`. A repetition must
    have the same values in the `compared` fields of the body, which contain no secrets.
    """
    signature = inspect.signature(handle)
    from_request = signature.parameters.keys() & _FROM_REQUEST

    @wraps(handle)
    async def run(request: KeyedRequest, **injected: Any) -> ResultT:
        once: IdempotentRequests = request.app.state.once
        sent = {name: getattr(injected["data"], name) for name in compared}
        request_fields = {name: None if it is None else str(it) for name, it in sent.items()}

        def work(key: str) -> Awaitable[ResultT]:
            found = {"request": request, "player": request.player, "key": key}
            return handle(**{name: found[name] for name in from_request}, **injected)

        return await once.run_once(request, path, request_fields, work)

    parameters = [
        inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY),
        *(
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, each in signature.parameters.items()
            if name not in _FROM_REQUEST
        ),
    ]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run
