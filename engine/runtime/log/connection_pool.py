"""The eventsourcing library's connection pool, with a deadline on every call."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow

from engine.runtime.log.deadlines import within

CALL_TIMEOUT_S: Final = 30.0
"""The timeout of a call without another deadline."""

_RECONNECT_TIMEOUT_S: Final = 1.0


class Store(PostgresDatastore):
    """A connection pool for `conninfo`, whose parameters are all passed on to psycopg."""

    def __init__(self, conninfo: str, *, connections: int, schema: str) -> None:
        """Create the pool without connecting; `connections` is its fixed size."""
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
        # The library accepts five parameters only; the others (TLS, several hosts) are set here.
        pool_kwargs = self.pool.kwargs
        assert isinstance(pool_kwargs, dict)
        self.pool.kwargs = {**parameters, "row_factory": pool_kwargs["row_factory"]}
        # A reconnect attempt times out soon, so that the next caller starts another immediately.
        # With the pool's default the wait would be as long again as the database was away.
        self.pool.reconnect_timeout = _RECONNECT_TIMEOUT_S
        self._limits = threading.local()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit each call that this thread makes in the block to `seconds`."""
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
        """Yields a connection, which is cut off unless the block ends in time."""
        with super().get_connection() as connection, within(connection, self._seconds):
            yield connection
