"""The database to back up: the embedded one of a data folder, or the one of DATABASE_URL.

Copying a database takes a login with the right to replicate. The embedded server has one. For
another server it is that of DATABASE_REPLICATION_URL; DATABASE_URL reads the log.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final, Self

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import ExecStatus

from engine.runtime import restored
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres, with_deadlines
from engine.runtime.postgres.files import find_cluster, packaged_programs
from scripts.backup_tool import BackupError, UnreachableError
from scripts.backup_tool.repository import Newest

_LAST: Final = "SELECT notification_id, at FROM log.facts ORDER BY notification_id DESC LIMIT 1"
_REPLICATION_URL: Final = "DATABASE_REPLICATION_URL"
_HELP: Final = (
    f"set {_REPLICATION_URL} to a login with the right REPLICATION, which pg_hba.conf lets in"
)


class Source(Struct, frozen=True):
    """How to reach a database. `record` is the embedded server's postgres.json; else None."""

    keys: Path
    programs: Path
    replication: str
    reading: str
    record: bytes | None

    def newest(self) -> Newest:
        """Returns the position of the log's last fact, and when it was recorded; 0 if none."""
        try:
            with closing(psycopg.connect(self.reading, autocommit=True)) as connection:
                row = connection.execute(_LAST).fetchone()
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            row = None  # the database has not been set up yet
        return Newest(*row) if row else Newest(0, 0)

    def spawn(
        self,
        program: str,
        *arguments: str,
        output: IO[bytes] | int,
        errors: IO[bytes],
        before: Callable[[], None] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start one of PostgreSQL's programs with the login that may replicate.

        `before` runs in the new process first. The password is in its environment, because every
        user may read its arguments.
        """
        parameters = conninfo_to_dict(self.replication)
        password = str(parameters.pop("password", None) or "")
        return subprocess.Popen(
            [self.programs / program, "--dbname", make_conninfo("", **parameters), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            preexec_fn=before,  # noqa: PLW1509 - our threads hold no lock then
            start_new_session=True,  # Ctrl-C reaches only us, and we stop it
            env={
                "PATH": os.defpath,
                "LC_ALL": "C",
                **({"PGPASSWORD": password} if password else {}),
            },
        )


class Replication:
    """A connection in PostgreSQL's replication protocol."""

    def __init__(self, source: Source) -> None:
        """Raises UnreachableError if there is no answer, or the login may not replicate."""
        conninfo = make_conninfo(source.replication, replication="true")
        try:
            self._connection = psycopg.connect(conninfo, autocommit=True)
        except psycopg.OperationalError as error:
            why = " ".join(str(error).split())
            hint = "" if source.record is not None else f" ({_HELP})"
            raise UnreachableError(f"the database cannot be copied: {why}{hint}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def system(self) -> str:
        """Returns the number that PostgreSQL gave this cluster when it was made."""
        return self._values("IDENTIFY_SYSTEM")[0]

    def segment_bytes(self) -> int:
        """Returns the size of a segment of the write-ahead log."""
        units = {"MB": 1 << 20, "GB": 1 << 30}
        (text,) = self._values("SHOW wal_segment_size")
        return int(text[:-2]) * units[text[-2:]]

    def hold_log(self) -> None:
        """Have the server keep the write-ahead log from now on, while this connection is open."""
        self._values(
            f"CREATE_REPLICATION_SLOT fairdraw_{os.getpid()} TEMPORARY PHYSICAL RESERVE_WAL"
        )

    def ensure_slot(self, name: str) -> bool:
        """Have the server keep the write-ahead log until it was received under this name.

        Returns False if it had kept it before and has given up, so that a part is missing.
        """
        kind, position, _ = self._values(f"READ_REPLICATION_SLOT {name}")
        if kind and position:
            return True
        if kind:
            self._values(f"DROP_REPLICATION_SLOT {name}")
        self._values(f"CREATE_REPLICATION_SLOT {name} PHYSICAL RESERVE_WAL")
        return not kind

    def drop_slot(self, name: str) -> bool:
        """Have the server keep nothing any more. Returns False if it did not."""
        kind, _, _ = self._values(f"READ_REPLICATION_SLOT {name}")
        if kind:
            self._values(f"DROP_REPLICATION_SLOT {name}")
        return bool(kind)

    def _values(self, command: str) -> Sequence[str]:
        """Returns the first row of a command's result. Raises BackupError with the reason."""
        result = self._connection.pgconn.exec_(command.encode())
        if result.status not in {ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK}:
            reason = (result.error_message or b"").decode(errors="replace")
            raise BackupError(f"the database refuses: {' '.join(reason.split())}")
        return [
            (result.get_value(0, column) or b"").decode()
            for column in range(result.nfields if result.ntuples else 0)
        ]


def lineage(system: str, keys: Path) -> str:
    """Names the house whose backups belong together: a restored house is another one."""
    record = restored.read(keys)
    return f"{system}-{record.id}" if record else system


@contextmanager
def opened(data: Path) -> Iterator[Source]:
    """The database, whose embedded server is started if it does not run.

    Raises BackupError if there is none.
    """
    external = _external(data)
    if external is not None:
        yield external
        return
    with EmbeddedPostgres(_with_cluster(data)) as server:
        yield _embedded(data, server)


def running(data: Path) -> Source | None:
    """Returns the database if its server runs; the embedded one may stop as if unobserved."""
    external = _external(data)
    if external is not None:
        return external
    server = EmbeddedPostgres(_with_cluster(data))
    return None if server.postmaster() is None else _embedded(data, server)


def _external(data: Path) -> Source | None:
    url = os.environ.get("DATABASE_URL")
    if not url:
        return None
    replication = os.environ.get(_REPLICATION_URL) or url
    conninfos = with_deadlines(replication), with_deadlines(url)
    return Source(data / "keys", packaged_programs(), *conninfos, None)


def _with_cluster(data: Path) -> Path:
    if find_cluster(data) is None:
        raise BackupError(f"there is no database in {data}: name its folder with --data")
    return data


def _embedded(data: Path, server: EmbeddedPostgres) -> Source:
    record = (data / "postgres.json").read_bytes()
    programs = server.bin("postgres").parent
    return Source(data / "keys", programs, server.dsn("admin"), server.dsn("app"), record)
