"""Which of their messages members have read."""

from typing import Final

from msgspec import Struct

from engine.runtime.vault.part import VaultPart

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
    """All up to the position `until` of the log, and the `messages` beyond it."""

    until: int = 0
    messages: frozenset[str] = frozenset()

    def has(self, message: str, position: int) -> bool:
        """Whether the member has read the message, which stands at this position."""
        return position <= self.until or message in self.messages


class MessageReads(VaultPart):
    """Marking and asking."""

    def read_marks(self, player: int) -> ReadMarks:
        """What the member has read."""
        with self._pool.connection() as connection:
            marks: dict[str, int] = dict(connection.execute(_MARKS, (player,)).fetchall())
        until = marks.pop(_ALL, 0)
        return ReadMarks(until, frozenset(marks))

    def mark_read(self, player: int, message: str, position: int) -> None:
        """The member has read this message, which stands at this position of the log."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, message, position))

    def mark_all_read(self, player: int, until: int) -> None:
        """The member has read everything up to this position of the log."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, _ALL, until))
            connection.execute(_DELETE_COVERED, (player, _ALL, until))
