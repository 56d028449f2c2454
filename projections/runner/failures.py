"""The fact at which each model stopped, stored where every process can query it."""

from typing import Final

from msgspec import Struct
from psycopg import Connection, Cursor
from psycopg.errors import UndefinedTable
from psycopg.rows import DictRow

_CREATE: Final = """
CREATE TABLE IF NOT EXISTS views.failures (
    model text PRIMARY KEY,
    position bigint NOT NULL,
    stream text NOT NULL,
    topic text NOT NULL,
    error text NOT NULL
)
"""
_SAVE: Final = (
    "INSERT INTO views.failures VALUES (%s, %s, %s, %s, %s) ON CONFLICT (model) DO UPDATE SET"
    " position = excluded.position, stream = excluded.stream, topic = excluded.topic,"
    " error = excluded.error"
)
# A model that has been rebuilt since then is at another position.
_READ: Final = (
    "SELECT model, position, stream, topic, error FROM views.failures"
    " JOIN views.positions ON application_name = model AND notification_id = position - 1"
)


class Failure(Struct, frozen=True):
    """The fact that a model could not apply, and why."""

    position: int
    stream: str
    topic: str
    error: str


def reset_failures(connection: Connection[DictRow]) -> None:
    """Create the table and clear it: this program may apply a fact that the last one could not."""
    connection.execute(_CREATE)
    connection.execute("DELETE FROM views.failures")


def record_failure(connection: Connection[DictRow], model: str, failure: Failure) -> None:
    """Record that the model of this key cannot continue."""
    connection.execute(_SAVE, (model, *(getattr(failure, it) for it in failure.__struct_fields__)))


def read_failures(cursor: Cursor[DictRow]) -> dict[str, Failure]:
    """Returns the failures that stopped models, by key; empty before the first install."""
    try:
        rows = cursor.execute(_READ).fetchall()
    except UndefinedTable:
        return {}
    return {row.pop("model"): Failure(**row) for row in rows}
