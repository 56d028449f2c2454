"""The one database session that may write the read models of a database."""

import selectors
import socket
import threading
from contextlib import ExitStack, suppress
from typing import Final

import psycopg
from eventsourcing import persistence
from eventsourcing.postgres import PostgresDatastore
from psycopg import Connection, Notify
from psycopg.rows import DictRow

from engine.runtime.log import CHANNEL

LOST: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    persistence.OperationalError,
    persistence.InterfaceError,
)
_LEAD: Final = "SELECT pg_try_advisory_lock(hashtext('fairdraw projections')) AS leads"
# A page's rows are few beside a table's, whatever the planner thinks of a table never analysed.
_SETTINGS: Final = (
    "SET synchronous_commit = off; SET jit = off; SET plan_cache_mode = force_generic_plan;"
    " SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
)
# Deadlocks, full disks, locks, shutdowns and failing disks pass; a model's mistakes do not.
_PASSING: Final = frozenset({"40", "53", "55", "57", "58"})


class Leadership:
    """A connection that holds the advisory lock and listens for news of the log."""

    def __init__(self, connection: Connection[DictRow], held: ExitStack) -> None:
        self.connection = connection
        self._held = held

    def end(self) -> None:
        """Give up the lead; the connection is closed, not pooled, for its settings."""
        with suppress(*LOST):
            # The server notices a closed connection only a little later.
            self.connection.execute("SELECT pg_advisory_unlock_all()")
        self.connection.close()
        self._held.close()


def lead(store: PostgresDatastore) -> Leadership | None:
    """Become the session that writes; None while another one is."""
    with ExitStack() as held:
        connection = held.enter_context(store.get_connection())
        row = connection.execute(_LEAD).fetchone()
        if row is None or not row["leads"]:
            return None
        connection.execute(_SETTINGS)
        connection.execute(f"LISTEN {CHANNEL}")
        # Without a handler psycopg would keep every notification for a generator nobody runs.
        connection.add_notify_handler(_woken)
        return Leadership(connection, held.pop_all())


def will_pass(error: Exception, connection: Connection[DictRow]) -> bool:
    """Whether the database is to blame, so that the same page may succeed later."""
    if not isinstance(error, psycopg.Error):
        return False
    return connection.closed or (error.sqlstate or "")[:2] in _PASSING


class Bell:
    """Wakes a thread that waits for a connection's news."""

    def __init__(self) -> None:
        self._hear, self._strike = socket.socketpair()
        self._struck = threading.Event()

    def ring(self) -> None:
        """Wake the waiter, now and for good."""
        if not self._struck.is_set():
            self._struck.set()
            self._strike.send(b"!")

    @property
    def rung(self) -> bool:
        """Whether it has ever been rung."""
        return self._struck.is_set()

    def wait(self, connection: Connection[DictRow] | None, seconds: float) -> None:
        """Until the bell or something from the database arrives, at most `seconds`."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._hear, selectors.EVENT_READ)
            if connection is not None:
                selector.register(connection, selectors.EVENT_READ)
            selector.select(seconds)

    def close(self) -> None:
        """Let go of its sockets."""
        self._hear.close()
        self._strike.close()


def _woken(_: Notify) -> None:
    """The wait ended already when the notification made the socket readable."""
