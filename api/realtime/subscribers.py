"""Open event streams by room and player, each with a send queue.

A subscriber whose queue is full reads too slowly, so its stream is ended. The browser reconnects by
itself and receives the whole state again.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw

from api.http.localization import Translations
from api.http.wire import event

QUEUE_BYTES: Final = 512 * 1024
MAX_CHUNK_BYTES: Final = 16 * 1024
"""The most that the ASGI server gets at once; it buffers a few of these for a slow client."""


class Subscriber:
    """One open stream; `player` is 0 for a client without a session."""

    def __init__(self, plan: int, player: int, texts: Translations) -> None:
        self.plan = plan
        self.player = player
        self.texts = texts
        self.ended = asyncio.Event()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()

    def send(self, content: bytes) -> None:
        """Queue content; if the queue exceeds `QUEUE_BYTES`, drop it and end the stream."""
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
        """End the stream from the server's side."""
        self.ended.set()
        self._changed.set()

    async def take(self, timeout_s: float) -> bytes | None:
        """Returns some of the queued content; None if nothing was queued within the timeout."""
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
        """Register an opened stream; it is ended if streams are closed."""
        if self._closed:
            subscriber.end()
        self._by_room[subscriber.plan].add(subscriber)
        if subscriber.player:
            self._by_player.setdefault(subscriber.player, set()).add(subscriber)

    def remove(self, subscriber: Subscriber) -> None:
        """Unregister an ended stream."""
        self._by_room[subscriber.plan].discard(subscriber)
        own = self._by_player.get(subscriber.player)
        if own is not None:
            own.discard(subscriber)
            if not own:
                del self._by_player[subscriber.player]

    def end_streams(self, player: int) -> None:
        """End a player's streams; clients that still have a session reconnect by themselves."""
        for subscriber in self._by_player.get(player, ()):
            subscriber.end()

    @property
    def number(self) -> int:
        """How many streams are open; callable from any thread."""
        return sum(len(subscribers) for subscribers in tuple(self._by_room.values()))

    def has_stream(self, player: int) -> bool:
        """Whether the player has a stream open; callable from any thread."""
        return player in self._by_player

    def of(self, player: int) -> Iterable[Subscriber]:
        """Returns a player's streams."""
        return tuple(self._by_player.get(player, ()))

    def in_room(self, plan: int) -> Iterable[Subscriber]:
        """Returns the streams of a room."""
        return tuple(self._by_room[plan])

    def send_to_room(
        self, plan: int, name: str, position: int, encoded: Callable[[Translations], Raw]
    ) -> None:
        """Send an event to a room, encoded once per language."""
        events: dict[str, bytes] = {}
        for subscriber in self._by_room[plan]:
            language = subscriber.texts.name
            if language not in events:
                events[language] = event(name, position, encoded(subscriber.texts))
            subscriber.send(events[language])

    def send_to_player(self, player: int, content: bytes) -> None:
        """Send content to all of a player's streams."""
        for subscriber in self._by_player.get(player, ()):
            subscriber.send(content)

    def close(self) -> None:
        """End every stream, and each one that is added later."""
        self._closed = True
        self.end_all()

    def end_all(self) -> None:
        """End every stream; clients that still have a session reconnect by themselves."""
        for subscribers in self._by_room.values():
            for subscriber in subscribers:
                subscriber.end()
