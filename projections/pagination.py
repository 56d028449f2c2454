"""Row queries, and cursor pagination."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import tuple_row

T = TypeVar("T")
LIMIT = 1_000
#: Before every row of a list, which runs from the newest to the oldest.
START = (1 << 62, 1 << 62)


class CursorPage(Struct, Generic[T], frozen=True):
    """Items, newest first; `cursor` continues the list and is None at its end."""

    items: tuple[T, ...]
    cursor: str | None


def parse_cursor(cursor: str | None) -> tuple[int, int]:
    """Returns the (time, position) after which the list continues.

    Raises ValueError if the cursor is invalid.
    """
    if cursor is None:
        return START
    at, _, position = cursor.partition("-")
    return int(at), int(position)


def paginate(
    rows: Sequence[tuple[Any, ...]],
    limit: int,
    item: Callable[[tuple[Any, ...]], T],
    key: Callable[[T], tuple[int, int]],
) -> CursorPage[T]:
    """Returns the first `limit` rows as items; one more row means that the list continues."""
    items = tuple(item(row) for row in rows[:limit])
    if len(rows) <= limit:
        return CursorPage(items, None)
    at, position = key(items[-1])
    return CursorPage(items, f"{at}-{position}")


def fetch_rows(connection: Connection[Any], query: str, values: Any) -> list[tuple[Any, ...]]:
    """Returns the rows of one statement as tuples, whatever the connection's row factory."""
    with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
        return cursor.execute(query, values, prepare=True).fetchall()
