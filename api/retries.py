"""What is remembered of callers between two calls: unanswered ones, and how far they saw."""

import secrets
from collections.abc import Callable
from itertools import islice
from typing import Final

from msgspec import Struct

JOIN_TIMEOUT_S: Final = 61.0
_CACHE_SIZE: Final = 50_000
_MAX_INSPECTED: Final = 8


class _KeylessCall(Struct):
    """A call that came without a key, and the key that it was given here."""

    key: str
    abandoned_at: float | None = None


class KeylessRetryDedup:
    """Recognises the repetitions of clients that send no key.

    A call without a key, identical in session, route and body to one that is in flight, or whose
    connection closed unanswered within the last 61 s, gets that one's key and so its answer.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """`monotonic` gives seconds."""
        self._monotonic = monotonic
        self._calls: dict[bytes, _KeylessCall] = {}

    def begin(self, identity: bytes) -> str:
        """The key to use for this call."""
        self._evict()
        call = self._calls.get(identity)
        if call is None:
            call = self._calls[identity] = _KeylessCall(f"auto-{secrets.token_hex(16)}")
        return call.key

    def abandon(self, identity: bytes, key: str) -> None:
        """The call's connection has closed, and its answer will not be heard."""
        call = self._calls.get(identity)
        if call is not None and call.key == key:
            call.abandoned_at = self._monotonic()

    def answered(self, identity: bytes, key: str) -> None:
        """The call was answered: whoever sends the same again means a new command."""
        call = self._calls.get(identity)
        if call is not None and call.key == key:
            del self._calls[identity]

    def _evict(self) -> None:
        oldest = self._monotonic() - JOIN_TIMEOUT_S
        for identity in list(islice(self._calls, _MAX_INSPECTED)):
            at = self._calls[identity].abandoned_at
            if len(self._calls) > _CACHE_SIZE or (at is not None and at < oldest):
                del self._calls[identity]


class LastSeenPositions:
    """The position in the log behind each player's last command, for reading one's writes."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}

    def record(self, player: int, position: int) -> None:
        """The player was answered from this position; 0 says nothing about it."""
        previous = self._positions.pop(player, 0)
        self._positions[player] = max(previous, position)
        while len(self._positions) > _CACHE_SIZE:
            del self._positions[next(iter(self._positions))]

    def of(self, player: int) -> int:
        """Where the player's last command left the log; 0 when that is not known."""
        return self._positions.get(player, 0)
