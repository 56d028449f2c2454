"""The read model of content: what was published to all members, or sent to one.

There is one row for everything ever published or sent: its current state, and who last changed it.
The texts are stored elsewhere. A fact has the hash of published content, or a commitment to a
message to one member; these are the keys to the texts.

It owns the table of `inbox.py` too. Times are microseconds since 1970.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.facts import RecordedFact, player_of
from engine.house.published_content import ContentPublished, ContentWithdrawn
from engine.players.facts import MessageSent, MessageWithdrawn
from projections import inbox
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import execute_rows, filter_kinds, insert

MESSAGE: Final = "message"
ALL_PLAYERS: Final = 0
_KINDS: Final = frozenset({ContentPublished, ContentWithdrawn, MessageSent, MessageWithdrawn})
_COLUMNS: Final = "id, player, kind, digest, position, at, changed_at, changed_by, shown"
_TYPES: Final = "tittiiiti"
_SCHEMA: Final = """
CREATE TABLE contents (
    id text COLLATE "C" PRIMARY KEY,
    player bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    position bigint NOT NULL,
    at bigint NOT NULL,
    changed_at bigint NOT NULL,
    changed_by text NOT NULL,
    shown smallint NOT NULL
);
CREATE INDEX contents_kind ON contents (player, kind, position);
"""
_SAVE: Final = insert(
    "contents",
    _COLUMNS,
    then="ON CONFLICT (id) DO UPDATE SET digest = excluded.digest,"
    " changed_at = excluded.changed_at, changed_by = excluded.changed_by, shown = excluded.shown",
)
_LOAD: Final = f"SELECT {_COLUMNS} FROM contents WHERE id = ANY(%s)"
_Row = tuple[Any, ...]


class ContentProjection:
    """The read model."""

    name = "contents"
    version = 1
    tables = ("contents", "money_notes")
    schema = _SCHEMA + inbox.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a withdrawal of content that was never published."""
        inbox.apply(cursor, page)
        facts = filter_kinds(page, _KINDS)
        if facts:
            _apply_contents(cursor, facts)


def _apply_contents(cursor: Cursor[Any], facts: Sequence[RecordedFact]) -> None:
    rows = _load(cursor, facts)
    for it in facts:
        row = _row(it, rows)
        rows[row[0]] = row
    execute_rows(cursor, _SAVE, _TYPES, list(rows.values()))


def _load(cursor: Cursor[Any], facts: Sequence[RecordedFact]) -> dict[str, _Row]:
    gone = [
        fact.content if isinstance(fact, ContentWithdrawn) else fact.message
        for it in facts
        if isinstance(fact := it.fact, ContentWithdrawn | MessageWithdrawn)
    ]
    found = cursor.execute(_LOAD, (gone,)).fetchall() if gone else []
    return {row[0]: tuple(row) for row in found}


def _row(it: RecordedFact, rows: dict[str, _Row]) -> _Row:
    fact = it.fact
    match fact:
        case ContentPublished():
            first = (fact.content, ALL_PLAYERS, fact.kind, fact.digest)
            return (*first, *_since(rows.get(fact.content), it), it.at, fact.by, 1)
        case MessageSent():
            first = (fact.message, player_of(it.stream), MESSAGE, fact.commitment)
            return (*first, *_since(rows.get(fact.message), it), it.at, fact.by, 1)
        case ContentWithdrawn(content=gone) | MessageWithdrawn(message=gone):
            existing = rows.get(gone)
            if existing is None:
                raise LookupError(f"{gone} was never published")
            return (*existing[:6], it.at, fact.by, 0)
        case _:
            raise TypeError(fact)


def _since(existing: _Row | None, it: RecordedFact) -> tuple[int, int]:
    """Returns position and time of the first publication; an existing row keeps its own."""
    return (existing[4], existing[5]) if existing else (it.position, it.at)


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
    return tuple(ContentRow(*row) for row in fetch_rows(connection, _SHOWN, (list(kinds),)))


def all_content(
    connection: Connection[Any],
    kind: str | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ContentRow]:
    """Returns everything, withdrawn content and messages to one member included, newest first.

    Raises ValueError if the cursor is invalid.
    """
    values = {"kind": kind, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = fetch_rows(connection, _EVERY, values)
    return paginate(found, limit, lambda row: ContentRow(*row), lambda it: (it.at, it.position))


def find_content(connection: Connection[Any], content_id: str) -> ContentRow | None:
    """Returns the content published under this id, even if it was withdrawn."""
    found = fetch_rows(connection, _ONE, (content_id,))
    return ContentRow(*found[0]) if found else None
