"""Open event streams: who listens where, and what waits to be sent to them.

A listener whose queue is full reads too slowly and is cut off: the browser comes back by itself
and is told the whole state again.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw

from api.texts import Texts

QUEUE_BYTES: Final = 512 * 1024
SENT_AT_ONCE: Final = 16 * 1024
"""What is handed to the server at once; it holds a few of these for a reader who lags."""


class Listener:
    """One open stream; `player` is 0 for a guest of the house without a session."""

    def __init__(self, plan: int, player: int, texts: Texts) -> None:
        self.plan = plan
        self.player = player
        self.texts = texts
        self.ended = asyncio.Event()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._news = asyncio.Event()

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
        self._news.set()

    def end(self) -> None:
        """Close the stream from our side."""
        self.ended.set()
        self._news.set()

    async def take(self, within_s: float) -> bytes | None:
        """Some of what has come since the last time; None when nothing came in time."""
        if not self._waiting and not self.ended.is_set():
            self._news.clear()
            try:
                async with asyncio.timeout(within_s):
                    await self._news.wait()
            except TimeoutError:
                return None
        taken: list[bytes] = []
        size = 0
        while self._waiting and size < SENT_AT_ONCE:
            taken.append(self._waiting.popleft())
            size += len(taken[-1])
        self._size -= size
        return b"".join(taken)


class Listeners:
    """All open streams, by room and by player."""

    def __init__(self) -> None:
        self._by_room: defaultdict[int, set[Listener]] = defaultdict(set)
        self._by_player: dict[int, set[Listener]] = {}
        self._closed = False

    def add(self, listener: Listener) -> None:
        """A stream was opened."""
        if self._closed:
            listener.end()
        self._by_room[listener.plan].add(listener)
        if listener.player:
            self._by_player.setdefault(listener.player, set()).add(listener)

    def remove(self, listener: Listener) -> None:
        """A stream has ended."""
        self._by_room[listener.plan].discard(listener)
        mine = self._by_player.get(listener.player)
        if mine is not None:
            mine.discard(listener)
            if not mine:
                del self._by_player[listener.player]

    def end_of(self, player: int) -> None:
        """End a player's streams; whoever still has a session comes back by themselves."""
        for listener in self._by_player.get(player, ()):
            listener.end()

    @property
    def number(self) -> int:
        """How many streams are open."""
        return sum(len(listeners) for listeners in self._by_room.values())

    def watches(self, player: int) -> bool:
        """Whether the player has a stream open; may be asked from any thread."""
        return player in self._by_player

    def of(self, player: int) -> Iterable[Listener]:
        """A player's streams."""
        return tuple(self._by_player.get(player, ()))

    def in_room(self, plan: int) -> Iterable[Listener]:
        """Who listens in a room."""
        return tuple(self._by_room[plan])

    def tell_room(
        self, plan: int, name: str, position: int, encoded: Callable[[Texts], Raw]
    ) -> None:
        """Send an event to a room, encoded once a language."""
        events: dict[str, bytes] = {}
        for listener in self._by_room[plan]:
            language = listener.texts.name
            if language not in events:
                events[language] = event(name, position, encoded(listener.texts))
            listener.send(events[language])

    def tell_player(self, player: int, content: bytes) -> None:
        """Send something to all of a player's streams."""
        for listener in self._by_player.get(player, ()):
            listener.send(content)

    def close(self) -> None:
        """End every stream, and those that come late."""
        self._closed = True
        for listeners in self._by_room.values():
            for listener in listeners:
                listener.end()


def event(name: str, position: int, data: bytes | Raw) -> bytes:
    """A server-sent event whose id is a position of the log."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (position, name.encode(), bytes(data))
