"""The content of an export: three of the log's tables as data, and their canonical bytes.

The canonical bytes of a row are its columns in the order given here. A number is eight big-endian
bytes. A text has two bytes of its length in UTF-8 in front, bytes have four bytes of their length.
A flag is one byte. A table's hash is the SHA-256 of all its rows, in the table's order; for the
facts that is the order of positions.
"""

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from typing import Any, Final

from msgspec import Struct

from engine.fairness.draw import lp, u32
from scripts.audit_tool.database import Connection

Row = tuple[Any, ...]
_PAGE: Final = 5_000


class ColumnType(Enum):
    """The type of a column; the value is its type in PostgreSQL."""

    NUMBER = "int8"
    TEXT = "text"
    BYTES = "bytea"
    FLAG = "bool"


class Table(Struct, frozen=True):
    """A table of the log: its columns under their names in an export."""

    name: str
    columns: dict[str, ColumnType]
    stored: tuple[str, ...]
    order: str

    def rows(self, connection: Connection) -> Iterator[Row]:
        """Yields every row, in the table's order, read in pages."""
        query = f"SELECT {', '.join(self.stored)} FROM log.{self.name} ORDER BY {self.order}"
        with connection.cursor(f"all_{self.name}") as cursor:
            cursor.itersize = _PAGE
            cursor.execute(query.encode(), binary=True)
            yield from cursor

    def count(self, connection: Connection) -> int:
        """Returns the number of rows."""
        row = connection.execute(f"SELECT count(*) FROM log.{self.name}".encode()).fetchone()
        assert row is not None
        return int(row[0])

    def canonical(self, row: Row) -> bytes:
        """Returns the bytes of a row that are hashed.

        Raises:
            OverflowError: a number or a text does not fit.
        """
        kinds = self.columns.values()
        return b"".join(_CANONICAL[kind](value) for kind, value in zip(kinds, row, strict=True))


_CANONICAL: Final[dict[ColumnType, Callable[[Any], bytes]]] = {
    ColumnType.NUMBER: lambda value: value.to_bytes(8, "big"),
    ColumnType.TEXT: lp,
    ColumnType.BYTES: lambda value: u32(len(value)) + value,
    ColumnType.FLAG: lambda value: bytes([value]),
}

FACTS: Final = Table(
    "facts",
    {
        "position": ColumnType.NUMBER,
        "stream": ColumnType.TEXT,
        "version": ColumnType.NUMBER,
        "topic": ColumnType.TEXT,
        "at": ColumnType.NUMBER,
        "command_id": ColumnType.TEXT,
        "actor": ColumnType.TEXT,
        "state": ColumnType.BYTES,
    },
    (
        *("notification_id", "originator_id", "originator_version", "topic"),
        *("at", "command_id", "actor", "state"),
    ),
    "notification_id",
)
OUTCOMES: Final = Table(
    "outcomes",
    {
        "actor": ColumnType.TEXT,
        "key": ColumnType.TEXT,
        "command": ColumnType.BYTES,
        "answer": ColumnType.BYTES,
        "refused": ColumnType.FLAG,
        "at": ColumnType.NUMBER,
    },
    ("actor", "key", "command", "answer", "refused", "at"),
    "actor, key",
)
BATCHES: Final = Table(
    "batches",
    {
        "batch": ColumnType.BYTES,
        "epoch": ColumnType.NUMBER,
        "last_position": ColumnType.NUMBER,
        "at": ColumnType.NUMBER,
    },
    ("batch", "epoch", "last_position", "at"),
    "last_position, batch",
)
TABLES: Final = (FACTS, OUTCOMES, BATCHES)

_OTHERS = (
    "SELECT schemaname || '.' || tablename FROM pg_tables"
    " WHERE schemaname = 'log' AND NOT tablename = ANY(%s) ORDER BY 1"
)


def left_out(connection: Connection, exported: Collection[str]) -> list[str]:
    """Returns the tables of the log that are not exported, by name."""
    return [name for (name,) in connection.execute(_OTHERS, (list(exported),))]
