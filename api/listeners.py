"""Open event streams: who listens where, and what waits to be sent to them.

A listener whose queue is full reads too slowly and is cut off: the browser comes back by itself
and is told the whole state again.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw

from api.texts import Translations

QUEUE_BYTES: Final = 512 * 1024
MAX_CHUNK_BYTES: Final = 16 * 1024
"""What is handed to the server at once; it holds a few of these for a reader who lags."""


class Subscriber:
    """One open stream; `player` is 0 for a guest of the house without a session."""

    def __init__(self, plan: int, player: int, texts: Translations) -> None:
        self.plan = plan
        self.player = player
        self.texts = texts
        self.ended = asyncio.Event()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()

    def send(self, content: bytes) -> None:
        """Queue something to be sent; too much of it ends the stream, and all of it is dropped."""
        if self.ended.is_set():
            return
        if self._size + len(content) > QUEUE_BYTES:
            self._waiting.clear()
            self._size = 0
            self.end()
            return
        self._waiting.append(content)
        self._size += len(content)
        self._changed.set()

    def end(self) -> None:
        """Close the stream from our side."""
        self.ended.set()
        self._changed.set()

    async def take(self, timeout_s: float) -> bytes | None:
        """Some of what has come since the last time; None when nothing came in time."""
        if not self._waiting and not self.ended.is_set():
            self._changed.clear()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._changed.wait()
            except TimeoutError:
                return None
        taken: list[bytes] = []
        size = 0
        while self._waiting and size < MAX_CHUNK_BYTES:
            taken.append(self._waiting.popleft())
            size += len(taken[-1])
        self._size -= size
        return b"".join(taken)


class Subscribers:
    """All open streams, by room and by player."""

    def __init__(self) -> None:
        self._by_room: defaultdict[int, set[Subscriber]] = defaultdict(set)
        self._by_player: dict[int, set[Subscriber]] = {}
        self._closed = False

    def add(self, subscriber: Subscriber) -> None:
        """A stream was opened."""
        if self._closed:
            subscriber.end()
        self._by_room[subscriber.plan].add(subscriber)
        if subscriber.player:
            self._by_player.setdefault(subscriber.player, set()).add(subscriber)

    def remove(self, subscriber: Subscriber) -> None:
        """A stream has ended."""
        self._by_room[subscriber.plan].discard(subscriber)
        own = self._by_player.get(subscriber.player)
        if own is not None:
            own.discard(subscriber)
            if not own:
                del self._by_player[subscriber.player]

    def end_streams(self, player: int) -> None:
        """End a player's streams; whoever still has a session comes back by themselves."""
        for subscriber in self._by_player.get(player, ()):
            subscriber.end()

    @property
    def number(self) -> int:
        """How many streams are open."""
        return sum(len(subscribers) for subscribers in self._by_room.values())

    def has_stream(self, player: int) -> bool:
        """Whether the player has a stream open; may be asked from any thread."""
        return player in self._by_player

    def of(self, player: int) -> Iterable[Subscriber]:
        """A player's streams."""
        return tuple(self._by_player.get(player, ()))

    def in_room(self, plan: int) -> Iterable[Subscriber]:
        """Who listens in a room."""
        return tuple(self._by_room[plan])

    def send_to_room(
        self, plan: int, name: str, position: int, encoded: Callable[[Translations], Raw]
    ) -> None:
        """Send an event to a room, encoded once a language."""
        events: dict[str, bytes] = {}
        for subscriber in self._by_room[plan]:
            language = subscriber.texts.name
            if language not in events:
                events[language] = event(name, position, encoded(subscriber.texts))
            subscriber.send(events[language])

    def send_to_player(self, player: int, content: bytes) -> None:
        """Send something to all of a player's streams."""
        for subscriber in self._by_player.get(player, ()):
            subscriber.send(content)

    def close(self) -> None:
        """End every stream, and those that come late."""
        self._closed = True
        for subscribers in self._by_room.values():
            for subscriber in subscribers:
                subscriber.end()


def event(name: str, position: int, data: bytes | Raw) -> bytes:
    """A server-sent event whose id is a position of the log."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (position, name.encode(), bytes(data))
