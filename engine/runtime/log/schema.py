"""The database's schema, in numbered migrations: each is applied once, in order.

Rules of this module:
- A migration runs in one transaction with its row in log.migrations.
- A released file never changes. A change to the schema is a new file with the next number.
- A database without log.migrations was made before there were numbers. 0001 adopts it: its
  statements leave what exists unchanged.
- A database that this program does not know is refused before anything in it changes.
- Only the owner migrates. With another role the program starts if there is nothing to migrate, so
  that a server need not have the owner's password.

yoyo-migrations would not be smaller: it hashes a migration's name instead of its content and
ignores numbers it does not know, so the adoption and the refusals would still be our code.
"""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

import psycopg
from psycopg.errors import InsufficientPrivilege, UndefinedTable
from psycopg.sql import Composed

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.files import PostgresError

_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_GRANTS: Final = Path(__file__).with_name("grants.sql")
_TABLE: Final = (
    "CREATE SCHEMA IF NOT EXISTS log; CREATE TABLE IF NOT EXISTS log.migrations ("
    " number int PRIMARY KEY,"
    " name text NOT NULL,"
    " sha256 text NOT NULL,"
    " applied_at timestamptz NOT NULL DEFAULT now())"
)
# The log exists, and this role has not its owner's rights.
_IS_ANOTHERS: Final = (
    "SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
    " WHERE nspname = 'log' AND relname = 'facts' AND NOT pg_has_role(relowner, 'USAGE')"
)
_FUNCTION: Final = (
    "SELECT prosrc FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace"
    " WHERE nspname = 'log' AND proname = 'append_batch' AND prosecdef"
)
_OWNER_NEEDED: Final = (
    "the role {} cannot bring the database up to date ({}): start once, or run"
    " `scripts/run --migrate`, with the owner of the tables in DATABASE_OWNER_URL"
)
_RECORD: Final = "INSERT INTO log.migrations (number, name, sha256) VALUES (%s, %s, %s)"


def create(conninfo: str) -> None:
    """Bring schemas, tables, triggers and grants up to date, as the database's owner.

    Another role changes nothing.

    Raises:
        PostgresError: a newer program migrated the database, an applied file was changed, or only
            the owner can do what is necessary.
    """
    files = {int(file.name[:4]): file for file in sorted(_MIGRATIONS.glob("*.sql"))}
    with psycopg.connect(conninfo, autocommit=True) as conn:
        try:
            if conn.execute(_IS_ANOTHERS).fetchone() is None:
                _migrate(conn, conninfo, files)
            else:
                _check_current(conn, conninfo, files)
        except InsufficientPrivilege as error:
            reason = error.diag.message_primary
            raise PostgresError(_OWNER_NEEDED.format(conn.info.user, reason)) from None


def _migrate(conn: psycopg.Connection, conninfo: str, files: dict[int, Path]) -> None:
    # Only one process at a time: two that start together must not create the same object.
    conn.execute("SELECT pg_advisory_lock(hashtext('fairdraw schema'))")
    conn.execute(_TABLE)
    applied = _check_applied(conn, files)
    *tables, append_batch = _log_statements(conninfo)
    # Even where nothing is missing, CREATE INDEX would wait for a vacuum of the table or an append,
    # and the next appends for it. The first migration needs what these statements create.
    if not applied:
        for each in tables:
            conn.execute(each)
    for number in sorted(files.keys() - applied):
        with conn.transaction():
            conn.execute(files[number].read_bytes())
            conn.execute(_RECORD, (number, files[number].name, _hash(files[number])))
    # The append function belongs to the program, and is new with every start. A migration may have
    # dropped it, so it comes with its grants.
    with conn.transaction():
        conn.execute(append_batch)
        conn.execute(_GRANTS.read_bytes())


def _check_current(conn: psycopg.Connection, conninfo: str, files: dict[int, Path]) -> None:
    """Raises PostgresError unless the database has all migrations and this program's function."""
    try:
        applied = _check_applied(conn, files)
    except UndefinedTable:
        applied = set()
    pending = [files[number].name for number in sorted(files.keys() - applied)]
    stored = conn.execute(_FUNCTION).fetchone()
    *_, append_batch = _log_statements(conninfo)
    if stored is None or stored[0] not in append_batch.as_string(conn):
        pending.append("log.append_batch")
    if pending:
        reason = f"{', '.join(pending)} must be applied"
        raise PostgresError(_OWNER_NEEDED.format(conn.info.user, reason))


def _log_statements(conninfo: str) -> list[Composed]:
    """Returns the statements that create the log's table and, last, its append function."""
    with closing(datastore(conninfo)) as store:
        return FactLog(store).sql_create_statements


def _check_applied(conn: psycopg.Connection, files: dict[int, Path]) -> set[int]:
    applied = conn.execute("SELECT number, name, sha256 FROM log.migrations").fetchall()
    for number, name, digest in applied:
        if number not in files:
            raise PostgresError(
                f"the database has migration {name}, which this program lacks: start the newer"
                " program that applied it, or restore a backup from before it"
            )
        if digest != _hash(files[number]):
            raise PostgresError(
                f"{files[number]} has changed since it was applied to the database as {name}:"
                " put the released file back; a change to the schema is a new migration"
            )
    return {number for number, _, _ in applied}


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()
