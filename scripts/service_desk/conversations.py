"""Conversations of the reference desk, kept in memory for half an hour after their last frame."""

import secrets
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from scripts.service_desk.protocol import (
    LONGEST_TEXT,
    FromDesk,
    Hello,
    Message,
    Received,
    Refused,
    State,
)
from scripts.service_desk.sayings import Sayings, sayings_in

_KEPT_S: Final = 1_800.0
_MOST_CONVERSATIONS: Final = 1_000
_MOST_KEPT: Final = 200
_MOST_MESSAGES, _WITHIN_S = 10, 10.0


class Conversation:
    """What one visit wrote and was answered."""

    def __init__(self, sayings: Sayings, now: float) -> None:
        """Begins without messages."""
        self._sayings = sayings
        self.seen_at = now
        self._sent: deque[Message] = deque(maxlen=_MOST_KEPT)
        # A desk that was restarted must not repeat the ids of the one before.
        self._id = secrets.token_hex(8)
        self._numbered = 0
        self._received: deque[str] = deque(maxlen=_MOST_KEPT)
        self._times: deque[float] = deque(maxlen=_MOST_MESSAGES)

    def sent_after(self, last: str) -> tuple[Message, ...]:
        """The desk's messages after the one of this id; all that are kept if it is unknown."""
        sent = tuple(self._sent)
        ids = [each.id for each in sent]
        return sent[ids.index(last) + 1 :] if last in ids else sent

    def say(self, text: str) -> Message:
        """Add a message of the desk."""
        self._numbered += 1
        self._sent.append(Message(f"{self._id}-{self._numbered}", text))
        return self._sent[-1]

    def take(self, message: Message, now: float) -> Iterator[FromDesk]:
        """Acknowledge a message; answer it if it is new."""
        self.seen_at = now
        if message.id in self._received:
            yield Received(message.id)
            return
        text = message.text.strip()
        if not text:
            yield Refused(message.id, "empty")
        elif len(text) > LONGEST_TEXT:
            yield Refused(message.id, "too_long")
        elif self._is_too_fast(now):
            yield Refused(message.id, "too_fast")
        else:
            self._times.append(now)
            self._received.append(message.id)
            yield Received(message.id)
            yield self.say(self._sayings.answer)

    def _is_too_fast(self, now: float) -> bool:
        return len(self._times) == _MOST_MESSAGES and now - self._times[0] < _WITHIN_S


class Desk:
    """All conversations; `clock` gives seconds that only go forward."""

    def __init__(self, clock: Callable[[], float], *, away: bool) -> None:
        """Initially without conversations."""
        self._clock = clock
        self._away = away
        self._conversations: dict[str, Conversation] = {}

    def open(self, hello: Hello) -> tuple[Conversation, tuple[FromDesk, ...]]:
        """The conversation of a visit, and what the app is sent first."""
        self._forget_old()
        found = self._conversations.get(hello.visit)
        if found is None:
            sayings = sayings_in(hello.language)
            found = Conversation(sayings, self._clock())
            found.say(sayings.away if self._away else sayings.greeting)
            self._conversations[hello.visit] = found
        found.seen_at = self._clock()
        return found, (State("away" if self._away else "here"), *found.sent_after(hello.after))

    def take(self, conversation: Conversation, message: Message) -> Iterator[FromDesk]:
        """What a message of the app is answered with."""
        return conversation.take(message, self._clock())

    def _forget_old(self) -> None:
        oldest = sorted(self._conversations, key=lambda visit: self._conversations[visit].seen_at)
        too_many = len(oldest) - _MOST_CONVERSATIONS + 1
        for at, visit in enumerate(oldest):
            if at < too_many or self._clock() - self._conversations[visit].seen_at > _KEPT_S:
                del self._conversations[visit]
