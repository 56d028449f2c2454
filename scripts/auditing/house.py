"""The house under audit: found by its data folder, read in one snapshot that cannot write."""

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from engine.runtime.postgres import Conninfos, database
from engine.runtime.postgres_home import find_cluster
from scripts.auditing import AuditError

Connection = psycopg.Connection[tuple[Any, ...]]

_HAS_LOG = "SELECT to_regclass('log.facts') IS NOT NULL"


@contextlib.contextmanager
def open_snapshot(data_dir: Path) -> Iterator[Connection]:
    """A connection in one read-only transaction: a running house writes on, and is not seen.

    Raises:
        AuditError: there is no house.
    """
    with find_database(data_dir) as conninfos, snapshot(conninfos) as connection:
        yield connection


@contextlib.contextmanager
def find_database(data_dir: Path) -> Iterator[Conninfos]:
    """The house's database, for whoever needs more than one connection.

    Raises:
        AuditError: there is no house.
    """
    url = os.environ.get("DATABASE_URL")
    if not url and find_cluster(data_dir) is None:
        raise AuditError(f"there is no house in {data_dir}: name its folder with --data")
    with database(data_dir, url, print_status) as conninfos:
        yield conninfos


@contextlib.contextmanager
def snapshot(conninfos: Conninfos) -> Iterator[Connection]:
    """The same on a database that has been found already.

    Raises:
        AuditError: no house has been started on it.
    """
    with psycopg.connect(conninfos.app) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute(_HAS_LOG).fetchone()
        if row is None or not row[0]:
            raise AuditError("no house has been started on this database")
        yield connection


def rebuild_command(data_dir: Path) -> str:
    """The command that builds all read models of this house."""
    return f"scripts/projections --data {shlex.quote(str(data_dir))} rebuild all"


def print_status(line: str) -> None:
    """Tell what keeps us waiting, aside of the answer."""
    print(line, file=sys.stderr, flush=True)
