"""The eventsourcing library's connection pool, with a deadline on every call."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow

from engine.runtime.deadlines import within

CALL_TIMEOUT_S: Final = 30.0
"""The longest that a call may take which has no other deadline."""

_RECONNECT_TIMEOUT_S: Final = 1.0


class Store(PostgresDatastore):
    """Connections to the database at `conninfo`, all of whose parameters are passed on."""

    def __init__(self, conninfo: str, *, connections: int, schema: str) -> None:
        """Open nothing yet; `connections` is the pool's fixed size."""
        parameters = conninfo_to_dict(conninfo)
        super().__init__(
            dbname="",
            host="",
            port="",
            user="",
            password="",
            pool_size=connections,
            max_overflow=4,
            idle_in_transaction_session_timeout=3,
            schema=schema,
            originator_id_type="text",
        )
        # The library takes five parameters only; the others (TLS, several hosts) belong to it too.
        pool_kwargs = self.pool.kwargs
        assert isinstance(pool_kwargs, dict)
        self.pool.kwargs = {**parameters, "row_factory": pool_kwargs["row_factory"]}
        # An attempt is given up soon, so that the next caller has it made again immediately: the
        # pool by itself would wait as long again as the database was away.
        self.pool.reconnect_timeout = _RECONNECT_TIMEOUT_S
        self._limits = threading.local()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give each call that this thread makes in the block so many seconds."""
        before = self._seconds
        self._limits.seconds = seconds
        try:
            yield
        finally:
            self._limits.seconds = before

    @property
    def _seconds(self) -> float:
        seconds: float = getattr(self._limits, "seconds", CALL_TIMEOUT_S)
        return seconds

    @contextmanager
    def get_connection(self) -> Iterator[Connection[DictRow]]:
        """A connection, cut off unless the block ends in time."""
        with super().get_connection() as connection, within(connection, self._seconds):
            yield connection
