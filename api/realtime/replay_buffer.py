"""Replay buffer for SSE.

A client that reconnects with a buffered Last-Event-ID receives the bets, recalls and draws that it
missed, in log order. Any other client starts from a fresh heartbeat. The buffer continues across
rounds: it has the running round and those just before it.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw, Struct

from api.http.localization import Translations
from api.realtime.subscribers import event

MAX_EVENTS_KEPT: Final = 600
"""Twice the bets that a room keeps, so that they fit together with their recalls and draws."""
MAX_ROUNDS_KEPT: Final = 4
"""Enough to cover a restart of the server, even where rounds take ten seconds."""


class RoomEvent(Struct, frozen=True, gc=False):
    """An event of the room, its log position, and its data by language."""

    position: int
    name: str
    encoded: Callable[[Translations], Raw]

    def event(self, texts: Translations) -> bytes:
        """Returns the server-sent event in this language."""
        return event(self.name, self.position, self.encoded(texts))


class ReplayBuffer:
    """The newest events of one room, oldest first."""

    def __init__(self) -> None:
        self._events: deque[RoomEvent] = deque()
        self._replay_start = 0

    def load(self, replay_start: int, events: Iterable[RoomEvent]) -> None:
        """Replace the content with these events, which are all those after `replay_start`."""
        self._events = deque(sorted(events, key=lambda happened: happened.position))
        self._replay_start = replay_start
        self._trim()

    def add(self, room_event: RoomEvent) -> None:
        """Append an event."""
        self._events.append(room_event)
        self._trim()

    def evict(self, until: int) -> None:
        """Drop all events up to this position."""
        while self._events and self._events[0].position <= until:
            self._events.popleft()
        self._replay_start = max(self._replay_start, until)

    def after(self, position: int) -> list[RoomEvent] | None:
        """Returns the events after a position; None if some of them are no longer buffered."""
        if position < self._replay_start:
            return None
        return [one for one in self._events if one.position > position]

    def _trim(self) -> None:
        while len(self._events) > MAX_EVENTS_KEPT:
            self._replay_start = self._events.popleft().position
