"""The position and failure of each read model."""

import time
from collections.abc import Callable, Sequence

import psycopg
from msgspec import Struct
from psycopg import Connection, Cursor
from psycopg.rows import DictRow, dict_row

from engine.runtime.log.deadlines import within
from projections.runner.projection import Projection
from projections.runner.tables import Failure, key, read_failures, read_positions

_HEAD = "SELECT coalesce(max(notification_id), 0) AS head FROM log.facts"
_NEXT = "SELECT notification_id - 1 AS position, at FROM log.facts WHERE notification_id = ANY(%s)"


_STATUS_TIMEOUT_S = 10.0


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
