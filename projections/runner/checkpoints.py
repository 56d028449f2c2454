"""The checkpoint of each read model, saved in the transaction that saves its rows."""

from collections.abc import Iterable, Mapping

from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from psycopg import Connection, Cursor
from psycopg.errors import UndefinedTable
from psycopg.rows import DictRow

from projections.runner.projection import Projection
from projections.runner.tables import create

_READ = "SELECT application_name, notification_id FROM views.positions"
_LOCK = _READ + " WHERE application_name = ANY(%s) ORDER BY application_name FOR UPDATE"
_DELETE = "DELETE FROM views.positions WHERE application_name LIKE %s"
_INSERT = "INSERT INTO views.positions (application_name, notification_id) VALUES (%s, %s)"


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
        """Create the tables of a model that has no checkpoint in this version yet."""
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
