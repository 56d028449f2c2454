"""Reading rows, and lists cut at a limit with the cursor that continues them."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import tuple_row

T = TypeVar("T")
LIMIT = 1_000
END = (1 << 62, 1 << 62)


class CursorPage(Struct, Generic[T], frozen=True):
    """Items, newest first; `cursor` continues the list and is None where it ends."""

    items: tuple[T, ...]
    cursor: str | None


def parse_cursor(cursor: str | None) -> tuple[int, int]:
    """The (time, position) that a list continues behind; a ValueError for a foreign cursor."""
    if cursor is None:
        return END
    at, _, position = cursor.partition("-")
    return int(at), int(position)


def paginate(
    rows: Sequence[tuple[Any, ...]],
    limit: int,
    item: Callable[[tuple[Any, ...]], T],
    key: Callable[[T], tuple[int, int]],
) -> CursorPage[T]:
    """The first `limit` rows as items; one row more than that shows that there are more."""
    items = tuple(item(row) for row in rows[:limit])
    if len(rows) <= limit:
        return CursorPage(items, None)
    at, position = key(items[-1])
    return CursorPage(items, f"{at}-{position}")


def rows(connection: Connection[Any], query: str, values: Any) -> list[tuple[Any, ...]]:
    """The rows of one statement, whatever rows the connection makes otherwise."""
    with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
        return cursor.execute(query, values, prepare=True).fetchall()
