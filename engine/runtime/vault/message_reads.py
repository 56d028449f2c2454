"""Read marks: which of their messages players have read."""

from typing import Final

from msgspec import Struct

from engine.runtime.vault.base import VaultPart

_ALL: Final = ""
_MARKS: Final = "SELECT message, until FROM vault.messages_read WHERE player = %s"
_MARK: Final = (
    "INSERT INTO vault.messages_read (player, message, until) VALUES (%s, %s, %s)"
    " ON CONFLICT (player, message) DO UPDATE"
    " SET until = greatest(messages_read.until, excluded.until)"
)
_DELETE_COVERED: Final = (
    "DELETE FROM vault.messages_read WHERE player = %s AND message <> %s AND until <= %s"
)


class ReadMarks(Struct, frozen=True):
    """A player has read all messages up to log position `until`, and the later `messages`."""

    until: int = 0
    messages: frozenset[str] = frozenset()

    def has(self, message: str, position: int) -> bool:
        """Whether the player has read the message, whose fact is at this log position."""
        return position <= self.until or message in self.messages


class MessageReads(VaultPart):
    """Stores and reads read marks."""

    def read_marks(self, player: int) -> ReadMarks:
        """Returns the player's read marks."""
        with self._pool.connection() as connection:
            marks: dict[str, int] = dict(connection.execute(_MARKS, (player,)).fetchall())
        until = marks.pop(_ALL, 0)
        return ReadMarks(until, frozenset(marks))

    def mark_read(self, player: int, message: str, position: int) -> None:
        """Mark one message as read; its fact is at log position `position`."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, message, position))

    def mark_all_read(self, player: int, until: int) -> None:
        """Mark all messages up to log position `until` as read."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, _ALL, until))
            connection.execute(_DELETE_COVERED, (player, _ALL, until))
