"""What happened in a room last, so that whoever comes back to its stream hears what they missed.

It goes on from round to round, and holds the running one and those just before it. A reader who
comes back with a position that is held hears every bet, recall and draw behind it, in the order of
the log; for anybody else it has no answer, and their stream begins anew.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Raw, Struct

from api.listeners import event
from api.texts import Translations

MAX_EVENTS_KEPT: Final = 600
"""Twice the bets that a room holds, so that they fit with their recalls and draws."""
MAX_ROUNDS_KEPT: Final = 4
"""Long enough to restart a house in, even where rounds take ten seconds."""


class RoomEvent(Struct, frozen=True, gc=False):
    """An event of the room, where in the log it stands, and its data in a language."""

    position: int
    name: str
    encoded: Callable[[Translations], Raw]

    def event(self, texts: Translations) -> bytes:
        """As a stream sends it."""
        return event(self.name, self.position, self.encoded(texts))


class ReplayBuffer:
    """The newest events of one room, oldest first."""

    def __init__(self) -> None:
        self._events: deque[RoomEvent] = deque()
        self._replay_start = 0

    def load(self, replay_start: int, events: Iterable[RoomEvent]) -> None:
        """These are the events behind the position `held_from`, whatever was known before."""
        self._events = deque(sorted(events, key=lambda happened: happened.position))
        self._replay_start = replay_start
        self._trim()

    def add(self, room_event: RoomEvent) -> None:
        """Something has happened."""
        self._events.append(room_event)
        self._trim()

    def evict(self, until: int) -> None:
        """Hold nothing any more up to this position."""
        while self._events and self._events[0].position <= until:
            self._events.popleft()
        self._replay_start = max(self._replay_start, until)

    def after(self, position: int) -> list[RoomEvent] | None:
        """What happened behind a position; None when not all of that is held."""
        if position < self._replay_start:
            return None
        return [one for one in self._events if one.position > position]

    def _trim(self) -> None:
        while len(self._events) > MAX_EVENTS_KEPT:
            self._replay_start = self._events.popleft().position
