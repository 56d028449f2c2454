"""Queries on published content. Times are microseconds since 1970."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_ALL = (
    "SELECT id, player, kind, digest, position, at, changed_at, changed_by, shown = 1"
    " FROM views.contents"
)
_SHOWN = (
    f"{_ALL} WHERE player = 0 AND kind = ANY(%s) AND shown = 1 ORDER BY position DESC LIMIT {LIMIT}"
)
_EVERY = (
    f"{_ALL} WHERE position < %(position)s AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    " ORDER BY position DESC LIMIT %(limit)s"
)
_ONE = f"{_ALL} WHERE id = %s"


class ContentRow(Struct, frozen=True, gc=False):
    """Content published to all (`player` 0) or sent to one member; `digest` is the key of its text.

    `at` and `position` are those of the first publication, `changed_*` those of the last change.
    """

    id: str
    player: int
    kind: str
    digest: str
    position: int
    at: int
    changed_at: int
    changed_by: str
    shown: bool


def shown(connection: Connection[Any], kinds: Sequence[str]) -> tuple[ContentRow, ...]:
    """Returns the visible content of these kinds for all members, newest first."""
    return tuple(ContentRow(*row) for row in rows(connection, _SHOWN, (list(kinds),)))


def every(
    connection: Connection[Any],
    kind: str | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ContentRow]:
    """Returns everything, withdrawn content and messages to one member included, newest first.

    Raises ValueError if the cursor is invalid.
    """
    values = {"kind": kind, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = rows(connection, _EVERY, values)
    return paginate(found, limit, lambda row: ContentRow(*row), lambda it: (it.at, it.position))


def content(connection: Connection[Any], content_id: str) -> ContentRow | None:
    """Returns the content published under this id, even if it was withdrawn."""
    found = rows(connection, _ONE, (content_id,))
    return ContentRow(*found[0]) if found else None
