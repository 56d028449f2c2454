"""One row for everything ever published or sent: its current state, and who last changed it.

Members also get notifications about decisions on their money: see `notifications.py`.

The texts are stored elsewhere. A fact has the hash of published content, or a commitment to a
message to one member; these are the keys to the texts.
"""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Cursor

from engine.content.published_content import ContentPublished, ContentWithdrawn
from engine.facts import RecordedFact, player_of
from engine.players.profile_facts import MessageSent, MessageWithdrawn
from projections.content import notifications
from projections.runner.bulk_sql import execute_rows, insert
from projections.runner.projection import filter_kinds

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
    schema = _SCHEMA + notifications.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a withdrawal of content that was never published."""
        about_money = map(notifications.notification_for, filter_kinds(page, notifications.KINDS))
        execute_rows(
            cursor, notifications.SAVE, notifications.TYPES, [row for row in about_money if row]
        )
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
