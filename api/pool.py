"""The connections that the calls share, which are there again as soon as the database is."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Self, TypeAlias

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.deadlines import within

Pool: TypeAlias = ConnectionPool[Connection[TupleRow]]
_CONNECTIONS: Final = 10
_CONNECT_TIMEOUT_S: Final = 5.0
_CALL_TIMEOUT_S: Final = 15.0
_CHECK_TIMEOUT_S: Final = 2.0
_RETRY_TIMEOUT_S: Final = 2.0
_RETRY_INTERVAL_S: Final = 0.1


class _RetryingConnection(Connection[TupleRow]):
    """Tries for a while: the pool by itself would wait longer and longer between its attempts."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """A connection; an OperationalError when there was none for two seconds."""
        until = time.monotonic() + _RETRY_TIMEOUT_S
        while True:
            try:
                return super().connect(conninfo, **options)
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(_RETRY_INTERVAL_S)


class _CheckedPool(Pool):
    """Gives away connections that work.

    The library's own `check` sleeps for seconds behind a few that were cut, and whoever it keeps
    so does not hear that the pool is closed.
    """

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection[TupleRow]]:
        """A connection, cut off when the block takes too long; a PoolTimeout when there is none."""
        with super().connection(timeout) as connection, within(connection, _CALL_TIMEOUT_S):
            yield connection

    def getconn(self, timeout: float | None = None) -> Connection[TupleRow]:
        """A connection; a PoolTimeout or PoolClosed when there is none."""
        until = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            connection = super().getconn(until - time.monotonic())
            try:
                with within(connection, _CHECK_TIMEOUT_S):
                    self.check_connection(connection)
            except psycopg.OperationalError:
                self.putconn(connection)
            else:
                return connection


def open_pool(conninfo: str) -> Pool:
    """Nobody who asks it is refused for a connection that was cut while it lay idle."""
    return _CheckedPool(
        conninfo,
        connection_class=_RetryingConnection,
        min_size=1,
        max_size=_CONNECTIONS,
        timeout=_CONNECT_TIMEOUT_S,
        # Given up soon, so that whoever asks next has it tried anew at once.
        reconnect_timeout=1.0,
        open=True,
    )
