"""Client-side deadlines on database calls.

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
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import structlog
from psycopg import Connection, OperationalError

from engine.runtime import supervision

_CHECKED_EVERY_S: Final = 0.1
# A check that is later than this was delayed together with the whole process.
_MAX_COUNTED_S: Final = 2 * _CHECKED_EVERY_S
_log = structlog.get_logger()
_T = TypeVar("_T")


class _Watcher:
    """The calls in progress and their deadlines."""

    def __init__(self) -> None:
        """Initially empty. The watching thread starts with the first call."""
        self._lock = threading.Lock()
        self._calls: dict[object, tuple[Connection[Any], float]] = {}
        self._thread: threading.Thread | None = None
        self._ran_s = 0.0

    def add(self, connection: Connection[Any], seconds: float) -> object:
        """Watch a call. Returns a token for `remove`."""
        token = object()
        with self._lock:
            # Start the thread first: if that fails, the call fails and must not be watched.
            if self._thread is None:
                self._thread = supervision.thread("deadlines", self._watch, threading.Event())
            self._calls[token] = (connection, self._ran_s + seconds)
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
                due = [token for token, (_, until) in self._calls.items() if until < self._ran_s]
                for token in due:
                    # Under the lock, so that the call cannot return its connection meanwhile.
                    if _shutdown_socket(self._calls[token][0]):
                        del self._calls[token]


def _shutdown_socket(connection: Connection[Any]) -> bool:
    """Shut down the socket. Returns False if no file descriptor was free, to try again later."""
    with suppress(OperationalError):
        descriptor, pid = connection.fileno(), connection.info.backend_pid
        try:
            # A duplicate descriptor, because closing it must not close libpq's.
            with socket.socket(fileno=os.dup(descriptor)) as same:
                same.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            return error.errno not in {errno.EMFILE, errno.ENFILE}
        _log.warning("database call cut off", pid=pid)
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
