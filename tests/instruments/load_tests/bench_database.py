"""The base of all loads: one temporary folder with one PostgreSQL, and a database for each load."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import psycopg

from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres, find_postmaster
from engine.runtime.postgres.files import find_cluster
from tests.databases import drop_database
from tests.instruments.load_tests.workers import NoFigureError

DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
_PREFIX = "fairdraw-bench-"
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})
_FACTS = "SELECT count(*) FROM log.facts WHERE topic = 'bet-placed.1' AND command_id LIKE %s"
_OUTCOMES = "SELECT count(*) FROM log.outcomes WHERE NOT refused AND key LIKE %s"


class BenchError(Exception):
    """The bench cannot run here; the text is the reason in one line."""


class BenchDatabase:
    """The PostgreSQL server that all loads share, and the folder for their files."""

    def __init__(self, folder: Path, server: EmbeddedPostgres) -> None:
        self.folder = folder
        self.server = server

    def fresh_database(self, name: str) -> Conninfos:
        """Create an empty database and drop one of the same name first."""
        drop_database(self.server, name)
        self.server.create_database(name)
        conninfos = self.server.conninfos(name)
        for conninfo in (conninfos.owner, conninfos.app):
            check_durable(conninfo)
        return conninfos

    def drop(self, name: str) -> None:
        """Drop a database to free its disk space."""
        drop_database(self.server, name)

    def fresh_folder(self, name: str) -> Path:
        """Create an empty folder and remove one of the same name first."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def version(self) -> str:
        """The server's version."""
        with psycopg.connect(self.server.dsn("admin", "postgres")) as connection:
            return str(connection.info.parameter_status("server_version"))


def check_durable(conninfo: str) -> None:
    """Raises BenchError unless commits of this role are durable."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for setting in DURABLE:
            row = connection.execute(f"SHOW {setting}").fetchone()
            if row != ("on",):
                raise BenchError(f"{setting} is {row and row[0]}, so no figure would mean anything")


def query(conninfo: str, statement: str, parameters: Sequence[object] = ()) -> int:
    """Returns one number from the database."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        row = connection.execute(statement.encode(), parameters).fetchone()
    assert row is not None
    return int(row[0])


@contextlib.contextmanager
def open_bench_database() -> Iterator[BenchDatabase]:
    """Open the database server and remove it afterwards, with what a killed bench has left.

    Raises: BenchError: temporary files are in memory here, where fsync costs nothing.
    """
    temporary = Path(tempfile.gettempdir())
    _refuse_memory(temporary)
    for folder in temporary.glob(f"{_PREFIX}*"):
        if not psutil.pid_exists(int(folder.name.removeprefix(_PREFIX))):
            _remove(folder)
    folder = temporary / f"{_PREFIX}{os.getpid()}"
    folder.mkdir(mode=0o711)
    try:
        with EmbeddedPostgres(folder / "server") as server:
            yield BenchDatabase(folder, server)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    cluster = find_cluster(folder / "server")
    if cluster is not None:
        postmaster = find_postmaster(cluster)
        if postmaster is not None:
            postmaster.stop(fast_seconds=1.0)
        shutil.rmtree(cluster.parent, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _refuse_memory(folder: Path) -> None:
    mounts = {Path(part.mountpoint): part.fstype for part in psutil.disk_partitions(all=True)}
    place = folder.resolve()
    mount = next(at for at in (place, *place.parents) if at in mounts)
    if mounts[mount] in _IN_MEMORY:
        raise BenchError(f"{folder} is in memory: set TMPDIR to a folder on a disk")


def count_bets(conninfo: str, name: str) -> int:
    """How many bets the log has under keys that begin with `name`."""
    return query(conninfo, _FACTS, [f"{name}-%"])


def check_stored(conninfo: str, name: str, acknowledged: int) -> None:
    """Check that the keys that begin with `name` have as many bets and outcomes as acknowledged.

    Raises: NoFigureError: the counts differ.
    """
    facts = count_bets(conninfo, name)
    outcomes = query(conninfo, _OUTCOMES, [f"{name}-%"])
    if not facts == outcomes == acknowledged > 0:
        raise NoFigureError(
            f"{name}: {acknowledged} acknowledged, {facts} facts, {outcomes} outcomes"
        )
