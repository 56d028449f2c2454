"""The runner's tables and the models' tables, and the status that they show.

The runner stores a checkpoint of each read model, saved in the transaction that saves its rows, and
the fact at which a model stopped, where every process can query it.

One schema of the models' tables is served, another holds the shadow copies of a rebuild, and its
progress. The rebuilding session has an advisory lock. Shadow tables without that lock are leftovers
of a rebuild that was killed, which the next one of the same models continues.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from msgspec import Struct
from psycopg import Connection, Cursor
from psycopg.errors import UndefinedTable
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Composed, Identifier

from engine.runtime.log.deadlines import within
from projections.runner.projection import Projection

SERVED: Final = "views"
SHADOW: Final = "views_next"
RUNNER_TABLES: Final = ("failures", "positions")
"""The runner's own tables in the served schema; no model creates them."""

_REBUILD: Final = "hashtext('fairdraw rebuild')"
_LOCK_REBUILD: Final = f"SELECT pg_try_advisory_lock({_REBUILD}) AS mine"
_LOCK_REBUILD_IN_TRANSACTION: Final = f"SELECT pg_try_advisory_xact_lock({_REBUILD}) AS mine"
_TABLES: Final = "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s ORDER BY tablename"
_READ = "SELECT application_name, notification_id FROM views.positions"
_LOCK = _READ + " WHERE application_name = ANY(%s) ORDER BY application_name FOR UPDATE"
_DELETE = "DELETE FROM views.positions WHERE application_name LIKE %s"
_INSERT = "INSERT INTO views.positions (application_name, notification_id) VALUES (%s, %s)"
# Of the models that a rebuild builds; `setup` is what else their rows depend on.
_CREATE_PROGRESS: Final = """
CREATE TABLE views_next.progress (
    model text PRIMARY KEY,
    position bigint NOT NULL,
    setup text NOT NULL
)
"""
_START_PROGRESS: Final = "INSERT INTO views_next.progress VALUES (%s, 0, %s)"
_SAVE_PROGRESS: Final = (
    "UPDATE views_next.progress SET position = %s WHERE model = ANY(%s) AND position = %s"
)
_HAS_PROGRESS: Final = "SELECT to_regclass('views_next.progress') IS NOT NULL AS found"
_PROGRESS: Final = "SELECT model, position, setup FROM views_next.progress"
_CREATE_FAILURES: Final = """
CREATE TABLE IF NOT EXISTS views.failures (
    model text PRIMARY KEY,
    position bigint NOT NULL,
    stream text NOT NULL,
    topic text NOT NULL,
    error text NOT NULL
)
"""
_SAVE_FAILURE: Final = (
    "INSERT INTO views.failures VALUES (%s, %s, %s, %s, %s) ON CONFLICT (model) DO UPDATE SET"
    " position = excluded.position, stream = excluded.stream, topic = excluded.topic,"
    " error = excluded.error"
)
# A model that has been rebuilt since then is at another position.
_READ_FAILURES: Final = (
    "SELECT model, position, stream, topic, error FROM views.failures"
    " JOIN views.positions ON application_name = model AND notification_id = position - 1"
)
_HEAD = "SELECT coalesce(max(notification_id), 0) AS head FROM log.facts"
_NEXT = "SELECT notification_id - 1 AS position, at FROM log.facts WHERE notification_id = ANY(%s)"
_STATUS_TIMEOUT_S: Final = 10.0


def create(cursor: Cursor[Any], model: Projection) -> None:
    """Recreate a model's served tables, empty; the session's search path must be `SERVED`."""
    _drop(cursor, SERVED, model.tables)
    cursor.execute(model.schema)


def lock_rebuild(connection: Connection[DictRow]) -> bool:
    """Become the only rebuilding session until it ends; returns False while there is another."""
    return bool(next(iter(connection.execute(_LOCK_REBUILD)))["mine"])


def drop_leftovers(connection: Connection[DictRow], continued: Collection[Projection] = ()) -> None:
    """Drop the leftovers of a rebuild, unless one is running in another session.

    Those of a rebuild that built no others than the models in `continued` stay.
    """
    with connection.transaction(), connection.cursor() as cursor:
        if next(iter(cursor.execute(_LOCK_REBUILD_IN_TRANSACTION)))["mine"]:
            built = {row["model"] for row in _progress(cursor)}
            if not built or not built <= {key(model) for model in continued}:
                _drop(cursor, SHADOW, _names(cursor, SHADOW))


def unfinished_rebuild(conninfo: str) -> dict[str, int]:
    """Returns the positions, by key, of the models of a rebuild that runs or was killed."""
    with (
        psycopg.connect(conninfo, autocommit=True, row_factory=dict_row) as connection,
        connection.cursor() as cursor,
    ):
        return {row["model"]: row["position"] for row in _progress(cursor)}


def _progress(cursor: Cursor[DictRow]) -> list[DictRow]:
    if not next(iter(cursor.execute(_HAS_PROGRESS)))["found"]:
        return []
    return cursor.execute(_PROGRESS).fetchall()


def create_progress(cursor: Cursor[Any], models: Iterable[Projection], setup: str) -> None:
    """Begin a rebuild of these models; `setup` is what their rows depend on besides the log."""
    cursor.execute(_CREATE_PROGRESS)
    cursor.executemany(_START_PROGRESS, [(key(model), setup) for model in models])


def read_progress(
    cursor: Cursor[DictRow], models: Sequence[Projection], setup: str
) -> dict[Projection, int] | None:
    """Returns how far a killed rebuild of these models came; None unless all is as it was then."""
    found = {(row["model"], row["setup"]): row["position"] for row in _progress(cursor)}
    if found.keys() != {(key(model), setup) for model in models}:
        return None
    return {model: found[key(model), setup] for model in models}


def save_progress(
    cursor: Cursor[Any], models: Sequence[Projection], before: int, position: int
) -> bool:
    """Save how far these models' shadow copies have come, with their rows.

    Returns False unless all of them were at `before`.
    """
    keys = [key(model) for model in models]
    return cursor.execute(_SAVE_PROGRESS, (position, keys, before), prepare=True).rowcount == len(
        keys
    )


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


class CheckpointMovedError(Exception):
    """A model's checkpoint is not where the page begins: a rebuild has moved it."""


class CheckpointRecorder(PostgresTrackingRecorder):
    """The library's tracking table, one row per model and version."""

    def __init__(self, store: PostgresDatastore) -> None:
        super().__init__(store, tracking_table_name="positions")

    def lock(self, cursor: Cursor[DictRow], expected: Mapping[str, int]) -> None:
        """Lock these positions until the transaction ends.

        Raises CheckpointMovedError if one of them is not what the caller expects.
        """
        if lock_checkpoints(cursor, expected) != expected:
            raise CheckpointMovedError

    def save(self, cursor: Cursor[DictRow], models: Iterable[Projection], position: int) -> None:
        """Move these models to `position`."""
        for model in models:
            self._insert_tracking(cursor, Tracking(key(model), position))

    def install(self, connection: Connection[DictRow], model: Projection) -> None:
        """Recreate the tables of a model that has no checkpoint in this version yet, empty."""
        with connection.transaction(), connection.cursor() as cursor:
            if key(model) in read_positions(cursor):
                return
            create(cursor, model)
            reset_checkpoint(cursor, model, 0)


def key(model: Projection) -> str:
    """Returns the name under which a model's checkpoint is stored."""
    return f"{model.name}.{model.version}"


def read_positions(cursor: Cursor[DictRow]) -> dict[str, int]:
    """Returns the position of every model, by key; empty before the first install."""
    try:
        rows = cursor.execute(_READ).fetchall()
    except UndefinedTable:
        return {}
    return {row["application_name"]: row["notification_id"] for row in rows}


def lock_checkpoints(cursor: Cursor[DictRow], keys: Iterable[str]) -> dict[str, int]:
    """Lock these positions until the transaction ends; returns those that exist."""
    rows = cursor.execute(_LOCK, (list(keys),), prepare=True).fetchall()
    return {row["application_name"]: row["notification_id"] for row in rows}


def reset_checkpoint(cursor: Cursor[DictRow], model: Projection, position: int) -> None:
    """Set the checkpoint to `position`, after the model's tables were replaced."""
    cursor.execute(_DELETE, (f"{model.name}.%",))
    cursor.execute(_INSERT, (key(model), position))


class Failure(Struct, frozen=True):
    """The fact that a model could not apply, and why."""

    position: int
    stream: str
    topic: str
    error: str


def reset_failures(connection: Connection[DictRow]) -> None:
    """Create the table and clear it: this program may apply a fact that the last one could not."""
    connection.execute(_CREATE_FAILURES)
    connection.execute("DELETE FROM views.failures")


def record_failure(connection: Connection[DictRow], model: str, failure: Failure) -> None:
    """Record that the model of this key cannot continue."""
    connection.execute(
        _SAVE_FAILURE, (model, *(getattr(failure, it) for it in failure.__struct_fields__))
    )


def read_failures(cursor: Cursor[DictRow]) -> dict[str, Failure]:
    """Returns the failures that stopped models, by key; empty before the first install."""
    try:
        rows = cursor.execute(_READ_FAILURES).fetchall()
    except UndefinedTable:
        return {}
    return {row.pop("model"): Failure(**row) for row in rows}


class ModelStatus(Struct, frozen=True):
    """A model's position; `lag_ms` is the age of the oldest fact that it has not applied."""

    name: str
    position: int
    lag_facts: int
    lag_ms: int
    failed: Failure | None


def read_head(connection: Connection[DictRow]) -> int:
    """Returns the position of the log's last fact, 0 if there is none."""
    return int(next(iter(connection.execute(_HEAD)))["head"])


def _wall_clock() -> int:
    return time.time_ns() // 1_000


def status_of(
    conninfo: str, models: Sequence[Projection], clock: Callable[[], int] = _wall_clock
) -> tuple[ModelStatus, ...]:
    """Returns each model's position, its lag, and why it stopped, if it did.

    `clock` returns microseconds since 1970, like the time stamps of the facts. Raises
    OperationalError if the database is not available.
    """
    with (
        psycopg.connect(conninfo, autocommit=True, row_factory=dict_row) as connection,
        within(connection, _STATUS_TIMEOUT_S),
        connection.cursor() as cursor,
    ):
        return _read_status(cursor, models, clock())


def _read_status(
    cursor: Cursor[DictRow], models: Sequence[Projection], now: int
) -> tuple[ModelStatus, ...]:
    reached, failures = read_positions(cursor), read_failures(cursor)
    head = read_head(cursor.connection)
    next_positions = [[position + 1 for position in reached.values() if position < head]]
    waiting = {row["position"]: row["at"] for row in cursor.execute(_NEXT, next_positions)}

    def one(model: Projection) -> ModelStatus:
        position = reached.get(key(model), 0)
        late_us = max(0, now - waiting.get(position, now))
        failure = failures.get(key(model))
        return ModelStatus(model.name, position, head - position, late_us // 1_000, failure)

    return tuple(one(model) for model in models)
