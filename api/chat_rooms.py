"""What is said in a hall, as it goes over the wire: the same bytes for everybody.

Words are read from the vault once, in the follower's thread; what an erased member said is not
there, and so not shown. Newer messages push out the oldest.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Raw, Struct, field

from api.listeners import event
from api.names import NicknameCache
from api.units import At
from api.wire import encode, mask_name, seconds
from projections.feed.queries import ChatMessageRow

MAX_MESSAGES_KEPT: Final = 200
"""No more than the engine remembers of a single player, so that what is shown can be removed."""
MESSAGES_SHOWN: Final = 50
REMOVALS_SHOWN: Final = 100


class ChatMessage(Struct, frozen=True, gc=False):
    """What somebody said in a hall; the nickname is masked, `createtime` in seconds since 1970."""

    id: str
    nickname: str
    words: str
    createtime: At


class ChatRemoval(Struct, frozen=True, gc=False):
    """Messages that are shown no more."""

    ids: tuple[str, ...]


class RenderedMessage(Struct, frozen=True):
    """A message that stands, with its wire form."""

    row: ChatMessageRow
    encoded: Raw


class _ChatPart(Struct, frozen=True, gc=False):
    chat: list[Raw]
    chat_removed: list[str]


class MessageRenderer:
    """Messages with their words and names; `words` reads texts of the vault and blocks."""

    def __init__(
        self, names: NicknameCache, words: Callable[[Iterable[str]], dict[str, str]]
    ) -> None:
        self._names = names
        self._words = words

    def __call__(self, rows: Sequence[ChatMessageRow]) -> dict[int, RenderedMessage]:
        """Those of these messages that stand and whose words are kept, by their positions."""
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
    """The messages of one hall, newest last, and where in the log those removed were."""

    messages: deque[RenderedMessage] = field(
        default_factory=lambda: deque(maxlen=MAX_MESSAGES_KEPT)
    )
    removed: dict[str, int] = field(default_factory=dict)
    part: bytes = b""

    def load(self, rows: Sequence[ChatMessageRow], rendered: dict[int, RenderedMessage]) -> None:
        """Take up what the hall's newest messages are, oldest first, whatever was known before."""
        self.messages.clear()
        self.messages.extend(rendered[it.position] for it in rows if it.position in rendered)
        removed = sorted((it.removed_position, it.message) for it in rows if it.removed_position)
        self.removed = {message: position for position, message in removed}
        self.part = b""

    def add(self, message: RenderedMessage) -> None:
        """Somebody said something."""
        self.messages.append(message)
        self.part = b""

    def remove(self, ids: Sequence[str], position: int) -> ChatRemoval:
        """These messages are shown no more."""
        remaining = [message for message in self.messages if message.row.message not in ids]
        self.messages.clear()
        self.messages.extend(remaining)
        self.removed |= dict.fromkeys(ids, position)
        while len(self.removed) > MAX_MESSAGES_KEPT:
            del self.removed[next(iter(self.removed))]
        self.part = b""
        return ChatRemoval(tuple(ids))

    def ids_by(self, player: int) -> list[str]:
        """The ids of a player's messages that stand here."""
        return [message.row.message for message in self.messages if message.row.player == player]

    def shown(self) -> list[Raw]:
        """The newest messages that stand, oldest first."""
        return [message.encoded for message in self.messages][-MESSAGES_SHOWN:]

    def encoded(self) -> bytes:
        """The hall's chat as the inside of a JSON object, made once a change."""
        if not self.part:
            part = _ChatPart(self.shown(), list(self.removed)[-REMOVALS_SHOWN:])
            self.part = encode(part)[1:-1]
        return self.part

    def missed(self, after: int) -> list[tuple[int, bytes]]:
        """What was said and removed behind a position, as events with their positions."""
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
