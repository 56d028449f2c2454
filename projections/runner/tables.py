"""The models' tables: one schema is served, another holds the shadow copies of a rebuild.

The rebuilding session has an advisory lock. Shadow tables without that lock are leftovers of a
rebuild that was killed.
"""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Connection, Cursor
from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed, Identifier

from projections.runner.projection import Projection

SERVED: Final = "views"
SHADOW: Final = "views_next"
RUNNER_TABLES: Final = ("failures", "positions")
"""The runner's own tables in the served schema; no model creates them."""

_REBUILD: Final = "hashtext('fairdraw rebuild')"
_LOCK_REBUILD: Final = f"SELECT pg_try_advisory_lock({_REBUILD}) AS mine"
_LOCK_REBUILD_IN_TRANSACTION: Final = f"SELECT pg_try_advisory_xact_lock({_REBUILD}) AS mine"
_TABLES: Final = "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s ORDER BY tablename"


def create(cursor: Cursor[Any], model: Projection) -> None:
    """Recreate a model's served tables, empty; the session's search path must be `SERVED`."""
    _drop(cursor, SERVED, model.tables)
    cursor.execute(model.schema)


def lock_rebuild(connection: Connection[DictRow]) -> bool:
    """Become the only rebuilding session until it ends; returns False while there is another."""
    return bool(next(iter(connection.execute(_LOCK_REBUILD)))["mine"])


def drop_leftovers(connection: Connection[DictRow]) -> None:
    """Drop the leftovers of a rebuild, unless one is running in another session."""
    with connection.transaction(), connection.cursor() as cursor:
        if next(iter(cursor.execute(_LOCK_REBUILD_IN_TRANSACTION)))["mine"]:
            _drop(cursor, SHADOW, _names(cursor, SHADOW))


def lock(cursor: Cursor[DictRow], models: Sequence[Projection]) -> None:
    """Lock these models' served tables against reads and writes until the transaction ends."""
    existing = set(_names(cursor, SERVED))
    tables = [name for model in models for name in model.tables if name in existing]
    if tables:
        names = SQL(", ").join(Identifier(SERVED, name) for name in tables)
        cursor.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))


def swap(cursor: Cursor[Any], model: Projection) -> None:
    """Replace the served tables by the shadow copies."""
    _drop(cursor, SERVED, model.tables)
    for name in model.tables:
        cursor.execute(_named("ALTER TABLE {} SET SCHEMA ", SHADOW, name) + Identifier(SERVED))


def _names(cursor: Cursor[DictRow], schema: str) -> list[str]:
    return [row["name"] for row in cursor.execute(_TABLES, (schema,))]


def _drop(cursor: Cursor[Any], schema: str, tables: Sequence[str]) -> None:
    for name in tables:
        cursor.execute(_named("DROP TABLE IF EXISTS {}", schema, name))


def _named(statement: str, schema: str, table: str) -> Composed:
    return SQL(statement).format(Identifier(schema, table))
