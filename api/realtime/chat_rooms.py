"""Chat messages of a hall in wire form: the same bytes for all clients.

Texts are read from the vault once, in the follower's thread. The vault has no texts of an erased
player, so their messages are not shown. Newer messages push out the oldest.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Raw, Struct, field

from api.http.field_types import At
from api.http.wire import encode, event, mask_name, seconds
from engine.runtime.vault.player_directory import NicknameCache
from projections.chat import ChatMessageRow

MAX_MESSAGES_KEPT: Final = 200
"""At most what the engine keeps of a single player, so that any shown message can be removed."""
MESSAGES_SHOWN: Final = 50
REMOVALS_SHOWN: Final = 100


class ChatMessage(Struct, frozen=True, gc=False):
    """A chat message in a hall; the nickname is masked, `createtime` is in seconds since 1970."""

    id: str
    nickname: str
    words: str
    createtime: At


class ChatRemoval(Struct, frozen=True, gc=False):
    """Ids of messages that are no longer shown."""

    ids: tuple[str, ...]


class RenderedMessage(Struct, frozen=True):
    """A message that was not removed, with its wire form."""

    row: ChatMessageRow
    encoded: Raw


class _ChatPart(Struct, frozen=True, gc=False):
    chat: list[Raw]
    chat_removed: list[str]


class MessageRenderer:
    """Renders messages with their texts and nicknames; `words` reads the vault and blocks."""

    def __init__(
        self, names: NicknameCache, words: Callable[[Iterable[str]], dict[str, str]]
    ) -> None:
        self._names = names
        self._words = words

    def __call__(self, rows: Sequence[ChatMessageRow]) -> dict[int, RenderedMessage]:
        """Returns the messages that were not removed and still have a text, by position."""
        visible = [it for it in rows if not it.removed_position]
        if not visible:
            return {}
        words = self._words(it.message for it in visible)
        self._names.ensure_loaded(it.player for it in visible)
        return {
            it.position: self._render(it, words[it.message])
            for it in visible
            if it.message in words
        }

    def _render(self, row: ChatMessageRow, words: str) -> RenderedMessage:
        nickname = mask_name(self._names(row.player))
        message = ChatMessage(row.message, nickname, words, seconds(row.at))
        return RenderedMessage(row, Raw(encode(message)))


class ChatRoom(Struct, gc=False):
    """The messages of one hall, newest last, and the log positions of the removals."""

    messages: deque[RenderedMessage] = field(
        default_factory=lambda: deque(maxlen=MAX_MESSAGES_KEPT)
    )
    removed: dict[str, int] = field(default_factory=dict)
    part: bytes = b""

    def load(self, rows: Sequence[ChatMessageRow], rendered: dict[int, RenderedMessage]) -> None:
        """Replace the content with the hall's newest messages, oldest first."""
        self.messages.clear()
        self.messages.extend(rendered[it.position] for it in rows if it.position in rendered)
        removed = sorted((it.removed_position, it.message) for it in rows if it.removed_position)
        self.removed = {message: position for position, message in removed}
        self.part = b""

    def add(self, message: RenderedMessage) -> None:
        """Append a new message."""
        self.messages.append(message)
        self.part = b""

    def remove(self, ids: Sequence[str], position: int) -> ChatRemoval:
        """Remove these messages and return the message that clients receive."""
        remaining = [message for message in self.messages if message.row.message not in ids]
        self.messages.clear()
        self.messages.extend(remaining)
        self.removed |= dict.fromkeys(ids, position)
        while len(self.removed) > MAX_MESSAGES_KEPT:
            del self.removed[next(iter(self.removed))]
        self.part = b""
        return ChatRemoval(tuple(ids))

    def ids_by(self, player: int) -> list[str]:
        """Returns the ids of a player's messages in this hall."""
        return [message.row.message for message in self.messages if message.row.player == player]

    def shown(self) -> list[Raw]:
        """Returns the newest messages that were not removed, oldest first."""
        return [message.encoded for message in self.messages][-MESSAGES_SHOWN:]

    def encoded(self) -> bytes:
        """Returns the hall's chat as the inside of a JSON object, encoded once per change."""
        if not self.part:
            part = _ChatPart(self.shown(), list(self.removed)[-REMOVALS_SHOWN:])
            self.part = encode(part)[1:-1]
        return self.part

    def missed(self, after: int) -> list[tuple[int, bytes]]:
        """Returns messages and removals after a position, as events with their positions."""
        added = [
            (message.row.position, event("chat", message.row.position, message.encoded))
            for message in self.messages
            if message.row.position > after
        ]
        removed = [
            (position, event("chat_removed", position, encode(ChatRemoval((message,)))))
            for message, position in self.removed.items()
            if position > after
        ]
        return added + removed
