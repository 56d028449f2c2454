"""Idempotency: a command, and any other change, is done once per key.

The log keeps the answer to a command for the retention time of engine/runtime/log/retention.py; the
writer finds it, and compares a repeated command with it (engine/runtime/log/idempotency.py). The
answer to a change of the vault alone, such as a new password, is kept here while the process runs.
A client that sends no key gets one that its retries share. The header Idempotency-Key is read in
call_request.py.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b, sha256
from itertools import islice
from typing import Any, Final
from weakref import WeakValueDictionary

from msgspec import Struct

from api.http.call_request import CallRequest
from api.http.envelope import CallResult, DataT
from api.http.refusals import CallRefused
from api.http.transport import has_disconnected
from api.ops import request_log
from engine.answers import Refused
from engine.command_handler import Command
from engine.refusals import Refusal
from engine.runtime import supervision
from engine.runtime.port import EnginePort
from engine.runtime.writer.reply import Reply

ANSWER_TIMEOUT_S: Final = 6.0


def actor_of(player: int) -> str:
    """Returns the actor name of a player."""
    return f"player-{player}"


class Commands:
    """Submits commands to the engine, and runs other changes once per idempotency key."""

    def __init__(self, engine: EnginePort, monotonic: Callable[[], float]) -> None:
        """`monotonic` returns seconds."""
        self._engine = engine
        self.retries = KeylessRetryDedup(monotonic)
        self.once = IdempotentRequests()
        self.last_seen = LastSeenPositions()

    async def submit(self, actor: str, key: str | None, command: Command) -> Reply:
        """Returns the engine's reply. Raises CallRefused if it refused or did not answer in 6 s."""
        reply = self._engine.submit(actor, key, command)
        if not reply.done():
            # The writer skips a future that is already resolved.
            give_up = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, _give_up, reply)
            await reply
            give_up.cancel()
        answer = reply.result()
        request_log.record_command(actor, command, answer)
        if isinstance(answer.answer, Refused):
            raise CallRefused(answer.answer.refusal, answer.answer.field)
        return answer

    async def submit_for_player(self, request: CallRequest, path: str, command: Command) -> Reply:
        """Submit a player's command under the client's key, or under the key of its retries."""
        actor = actor_of(request.player)
        async with self.idempotency_key(request, path) as key:
            reply = await self.submit(actor, key, command)
        self.last_seen.record(request.player, reply.position)
        return reply

    async def submit_all(self, player: int, commands: Sequence[tuple[str, Command]]) -> list[Reply]:
        """Submit a player's commands together, each under its key.

        Returns all replies in order; a refusal, or no answer in 6 s, is a reply too.
        """
        actor = actor_of(player)
        replies = [self._engine.submit(actor, key, command) for key, command in commands]
        give_up = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, _give_up, *replies)
        answers = await asyncio.gather(*replies)
        give_up.cancel()
        for (_, command), answer in zip(commands, answers, strict=True):
            request_log.record_command(actor, command, answer)
        self.last_seen.record(player, max((each.position for each in answers), default=0))
        return answers

    @asynccontextmanager
    async def idempotency_key(self, request: CallRequest, path: str) -> AsyncIterator[str]:
        """Yields the client's key, or without one a key that the call's retries share."""
        if request.key is not None:
            yield request.key
            return
        actor = actor_of(request.player).encode()
        identity = sha256(b"%s\0%s\0%s" % (actor, path.encode(), request.content)).digest()
        key = self.retries.begin(identity)
        disconnected = supervision.owned(self._abandon_on_disconnect(request, identity, key))
        unanswered = False
        try:
            yield key
        except CallRefused as refusal:
            unanswered = refusal.refused.refusal is Refusal.OUTCOME_UNKNOWN
            raise
        finally:
            if unanswered:
                self.retries.abandon(identity, key)
            elif not disconnected.done():
                self.retries.answered(identity, key)
            disconnected.cancel()

    async def _abandon_on_disconnect(self, request: CallRequest, identity: bytes, key: str) -> None:
        await has_disconnected(request.receive)
        self.retries.abandon(identity, key)

    async def run_once(
        self,
        request: CallRequest,
        path: str,
        request_fields: Mapping[str, object],
        work: Callable[[str], Awaitable[CallResult[DataT]]],
    ) -> CallResult[DataT]:
        """Returns the result of the work, which runs once per key, under the player's lock.

        `request_fields` are the wire fields that a repetition must repeat unchanged, without
        secrets.
        """
        async with self.idempotency_key(request, path) as key:
            return await self.once(request.player, path, key, request_fields, lambda: work(key))


def _give_up(*replies: asyncio.Future[Reply]) -> None:
    for reply in replies:
        if not reply.done():
            reply.set_result(Reply(Refused(Refusal.OUTCOME_UNKNOWN)))


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


class LastSeenPositions:
    """The log position after each player's last command, for read-your-writes consistency."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}

    def record(self, player: int, position: int) -> None:
        """Record the position of an answer to this player; 0 if it is unknown."""
        previous = self._positions.pop(player, 0)
        self._positions[player] = max(previous, position)
        while len(self._positions) > _MAX_KEPT:
            del self._positions[next(iter(self._positions))]

    def of(self, player: int) -> int:
        """Returns the log position after the player's last command; 0 if it is unknown."""
        return self._positions.get(player, 0)
