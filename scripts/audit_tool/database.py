"""The database under audit: found by its data folder, read in one read-only snapshot.

It is read with the auditor's role where its password is known, which is so for the embedded server.
With DATABASE_URL it is read with the role that is named there.
"""

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
# The owner grants them at the first start of a version that has the role.
_HAS_GRANTS = (
    "SELECT FROM pg_namespace WHERE nspname = 'log' AND has_schema_privilege(oid, 'USAGE')"
)


@contextlib.contextmanager
def open_snapshot(data_dir: Path, *, vault: bool = False) -> Iterator[Connection]:
    """Open a connection in one read-only transaction; it does not see what a running server writes.

    With `vault` the embedded server's application role is used, because the auditor's cannot read
    the vault.

    Raises:
        AuditError: there is no database.
    """
    with (
        find_database(data_dir, vault=vault) as conninfo,
        snapshot(conninfo) as connection,
    ):
        yield connection


@contextlib.contextmanager
def find_database(data_dir: Path, *, vault: bool = False) -> Iterator[str]:
    """Open the database, for callers that need more than one connection. Yields its conninfo.

    Raises:
        AuditError: there is no database.
    """
    url = os.environ.get("DATABASE_URL")
    if not url and find_cluster(data_dir) is None:
        raise AuditError(f"there is no database in {data_dir}: name its folder with --data")
    with database(data_dir, url, print_status) as conninfos:
        yield conninfos.app if vault else _auditor_of(conninfos)


def _auditor_of(conninfos: Conninfos) -> str:
    if conninfos.auditor is None:
        return conninfos.app
    with psycopg.connect(conninfos.auditor) as connection:
        has_grants = connection.execute(_HAS_GRANTS).fetchone() is not None
    return conninfos.auditor if has_grants else conninfos.app


@contextlib.contextmanager
def snapshot(conninfo: str) -> Iterator[Connection]:
    """Open a read-only snapshot of a database that `find_database` opened.

    Raises:
        AuditError: no server has been started on it.
    """
    with psycopg.connect(conninfo) as connection:
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
