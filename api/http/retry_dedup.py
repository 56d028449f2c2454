"""State between two calls of a client: retries without a key, and last seen log positions."""

import secrets
from collections.abc import Callable
from itertools import islice
from typing import Final

from msgspec import Struct

JOIN_TIMEOUT_S: Final = 61.0
_CACHE_SIZE: Final = 50_000
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
            if len(self._calls) > _CACHE_SIZE or (at is not None and at < oldest):
                del self._calls[identity]


class LastSeenPositions:
    """The log position after each player's last command, for read-your-writes consistency."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}

    def record(self, player: int, position: int) -> None:
        """Record the position of an answer to this player; 0 if it is unknown."""
        previous = self._positions.pop(player, 0)
        self._positions[player] = max(previous, position)
        while len(self._positions) > _CACHE_SIZE:
            del self._positions[next(iter(self._positions))]

    def of(self, player: int) -> int:
        """Returns the log position after the player's last command; 0 if it is unknown."""
        return self._positions.get(player, 0)
