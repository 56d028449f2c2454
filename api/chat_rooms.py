"""What is said in a hall, as it goes over the wire: the same bytes for everybody.

Words are read from the vault once, in the follower's thread; what an erased member said is not
there, and so not shown. Newer messages push out the oldest.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Raw, Struct, field

from api.listeners import event
from api.names import Names
from api.units import At
from api.wire import encode, masked, seconds
from projections.feed.queries import Said

LINES_KEPT: Final = 200
"""No more than the engine remembers of a single player, so that what is shown can be removed."""
LINES_SHOWN: Final = 50
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


class Line(Struct, frozen=True):
    """A message that stands, with its wire form."""

    said: Said
    encoded: Raw


class _ChatPart(Struct, frozen=True, gc=False):
    chat: list[Raw]
    chat_removed: list[str]


class Lines:
    """Messages with their words and names; `words` reads texts of the vault and blocks."""

    def __init__(self, names: Names, words: Callable[[Iterable[str]], dict[str, str]]) -> None:
        self._names = names
        self._words = words

    def __call__(self, said: Sequence[Said]) -> dict[int, Line]:
        """Those of these messages that stand and whose words are kept, by their positions."""
        standing = [it for it in said if not it.removed_position]
        if not standing:
            return {}
        words = self._words(it.message for it in standing)
        self._names.read(it.player for it in standing)
        return {
            it.position: self._line(it, words[it.message]) for it in standing if it.message in words
        }

    def _line(self, said: Said, words: str) -> Line:
        nickname = masked(self._names(said.player))
        message = ChatMessage(said.message, nickname, words, seconds(said.at))
        return Line(said, Raw(encode(message)))


class ChatRoom(Struct, gc=False):
    """The messages of one hall, newest last, and where in the log those removed were."""

    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=LINES_KEPT))
    removed: dict[str, int] = field(default_factory=dict)
    part: bytes = b""

    def begin(self, said: Sequence[Said], lines: dict[int, Line]) -> None:
        """Take up what the hall's newest messages are, oldest first, whatever was known before."""
        self.lines.clear()
        self.lines.extend(lines[it.position] for it in said if it.position in lines)
        gone = sorted((it.removed_position, it.message) for it in said if it.removed_position)
        self.removed = {message: position for position, message in gone}
        self.part = b""

    def add(self, line: Line) -> None:
        """Somebody said something."""
        self.lines.append(line)
        self.part = b""

    def remove(self, ids: Sequence[str], position: int) -> ChatRemoval:
        """These messages are shown no more."""
        standing = [line for line in self.lines if line.said.message not in ids]
        self.lines.clear()
        self.lines.extend(standing)
        self.removed |= dict.fromkeys(ids, position)
        while len(self.removed) > LINES_KEPT:
            del self.removed[next(iter(self.removed))]
        self.part = b""
        return ChatRemoval(tuple(ids))

    def said_by(self, player: int) -> list[str]:
        """The ids of a player's messages that stand here."""
        return [line.said.message for line in self.lines if line.said.player == player]

    def shown(self) -> list[Raw]:
        """The newest messages that stand, oldest first."""
        return [line.encoded for line in self.lines][-LINES_SHOWN:]

    def encoded(self) -> bytes:
        """The hall's chat as the inside of a JSON object, made once a change."""
        if not self.part:
            part = _ChatPart(self.shown(), list(self.removed)[-REMOVALS_SHOWN:])
            self.part = encode(part)[1:-1]
        return self.part

    def missed(self, after: int) -> list[tuple[int, bytes]]:
        """What was said and removed behind a position, as events with their positions."""
        said = [
            (line.said.position, event("chat", line.said.position, line.encoded))
            for line in self.lines
            if line.said.position > after
        ]
        gone = [
            (position, event("chat_removed", position, encode(ChatRemoval((message,)))))
            for message, position in self.removed.items()
            if position > after
        ]
        return said + gone
