"""Sessions that follow the log or write the read models, and waiting for news."""

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

from engine.runtime.log import CHANNEL, FactLog, datastore
from projections.positions import CheckpointRecorder
from projections.tables import SERVED

CONNECTION_ERRORS: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    persistence.OperationalError,
    persistence.InterfaceError,
)
_CONNECT_TIMEOUT_S: Final = 5
_LEADER: Final = "hashtext('fairdraw projections')"
_LOCK: Final = f"SELECT pg_try_advisory_lock({_LEADER}) AS leads"
_LOCK_IN_TRANSACTION: Final = f"SELECT pg_try_advisory_xact_lock({_LEADER}) AS leads"
# The leader's session asks for the positions several times a second. One that has not done so for
# seconds belongs to a frozen or unreachable host: its session, and with it the lock, is ended by
# the server, so that nothing it has begun can commit.
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
# A page's rows are few beside a table's, whatever the planner thinks of a table never analysed.
_SETTINGS: Final = (
    "SET idle_in_transaction_session_timeout = '3s';"
    " SET jit = off; SET plan_cache_mode = force_generic_plan;"
    " SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
)
# Deadlocks, full disks, locks, shutdowns and failing disks pass; a model's mistakes do not.
_TRANSIENT_SQLSTATES: Final = frozenset({"40", "53", "55", "57", "58"})


_log = structlog.get_logger(__name__)


class DbConnections:
    """Everything connected to the database; after a loss it is thrown away whole.

    A pool of connections would wait longer and longer between its attempts to reconnect.
    """

    def __init__(self, conninfo: str) -> None:
        with ExitStack() as stack:
            connection = psycopg.connect(
                conninfo, autocommit=True, row_factory=dict_row, connect_timeout=_CONNECT_TIMEOUT_S
            )
            self.connection: Connection[DictRow] = stack.enter_context(closing(connection))
            self.log = FactLog(stack.enter_context(closing(datastore(conninfo))))
            self._resources = stack.pop_all()

    def listen(self, channel: str) -> None:
        """Have the connection's socket tell of this channel's news."""
        self.connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
        # Without a handler psycopg keeps every notification for a generator nobody runs.
        self.connection.add_notify_handler(_woken)

    def close(self) -> None:
        """Disconnect."""
        self._resources.close()


class WriterConnections(DbConnections):
    """One that may write the read models, as soon as it `leads`."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(conninfo)
        views = self._resources.enter_context(closing(datastore(conninfo, schema=SERVED)))
        self.positions = CheckpointRecorder(views)
        self.leads = False

    def try_lead(self) -> bool:
        """Become the one session that writes, and listen; False while another one is."""
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

    def _try_lock(self) -> bool:
        return bool(next(iter(self.connection.execute(_LOCK)))["leads"])

    def close(self) -> None:
        """Disconnect, and give up the lead."""
        with suppress(psycopg.Error):
            # The server notices a closed connection only a little later.
            self.connection.execute("SELECT pg_advisory_unlock_all()")
        super().close()


def try_lead_in_transaction(cursor: Cursor[DictRow]) -> bool:
    """Keep others from the lead until the transaction ends; False while somebody has it."""
    return bool(next(iter(cursor.execute(_LOCK_IN_TRANSACTION)))["leads"])


def prepare(connection: Connection[Any], schema: str) -> None:
    """Make a session fit to apply pages to the models' tables in this schema."""
    connection.execute(_SETTINGS)
    connection.execute("SELECT set_config('search_path', %s, false)", (schema,))


def is_transient(error: Exception, connection: Connection[DictRow]) -> bool:
    """Whether the database is to blame, so that the same page may succeed later."""
    if not isinstance(error, psycopg.Error):
        return False
    return connection.closed or (error.sqlstate or "")[:2] in _TRANSIENT_SQLSTATES


class WakeUp:
    """Wakes a thread that waits for a connection's news."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self.event = threading.Event()

    def set(self) -> None:
        """Wake the waiter, now and for good."""
        if not self.event.is_set():
            self.event.set()
            self._writer.send(b"!")

    @property
    def is_set(self) -> bool:
        """Whether it has ever been rung."""
        return self.event.is_set()

    def wait(self, connection: Connection[DictRow] | None, seconds: float) -> None:
        """Until the bell or something from the database arrives, at most `seconds`."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._reader, selectors.EVENT_READ)
            if connection is not None:
                selector.register(connection, selectors.EVENT_READ)
            selector.select(seconds)

    def close(self) -> None:
        """Let go of its sockets."""
        self._reader.close()
        self._writer.close()


def _woken(_: Notify) -> None:
    """The wait ended already when the notification made the socket readable."""
