"""The database under audit: found by its data folder, read in one read-only snapshot."""

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from engine.runtime.postgres.embedded_postgres import Conninfos, database
from engine.runtime.postgres.files import find_cluster
from scripts.audit_tool import AuditError

Connection = psycopg.Connection[tuple[Any, ...]]

_HAS_LOG = "SELECT to_regclass('log.facts') IS NOT NULL"


@contextlib.contextmanager
def open_snapshot(data_dir: Path) -> Iterator[Connection]:
    """Open a connection in one read-only transaction; it does not see what a running server writes.

    Raises:
        AuditError: there is no database.
    """
    with find_database(data_dir) as conninfos, snapshot(conninfos) as connection:
        yield connection


@contextlib.contextmanager
def find_database(data_dir: Path) -> Iterator[Conninfos]:
    """Open the database, for callers that need more than one connection.

    Raises:
        AuditError: there is no database.
    """
    url = os.environ.get("DATABASE_URL")
    if not url and find_cluster(data_dir) is None:
        raise AuditError(f"there is no database in {data_dir}: name its folder with --data")
    with database(data_dir, url, print_status) as conninfos:
        yield conninfos


@contextlib.contextmanager
def snapshot(conninfos: Conninfos) -> Iterator[Connection]:
    """Open a read-only snapshot of a database that `find_database` opened.

    Raises:
        AuditError: no server has been started on it.
    """
    with psycopg.connect(conninfos.app) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute(_HAS_LOG).fetchone()
        if row is None or not row[0]:
            raise AuditError("no server has been started on this database")
        yield connection


def rebuild_command(data_dir: Path) -> str:
    """Returns the command that rebuilds all read models of this database."""
    return f"scripts/projections --data {shlex.quote(str(data_dir))} rebuild all"


def print_status(line: str) -> None:
    """Print a status line on standard error, separate from the answer."""
    print(line, file=sys.stderr, flush=True)
