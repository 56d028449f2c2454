"""Conversations of the reference desk, kept in memory for half an hour after their last frame."""

import secrets
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from scripts.reference_desk.protocol import (
    MAX_TEXT_LENGTH,
    FromDesk,
    Hello,
    Message,
    Received,
    Refused,
    State,
)

_CONVERSATION_TTL_S: Final = 1_800.0
_MAX_CONVERSATIONS: Final = 1_000
_MAX_MESSAGES_KEPT: Final = 200
_RATE_LIMIT, _RATE_WINDOW_S = 10, 10.0


class CannedReplies(msgspec.Struct, frozen=True):
    """`greeting` or `away` opens a conversation; `answer` follows each message."""

    greeting: str
    away: str
    answer: str


REPLIES: Final = msgspec.json.decode(
    Path(__file__).with_name("sayings.json").read_bytes(), type=dict[str, CannedReplies]
)


def replies_in(language: str) -> CannedReplies:
    """Returns the texts in a language; an unknown one gets English."""
    return REPLIES.get(language, REPLIES["en"])


class Conversation:
    """The messages of one visit, in both directions."""

    def __init__(self, replies: CannedReplies, now: float) -> None:
        """Initially without messages."""
        self._replies = replies
        self.seen_at = now
        self._sent: deque[Message] = deque(maxlen=_MAX_MESSAGES_KEPT)
        # A restarted desk must not repeat the ids of the previous one.
        self._id = secrets.token_hex(8)
        self._numbered = 0
        self._received: deque[str] = deque(maxlen=_MAX_MESSAGES_KEPT)
        self._times: deque[float] = deque(maxlen=_RATE_LIMIT)

    def sent_after(self, last: str) -> tuple[Message, ...]:
        """Returns the desk's messages after the one of this id; all if the id is unknown."""
        sent = tuple(self._sent)
        ids = [each.id for each in sent]
        return sent[ids.index(last) + 1 :] if last in ids else sent

    def add_message(self, text: str) -> Message:
        """Add a message of the desk."""
        self._numbered += 1
        self._sent.append(Message(f"{self._id}-{self._numbered}", text))
        return self._sent[-1]

    def take(self, message: Message, now: float) -> Iterator[FromDesk]:
        """Acknowledge a message; reply to it if it is new."""
        self.seen_at = now
        if message.id in self._received:
            yield Received(message.id)
            return
        text = message.text.strip()
        if not text:
            yield Refused(message.id, "empty")
        elif len(text) > MAX_TEXT_LENGTH:
            yield Refused(message.id, "too_long")
        elif self._is_too_fast(now):
            yield Refused(message.id, "too_fast")
        else:
            self._times.append(now)
            self._received.append(message.id)
            yield Received(message.id)
            yield self.add_message(self._replies.answer)

    def _is_too_fast(self, now: float) -> bool:
        return len(self._times) == _RATE_LIMIT and now - self._times[0] < _RATE_WINDOW_S


class Desk:
    """All conversations; `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float], *, away: bool) -> None:
        """Initially without conversations."""
        self._clock = clock
        self._away = away
        self._conversations: dict[str, Conversation] = {}

    def open(self, hello: Hello) -> tuple[Conversation, tuple[FromDesk, ...]]:
        """Returns the conversation of a visit, and the first messages to the app."""
        self._evict_old()
        found = self._conversations.get(hello.visit)
        if found is None:
            replies = replies_in(hello.language)
            found = Conversation(replies, self._clock())
            found.add_message(replies.away if self._away else replies.greeting)
            self._conversations[hello.visit] = found
        found.seen_at = self._clock()
        return found, (State("away" if self._away else "here"), *found.sent_after(hello.after))

    def take(self, conversation: Conversation, message: Message) -> Iterator[FromDesk]:
        """Yields the replies to a message of the app."""
        return conversation.take(message, self._clock())

    def _evict_old(self) -> None:
        oldest = sorted(self._conversations, key=lambda visit: self._conversations[visit].seen_at)
        too_many = len(oldest) - _MAX_CONVERSATIONS + 1
        for at, visit in enumerate(oldest):
            if (
                at < too_many
                or self._clock() - self._conversations[visit].seen_at > _CONVERSATION_TTL_S
            ):
                del self._conversations[visit]
