"""What all loads stand on: one temporary folder, one PostgreSQL in it, a database for each."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import psycopg

from engine.runtime.postgres import Conninfos, EmbeddedPostgres
from engine.runtime.postgres_home import find_cluster
from engine.runtime.postmaster import find_postmaster

DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
_PREFIX = "fairdraw-bench-"
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})


class BenchError(Exception):
    """The bench cannot run here; the text says why, in one line."""


class BenchDatabase:
    """The server that every load shares, and the folder in which they keep what they need."""

    def __init__(self, folder: Path, server: EmbeddedPostgres) -> None:
        self.folder = folder
        self.server = server

    def fresh_database(self, name: str) -> Conninfos:
        """An empty database, in place of one of the same name."""
        self.server.drop_database(name)
        self.server.create_database(name)
        conninfos = self.server.conninfos(name)
        for conninfo in (conninfos.owner, conninfos.app):
            check_durable(conninfo)
        return conninfos

    def drop(self, name: str) -> None:
        """Give a database's room back."""
        self.server.drop_database(name)

    def fresh_folder(self, name: str) -> Path:
        """An empty folder, in place of one of the same name."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def version(self) -> str:
        """The server's version."""
        with psycopg.connect(self.server.dsn("admin", "postgres")) as connection:
            return str(connection.info.parameter_status("server_version"))


def check_durable(conninfo: str) -> None:
    """BenchError unless what a session of this role commits is on the disk."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for setting in DURABLE:
            row = connection.execute(f"SHOW {setting}").fetchone()
            if row != ("on",):
                raise BenchError(f"{setting} is {row and row[0]}, so no figure would mean anything")


def query(conninfo: str, statement: str, parameters: Sequence[object] = ()) -> int:
    """One number from the database."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        row = connection.execute(statement.encode(), parameters).fetchone()
    assert row is not None
    return int(row[0])


@contextlib.contextmanager
def open_bench_database() -> Iterator[BenchDatabase]:
    """The ground; nothing is left of it afterwards, nor of one whose bench was killed.

    Raises:
        BenchError: temporary files are kept in memory here, where fsync costs nothing.
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
