"""The shared connection pool, which recovers as soon as the database is back, and its queries."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.log.deadlines import RetryingConnection, retry_connections, within

READ_OWN_TIMEOUT_S: Final = 1.0
ReadT = TypeVar("ReadT")
Pool: TypeAlias = ConnectionPool[Connection[TupleRow]]
_CONNECTIONS: Final = 10
_CONNECT_TIMEOUT_S: Final = 5.0
_CALL_TIMEOUT_S: Final = 15.0
_CHECK_TIMEOUT_S: Final = 2.0


class _CheckedPool(Pool):
    """Returns working connections only.

    The library's own `check` sleeps for seconds after a few broken connections, and does not wake
    a waiting caller when the pool is closed.
    """

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection[TupleRow]]:
        """Yields a connection, which is cut after 15 s. Raises PoolTimeout if none is free."""
        with super().connection(timeout) as connection, within(connection, _CALL_TIMEOUT_S):
            yield connection

    def getconn(self, timeout: float | None = None) -> Connection[TupleRow]:
        """Returns a connection. Raises PoolTimeout or PoolClosed if there is none."""
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
    """Returns a pool that replaces connections broken while idle, so that no caller gets one."""
    pool = _CheckedPool(
        conninfo,
        connection_class=RetryingConnection,
        min_size=1,
        max_size=_CONNECTIONS,
        timeout=_CONNECT_TIMEOUT_S,
        open=False,
    )
    retry_connections(pool, {})
    pool.open()
    return pool


class ReadModels:
    """Queries of the read models, each in another thread."""

    def __init__(self, pool: Pool, own_writes: Callable[[int], Awaitable[None]]) -> None:
        """`own_writes` waits until the read models have applied a player's last command."""
        self._pool = pool
        self._own_writes = own_writes

    async def read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Returns what the query returns."""
        return await asyncio.to_thread(self._read, query)

    def _read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        with self._pool.connection() as connection:
            return query(connection)

    async def read_own(self, player: int, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """The same, after the read models applied the player's last command, or after 1 s."""
        await self._own_writes(player)
        return await self.read(query)

    async def wait_for_own_writes(self, player: int) -> None:
        """Wait until the read models have applied the player's last command, at most 1 s."""
        await self._own_writes(player)
