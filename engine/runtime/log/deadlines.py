"""Client-side deadlines on database calls, and a connection pool in which every call has one.

A call that waits for a connection gets one as soon as the database is back (`RetryingConnection`).

The database's own timeouts do not help when no packets arrive: a half-open connection, a frozen
host. One thread watches all calls and shuts down the socket of a call that takes too long. The
call then fails with an OperationalError in the thread that made it.

Only time during which this process ran counts. When a frozen process continues, its answers have
already arrived, and the database is not at fault.
"""

import asyncio
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, Self, TypeVar

import structlog
from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection, OperationalError
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow
from psycopg_pool import ConnectionPool

from engine.runtime import supervision
from engine.runtime.log.confirmed_connection import ConfirmedConnection

_CHECKED_EVERY_S: Final = 0.1
# A check that is later than this was delayed together with the whole process.
_MAX_COUNTED_S: Final = 2 * _CHECKED_EVERY_S
_log = structlog.get_logger()
_T = TypeVar("_T")
CALL_TIMEOUT_S: Final = 30.0
"""The timeout of a call without another deadline."""
_RETRY_INTERVAL_S: Final = 0.2
_RECONNECT_TIMEOUT_S: Final = 1.0


class _Watcher:
    """The calls in progress and their deadlines."""

    def __init__(self) -> None:
        """Initially empty. The watching thread starts with the first call."""
        self._lock = threading.Lock()
        self._calls: dict[object, tuple[Connection[Any], float, float]] = {}
        self._thread: threading.Thread | None = None
        self._ran_s = 0.0

    def add(self, connection: Connection[Any], seconds: float) -> object:
        """Watch a call. Returns a token for `remove`."""
        token = object()
        with self._lock:
            # Start the thread first: if that fails, the call fails and must not be watched.
            if self._thread is None:
                self._thread = supervision.thread("deadlines", self._watch, threading.Event())
            self._calls[token] = (connection, seconds, self._ran_s + seconds)
        return token

    def remove(self, token: object) -> None:
        """Stop watching a call that has ended."""
        with self._lock:
            self._calls.pop(token, None)

    def _watch(self) -> None:
        before = time.monotonic()
        while True:
            time.sleep(_CHECKED_EVERY_S)
            now = time.monotonic()
            with self._lock:
                self._ran_s += min(now - before, _MAX_COUNTED_S)
                before = now
                due = [token for token, (*_, until) in self._calls.items() if until < self._ran_s]
                for token in due:
                    connection, seconds, _ = self._calls[token]
                    # Under the lock, so that the call cannot return its connection meanwhile.
                    if _shutdown_socket(connection, _log.warning, limit_s=seconds):
                        del self._calls[token]


def _shutdown_socket(
    connection: Connection[Any], log: Callable[..., object], **details: object
) -> bool:
    """Shut down the socket, and log it with `details`.

    Returns False if no file descriptor was free, to try again later.
    """
    with suppress(OperationalError):
        descriptor, pid = connection.fileno(), connection.info.backend_pid
        try:
            # A duplicate descriptor, because closing it must not close libpq's.
            with socket.socket(fileno=os.dup(descriptor)) as same:
                same.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            return error.errno not in {errno.EMFILE, errno.ENFILE}
        log("database call cut off", pid=pid, **details)
    return True


_WATCHER: Final = _Watcher()


@contextmanager
def within(connection: Connection[Any], seconds: float) -> Iterator[None]:
    """Cut the connection off if the block takes longer; its call raises OperationalError."""
    token = _WATCHER.add(connection, seconds)
    try:
        yield
    finally:
        _WATCHER.remove(token)


async def finished_within(seconds: float, work: Coroutine[Any, Any, _T]) -> _T:
    """Returns the result of `work`. Raises TimeoutError and cancels `work` if it takes longer."""
    task = supervision.owned(work)
    ran_s, before = 0.0, time.monotonic()
    try:
        while ran_s < seconds:
            done, _ = await asyncio.wait((task,), timeout=_CHECKED_EVERY_S)
            if done:
                return task.result()
            now = time.monotonic()
            ran_s += min(now - before, _MAX_COUNTED_S)
            before = now
        raise TimeoutError
    finally:
        task.cancel()


class RetryingConnection(Connection[Any]):
    """Retries until it is connected: the pool alone would wait longer and longer between attempts.

    The pool is one of its options: `retry_connections` sets it.
    """

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """Returns a connection. Raises OperationalError if there is none and the pool is closed."""
        pool: ConnectionPool[Any] = options.pop("pool")
        while True:
            try:
                return super().connect(conninfo, **options)
            except OperationalError:
                time.sleep(_RETRY_INTERVAL_S)
                if pool.closed:
                    raise


def retry_connections(pool: ConnectionPool[Any], options: Mapping[str, Any]) -> None:
    """Let a pool of `RetryingConnection` connect with these options, before it is opened."""
    pool.kwargs = {**options, "pool": pool}
    # One that is lost during its setup is given up then, and the next caller begins another.
    pool.reconnect_timeout = _RECONNECT_TIMEOUT_S


class _StoreConnection(RetryingConnection, ConfirmedConnection):
    """A connection of a `Store`."""


class Store(PostgresDatastore):
    """A connection pool for `conninfo`, whose parameters are all passed on to psycopg."""

    def __init__(self, conninfo: str, *, connections: int, schema: str) -> None:
        """Create the pool without connecting; it has `connections`, under load up to 4 more."""
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
        retry_connections(self.pool, {**parameters, "row_factory": pool_kwargs["row_factory"]})
        self.pool.connection_class = _StoreConnection
        self._limits = threading.local()
        self._long_calls: set[Connection[Any]] = set()

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
        """Yields a connection, which is cut off unless the block ends in time.

        Raises OperationalError after a commit that no standby confirmed.
        """
        with super().get_connection() as connection, within(connection, self._seconds):
            if self._seconds > CALL_TIMEOUT_S:
                self._long_calls.add(connection)
            try:
                yield connection
            finally:
                self._long_calls.discard(connection)
            assert isinstance(connection, ConfirmedConnection)
            connection.check_confirmed()

    def end_long_calls(self) -> None:
        """Cut off the calls that may take more than `CALL_TIMEOUT_S`.

        Each raises OperationalError in its thread.
        """
        for connection in tuple(self._long_calls):
            _shutdown_socket(connection, _log.info)

    def replace_connections(self) -> None:
        """Replace all connections, whose host may be silent, without waiting for any of them."""
        self.pool.drain()
