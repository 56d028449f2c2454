"""Deadlines on database calls, kept by the client.

A server's own timeouts do not help where nothing arrives any more: a half-open connection, a
frozen host. A call that takes too long has its socket shut down by a thread that watches them all,
and so fails with an OperationalError in the thread that made it.

Only time in which this process ran counts. A process that was frozen itself finds its answers
waiting when it goes on: the database is not at fault.
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
# A check that comes later than this was held up with the whole process.
_MAX_COUNTED_S: Final = 2 * _CHECKED_EVERY_S
_log = structlog.get_logger()
_T = TypeVar("_T")


class _Watcher:
    """Knows the calls that are under way, and when each must have ended."""

    def __init__(self) -> None:
        """No call is under way; the thread begins with the first."""
        self._lock = threading.Lock()
        self._calls: dict[object, tuple[Connection[Any], float]] = {}
        self._thread: threading.Thread | None = None
        self._ran_s = 0.0

    def add(self, connection: Connection[Any], seconds: float) -> object:
        """Watch a call; the token ends that."""
        token = object()
        with self._lock:
            # First: a call that is refused for want of a thread must not be watched.
            if self._thread is None:
                self._thread = supervision.thread("deadlines", self._watch, threading.Event())
            self._calls[token] = (connection, self._ran_s + seconds)
        return token

    def remove(self, token: object) -> None:
        """The call has ended."""
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
                    # Under the lock: the call cannot return its connection meanwhile.
                    if _shutdown_socket(self._calls[token][0]):
                        del self._calls[token]


def _shutdown_socket(connection: Connection[Any]) -> bool:
    """Whether it is done; without a free file descriptor it is tried again."""
    with suppress(OperationalError):
        descriptor, pid = connection.fileno(), connection.info.backend_pid
        try:
            # A descriptor of its own for the same connection: closing it leaves libpq's alone.
            with socket.socket(fileno=os.dup(descriptor)) as same:
                same.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            return error.errno not in {errno.EMFILE, errno.ENFILE}
        _log.warning("database call cut off", pid=pid)
    return True


_WATCHER: Final = _Watcher()


@contextmanager
def within(connection: Connection[Any], seconds: float) -> Iterator[None]:
    """Cut the connection off if the block takes longer, which ends in an OperationalError."""
    token = _WATCHER.add(connection, seconds)
    try:
        yield
    finally:
        _WATCHER.remove(token)


async def finished_within(seconds: float, work: Coroutine[Any, Any, _T]) -> _T:
    """What `work` returns; TimeoutError, and `work` cancelled, if it takes longer."""
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
