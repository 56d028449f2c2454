"""The database: an embedded PostgreSQL from a wheel, or the one that DATABASE_URL names.

Rules for the embedded server, whose data is in our data folder:
- One start or stop at a time (`postgres.lock`).
- A database server that outlived a killed process is adopted after two checks: its working
  directory is our cluster, and it accepts our password.
- `postmaster.pid` outlives a killed server. Its process id may then belong to any other process, or
  to a zombie that is never reaped. A process counts only if its working directory is the cluster.
- Every user of the server has a shared lock on `postgres.users`; the last one to leave stops it.
- Four roles: `admin` (superuser: databases and roles), `owner` (tables), `app` (what the product
  runs as), `auditor` (reads all but the vault). Each has a password, which every connection needs.
"""

import contextlib
import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Self

import psutil
import psycopg
import structlog
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from engine.runtime import supervision
from engine.runtime.postgres import roles
from engine.runtime.postgres.files import (
    ROLE_NAMES,
    DatabaseRole,
    PostgresError,
    PostgresHome,
    Process,
    make_data_dir,
)

_PROBES: Final = 3

# A dead host is detected in 5 s, whether the connection is idle or data is in transit.
_DEADLINES: Final = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}
_END_SECONDS = 2.0
_END_POLL_SECONDS = 0.01
_PID_LINE, _PORT_LINE = 0, 3
_CONNECT: Final = sql.SQL("GRANT CONNECT ON DATABASE {name} TO fairdraw_app, fairdraw_auditor")
# Repeating a grant would fail in a process that starts together with another one's migration, which
# grants rights on the same database.
_MAY_CONNECT: Final = (
    "SELECT has_database_privilege('fairdraw_app', %(name)s, 'CONNECT')"
    " AND has_database_privilege('fairdraw_auditor', %(name)s, 'CONNECT')"
)
# The owner grants the auditor the read models, which the application creates.
_MEMBER: Final = "GRANT fairdraw_app TO fairdraw_owner"
_log = structlog.get_logger()
ProgressCallback = Callable[[str], None]
DATABASE = "fairdraw"
START_SECONDS = 300  # recovery after a crash replays up to max_wal_size
FAST_STOP_SECONDS = 2.5
_POLL_SECONDS = 0.05
_WATCH_SECONDS = 1.0
_PROGRESS_SECONDS = 5
_left_to_others: list[Process] = []
"""Servers that we started and others still use. Python warns if a running process is collected."""


def with_deadlines(conninfo: str) -> str:
    """Adds deadlines for connecting and for an unresponsive peer, where `conninfo` has none."""
    parameters = conninfo_to_dict(conninfo)
    return make_conninfo(conninfo, **{k: v for k, v in _DEADLINES.items() if k not in parameters})


def check(conninfo: str, setting: str = "DATABASE_URL") -> None:
    """Check that the database can be used. Messages name the setting.

    Raises:
        PostgresError: the server does not answer, rejects the role, does not use UTF8, or is
            reached through a transaction pooler. The message is one line.
    """
    try:
        with closing(_connect(conninfo)) as one, closing(_connect(conninfo)) as other:
            shares = _shares_sessions(one, other)
            encoding = _value(one, "SHOW server_encoding")
    except psycopg.Error as error:
        reason = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise PostgresError(f"the database of {setting} cannot be used: {reason}") from None
    if encoding != "UTF8":
        raise PostgresError(f"the database of {setting} must be in UTF8, not in {encoding}")
    if shares:
        raise PostgresError(
            f"{setting} leads to a transaction pooler, which gives each transaction another"
            " session: locks, prepared statements and notifications are lost. Name PostgreSQL"
            " itself, or a pooler in session mode"
        )


def _connect(conninfo: str) -> psycopg.Connection[TupleRow]:
    return psycopg.connect(conninfo, autocommit=True)


def _shares_sessions(*connections: psycopg.Connection[TupleRow]) -> bool:
    """Whether the connections share a session, or one of them changes its session."""
    seen = [
        {_value(connection, "SELECT pg_backend_pid()") for _ in range(_PROBES)}
        for connection in connections
    ]
    return len(set().union(*seen)) != len(connections) or any(len(each) != 1 for each in seen)


def _value(connection: psycopg.Connection[TupleRow], query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


@dataclass(frozen=True)
class Postmaster:
    """The live server process of a cluster."""

    pid: int
    port: int
    cluster: Path

    def stop(self, fast_seconds: float) -> None:
        """Stop the server and wait for its end.

        A fast stop first writes all dirty pages. After `fast_seconds` it becomes an immediate stop,
        which loses no committed data: the next start replays the write-ahead log.
        """
        for number, seconds in (
            (signal.SIGINT, fast_seconds),
            (signal.SIGQUIT, _END_SECONDS),
            (signal.SIGKILL, _END_SECONDS),
        ):
            if _end([self.pid], self.cluster, number, seconds):
                return


def find_postmaster(cluster: Path) -> Postmaster | None:
    """Returns the server running on the cluster; None if there is none, even with a pid file."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[_PID_LINE]), int(lines[_PORT_LINE])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return Postmaster(pid, port, cluster) if _works_in(pid, cluster) else None


def clear_remains(cluster: Path) -> None:
    """End a killed server's children, which still use its shared memory, and delete its pid file.

    Call it only when `find_postmaster` returns None. The next server refuses to start while a child
    uses the old memory. What the children committed is in the write-ahead log that it replays.
    """
    children = [pid for pid in psutil.pids() if _works_in(pid, cluster)]
    if not _end(children, cluster, signal.SIGQUIT, _END_SECONDS):
        _end(children, cluster, signal.SIGKILL, _END_SECONDS)
    (cluster / "postmaster.pid").unlink(missing_ok=True)


def _end(pids: list[int], cluster: Path, number: signal.Signals, seconds: float) -> bool:
    """Signal the cluster's processes. Returns whether all have ended within `seconds`."""
    deadline = time.monotonic() + seconds
    for pid in pids:
        if _works_in(pid, cluster):
            _signal(pid, number)
    while any(_works_in(pid, cluster) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(_END_POLL_SECONDS)
    return True


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _works_in(pid: int, cluster: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and Path(process.cwd()) == cluster.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


@dataclass(frozen=True)
class Conninfos:
    """Connection strings for the owner of the tables and for the role that the product runs as.

    `auditor` is for the role that reads all but the vault; None if its password is not known here.
    """

    owner: str
    app: str
    auditor: str | None = None


@contextlib.contextmanager
def database(
    data_dir: Path,
    url: str | None,
    on_progress: ProgressCallback = lambda _: None,
    *,
    owner_url: str | None = None,
) -> Iterator[Conninfos]:
    """The product's database: at `url`, or else embedded.

    The owner's role is that of `owner_url`, which may create missing roles, or else that of `url`.

    Raises:
        PostgresError: the embedded server did not start, the one at `url` cannot be used, or it
            lacks a role.
    """
    if owner_url and not url:
        raise PostgresError("DATABASE_OWNER_URL is set without DATABASE_URL: set both or none")
    if url:
        app = with_deadlines(url)
        owner = with_deadlines(owner_url or url)
        if owner_url:
            check(owner, "DATABASE_OWNER_URL")
            roles.create_missing(owner, app)
        check(app)
        yield Conninfos(owner, app)
        return
    with EmbeddedPostgres(data_dir, on_progress) as server, _watched(server):
        yield server.conninfos()


@contextlib.contextmanager
def _watched(server: "EmbeddedPostgres") -> Iterator[None]:
    """Restart the server if it dies, because nothing else supervises it in an embedded setup."""
    leaving = threading.Event()

    def watch() -> None:
        while not leaving.wait(_WATCH_SECONDS):
            if server.postmaster() is None:
                _log.warning("PostgreSQL died, restarting it")
                try:
                    server.start()
                except PostgresError as error:
                    _log.error("PostgreSQL cannot be started", error=str(error))

    watcher = supervision.thread("embedded PostgreSQL", watch, leaving)
    try:
        yield
    finally:
        leaving.set()
        watcher.join()


class EmbeddedPostgres:
    """The server of one data folder. `start()` creates, starts or adopts it; `stop()` leaves it."""

    def __init__(
        self,
        data_dir: Path,
        on_progress: ProgressCallback = lambda _: None,
        *,
        options: Sequence[str] = (),
        start_s: float = START_SECONDS,
    ) -> None:
        """`options` are further arguments if PostgreSQL is launched, which may take `start_s`."""
        self._data_dir = data_dir.absolute()
        self._on_progress = on_progress
        self._options = options
        self._start_s = start_s
        self._users: IO[bytes] | None = None
        self._process: Process | None = None
        make_data_dir(self._data_dir)
        with self._one_at_a_time():
            self._home = PostgresHome(self._data_dir)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Return once the server answers and the database and its roles exist.

        Raises:
            PostgresError: it cannot be created, started or identified in time.
        """
        with self._one_at_a_time():
            if not self._home.cluster.exists():
                self._on_progress("creating a PostgreSQL cluster")
                self._home.make_cluster()
            if not self._adopt():
                self._launch()
            self._ensure_roles()
            if self._users is None:
                self._users = (self._data_dir / "postgres.users").open("wb")
                fcntl.flock(self._users, fcntl.LOCK_SH)

    def stop(self) -> None:
        """Leave the server. The last user to leave stops it, normally within 3 s."""
        with self._one_at_a_time():
            if self._users is not None:
                self._users.close()
                self._users = None
            postmaster = self.postmaster()
            if postmaster is not None and not self._has_users():
                postmaster.stop(FAST_STOP_SECONDS)
                self._home.remove_socket_dir()
            self._reap()
            if self._process is not None and self._process.returncode is None:
                _left_to_others.append(self._process)

    def dsn(self, role: DatabaseRole, dbname: str = DATABASE, *, tcp: bool = False) -> str:
        """Returns a role's libpq conninfo, over the Unix socket, or over loopback with `tcp`."""
        return make_conninfo(
            host="127.0.0.1" if tcp else str(self._home.socket_dir),
            port=self.port,
            dbname=dbname,
            user=ROLE_NAMES[role],
            password=self._home.password(role),
        )

    def conninfos(self, dbname: str = DATABASE) -> Conninfos:
        """Returns the connection strings for one of the server's databases."""
        return Conninfos(*(self.dsn(role, dbname) for role in ("owner", "app", "auditor")))

    def bin(self, name: str) -> Path:
        """The path of one of PostgreSQL's programs, such as `pgbench`."""
        return self._home.programs / name

    def postmaster(self) -> Postmaster | None:
        """Returns the running server's process; None when it does not run."""
        return find_postmaster(self._home.cluster)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1; also part of the socket's name."""
        postmaster = self.postmaster()
        return postmaster.port if postmaster else self._home.port

    def create_database(self, name: str, template: str = "template1") -> None:
        """Create a database of the owner with our grants, which a template does not pass on."""
        names = {
            "name": sql.Identifier(name),
            "template": sql.Identifier(template),
            "owner": sql.Identifier(ROLE_NAMES["owner"]),
        }
        with self._admin() as connection:
            for statement in (
                "CREATE DATABASE {name} OWNER {owner} TEMPLATE {template}",
                "REVOKE ALL ON DATABASE {name} FROM PUBLIC",
            ):
                connection.execute(sql.SQL(statement).format(**names))
            connection.execute(_CONNECT.format(name=names["name"]))

    def _adopt(self) -> bool:
        """Whether our server runs already; waits while one is starting or stopping."""
        deadline = time.monotonic() + START_SECONDS
        while (postmaster := self.postmaster()) is not None:
            if self._answers():
                return True
            if time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL's process {postmaster.pid} does not answer")
            time.sleep(_POLL_SECONDS)
        return False

    def _launch(self) -> None:
        self._on_progress("starting PostgreSQL")
        self._reap()
        clear_remains(self._home.cluster)
        self._home.renew_socket_dir()
        self._home.choose_port()
        self._home.write_settings()
        with self._home.log.open("wb") as log:
            self._process = self._home.account.spawn(
                self.bin("postgres"), "-D", self._home.cluster, *self._options, output=log
            )
        self._await_answer(self._process)

    def _await_answer(self, process: Process) -> None:
        began = reported = time.monotonic()
        while not self._answers():
            now = time.monotonic()
            if process.poll() is not None:
                raise PostgresError(f"PostgreSQL did not start: {self._home.last_log_line()}")
            if now > began + self._start_s:
                raise PostgresError(f"PostgreSQL is not ready: {self._home.last_log_line()}")
            if now > reported + _PROGRESS_SECONDS:
                reported = now
                self._on_progress(f"PostgreSQL is recovering ({now - began:.0f} s)")
            time.sleep(_POLL_SECONDS)

    def _reap(self) -> None:
        """Reap the child process, and kill one that was interrupted before it became a server."""
        if self._process is not None and self.postmaster() is None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            with self._admin() as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        return row is not None and Path(row[0]).resolve() == self._home.cluster.resolve()

    def _ensure_roles(self) -> None:
        with self._admin() as connection:
            existing = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
            for role in ("owner", "app", "auditor"):
                if ROLE_NAMES[role] not in existing:
                    statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                        sql.Identifier(ROLE_NAMES[role]), sql.Literal(self._home.password(role))
                    )
                    connection.execute(statement)
            connection.execute(_MEMBER)
            named = "SELECT FROM pg_database WHERE datname = %s"
            if connection.execute(named, [DATABASE]).fetchone() is None:
                self.create_database(DATABASE)
            elif connection.execute(_MAY_CONNECT, {"name": DATABASE}).fetchone() != (True,):
                connection.execute(_CONNECT.format(name=sql.Identifier(DATABASE)))

    def _admin(self) -> psycopg.Connection:
        conninfo = self.dsn("admin", "postgres")
        return psycopg.connect(conninfo, autocommit=True, connect_timeout=5)

    @contextlib.contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        with (self._data_dir / "postgres.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _has_users(self) -> bool:
        with (self._data_dir / "postgres.users").open("wb") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False
