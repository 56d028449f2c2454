"""Where the models' tables are: served in one schema, built again in another beside it.

Whoever builds beside holds an advisory lock; what is there without it was left by a rebuild that
was killed.
"""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Connection, Cursor
from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed, Identifier

from projections.model import Model

SERVED: Final = "views"
BESIDE: Final = "views_next"
RUNNERS: Final = ("failures", "positions")
"""The runner's own tables among those served: no model makes them."""

_REBUILD: Final = "hashtext('fairdraw rebuild')"
_CLAIM: Final = f"SELECT pg_try_advisory_lock({_REBUILD}) AS mine"
_CLAIM_NOW: Final = f"SELECT pg_try_advisory_xact_lock({_REBUILD}) AS mine"
_TABLES: Final = "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s ORDER BY tablename"


def create(cursor: Cursor[Any], model: Model) -> None:
    """Make a model's served tables anew, empty; the session's search path is `SERVED`."""
    _drop(cursor, SERVED, model.tables)
    cursor.execute(model.schema)


def claim(connection: Connection[DictRow]) -> bool:
    """Become the only session that builds beside, until it ends; False while another one does."""
    return bool(next(iter(connection.execute(_CLAIM)))["mine"])


def sweep(connection: Connection[DictRow]) -> None:
    """Drop what a rebuild left behind, unless one is at work in another session."""
    with connection.transaction(), connection.cursor() as cursor:
        if next(iter(cursor.execute(_CLAIM_NOW)))["mine"]:
            _drop(cursor, BESIDE, _names(cursor, BESIDE))


def lock(cursor: Cursor[DictRow], models: Sequence[Model]) -> None:
    """Let nobody read or write the served tables of these models until the transaction ends."""
    there = set(_names(cursor, SERVED))
    tables = [name for model in models for name in model.tables if name in there]
    if tables:
        names = SQL(", ").join(Identifier(SERVED, name) for name in tables)
        cursor.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))


def swap(cursor: Cursor[Any], model: Model) -> None:
    """Serve the tables built beside in place of those served until now."""
    _drop(cursor, SERVED, model.tables)
    for name in model.tables:
        cursor.execute(_named("ALTER TABLE {} SET SCHEMA ", BESIDE, name) + Identifier(SERVED))


def _names(cursor: Cursor[DictRow], schema: str) -> list[str]:
    return [row["name"] for row in cursor.execute(_TABLES, (schema,))]


def _drop(cursor: Cursor[Any], schema: str, tables: Sequence[str]) -> None:
    for name in tables:
        cursor.execute(_named("DROP TABLE IF EXISTS {}", schema, name))


def _named(statement: str, schema: str, table: str) -> Composed:
    return SQL(statement).format(Identifier(schema, table))
