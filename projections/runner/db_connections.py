"""Connections that follow the log or write the read models, and waiting for notifications."""

import selectors
import socket
import threading
from contextlib import ExitStack, closing, suppress
from typing import Any, Final

import psycopg
import structlog
from eventsourcing import persistence
from psycopg import Connection, Cursor, Notify
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Identifier

from engine.runtime.log.fact_log import CHANNEL, FactLog, datastore
from projections.runner.tables import SERVED, CheckpointRecorder

CONNECTION_ERRORS: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    persistence.OperationalError,
    persistence.InterfaceError,
)
_CONNECT_TIMEOUT_S: Final = 5
_LEADER: Final = "hashtext('fairdraw projections')"
_UNLOCK: Final = "SELECT pg_advisory_unlock_all()"
_LOCK: Final = f"SELECT pg_try_advisory_lock({_LEADER}) AS leads"
_LOCK_IN_TRANSACTION: Final = f"SELECT pg_try_advisory_xact_lock({_LEADER}) AS leads"
# The leader's session queries the positions several times a second. If it has not done so for
# seconds, its host is frozen or unreachable. The database server then ends its session, and with it
# the lock, so that nothing it has begun can commit.
_LEADER_IDLE_TIMEOUT_S: Final = 6
_LEADER_QUERY_TIMEOUT_S: Final = 120
_TERMINATE_SILENT_LEADER: Final = (
    "SELECT pg_terminate_backend(pid, 1000), pid FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND usename = current_user"
    " AND datname = current_database() AND pg_locks.database = datid AND objsubid = 1"
    f" AND (classid::bigint << 32) | objid::bigint = {_LEADER}::bigint"
    " AND state_change < clock_timestamp() - make_interval(secs =>"
    f" CASE WHEN state = 'active' THEN {_LEADER_QUERY_TIMEOUT_S} ELSE {_LEADER_IDLE_TIMEOUT_S} END)"
)
# A page has few rows compared with a table, whatever the planner assumes about a table that was
# never analysed.
_SETTINGS: Final = (
    "SET idle_in_transaction_session_timeout = '3s';"
    " SET jit = off; SET plan_cache_mode = force_generic_plan;"
    " SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
)
# Deadlocks, full disks, locks, shutdowns and failing disks are transient; a model's bugs are not.
_TRANSIENT_SQLSTATES: Final = frozenset({"40", "53", "55", "57", "58"})


_log = structlog.get_logger(__name__)


class DbConnections:
    """All connections to the database; after a loss all of them are replaced.

    A connection pool would wait longer and longer between its attempts to reconnect.
    """

    def __init__(self, conninfo: str) -> None:
        with ExitStack() as stack:
            connection = psycopg.connect(
                conninfo, autocommit=True, row_factory=dict_row, connect_timeout=_CONNECT_TIMEOUT_S
            )
            self.connection: Connection[DictRow] = stack.enter_context(closing(connection))
            self.log = FactLog(stack.enter_context(closing(datastore(conninfo))))
            self._resources = stack.pop_all()
        self.notified = False
        """Whether a notification has arrived since `forget_notifications`."""

    def listen(self, channel: str) -> None:
        """Make the connection's socket readable when this channel is notified."""
        self.connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
        # A notification that arrives with an answer no longer makes the socket readable.
        self.connection.add_notify_handler(self._note)

    def forget_notifications(self) -> None:
        """Forget those that have arrived: what they announce is visible to the next query."""
        received = self.connection.pgconn
        received.consume_input()
        while received.notifies() is not None:
            pass
        self.notified = False

    def _note(self, _: Notify) -> None:
        self.notified = True

    def close(self) -> None:
        """Disconnect."""
        self._resources.close()


class WriterConnections(DbConnections):
    """Connections that may write the read models once `leads` is true."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(conninfo)
        views = self._resources.enter_context(closing(datastore(conninfo, schema=SERVED)))
        self.positions = CheckpointRecorder(views)
        self.leads = False

    def try_lead(self) -> bool:
        """Become the only writing session, and listen; returns False while there is another."""
        self.leads = self._try_lock()
        if not self.leads:
            ended = self.connection.execute(_TERMINATE_SILENT_LEADER).fetchall()
            if ended:
                _log.warning("silent projections ended", pids=[row["pid"] for row in ended])
                self.leads = self._try_lock()
        if self.leads:
            prepare(self.connection, SERVED)
            self.listen(CHANNEL)
        return self.leads

    def stop_leading(self) -> None:
        """Let another session write."""
        self.leads = False
        self.connection.execute(_UNLOCK)

    def _try_lock(self) -> bool:
        return bool(next(iter(self.connection.execute(_LOCK)))["leads"])

    def close(self) -> None:
        """Disconnect, and release the leader lock."""
        with suppress(psycopg.Error):
            # The server notices a closed connection only with a delay.
            self.connection.execute(_UNLOCK)
        super().close()


def try_lead_in_transaction(cursor: Cursor[DictRow]) -> bool:
    """Block other leaders until the transaction ends; returns False while another session leads."""
    return bool(next(iter(cursor.execute(_LOCK_IN_TRANSACTION)))["leads"])


def prepare(connection: Connection[Any], schema: str) -> None:
    """Set a session up to apply pages to the models' tables in this schema."""
    connection.execute(_SETTINGS)
    connection.execute("SELECT set_config('search_path', %s, false)", (schema,))


def is_transient(error: Exception, connection: Connection[DictRow]) -> bool:
    """Whether the database caused the error, so that the same page may succeed later."""
    if not isinstance(error, psycopg.Error):
        return False
    return connection.closed or (error.sqlstate or "")[:2] in _TRANSIENT_SQLSTATES


class WakeUp:
    """Wakes a thread that is waiting for PostgreSQL notifications."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self.event = threading.Event()

    def set(self) -> None:
        """Wake the waiter, now and permanently."""
        if not self.event.is_set():
            self.event.set()
            self._writer.send(b"!")

    @property
    def is_set(self) -> bool:
        """Whether `set` was ever called."""
        return self.event.is_set()

    def wait(self, connection: Connection[DictRow] | None, seconds: float) -> None:
        """Wait for `set` or for a notification of the database, at most `seconds`."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._reader, selectors.EVENT_READ)
            if connection is not None:
                selector.register(connection, selectors.EVENT_READ)
            selector.select(seconds)

    def close(self) -> None:
        """Close its sockets."""
        self._reader.close()
        self._writer.close()
