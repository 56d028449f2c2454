"""The database's schema, in numbered migrations: each is applied once, in order.

Rules of this module:
- A migration runs in one transaction with its row in log.migrations.
- A released file never changes. A change to the schema is a new file with the next number.
- A database without log.migrations was made before there were numbers. 0001 adopts it: its
  statements leave what exists unchanged.
- A database that this program does not know is refused before anything in it changes.

yoyo-migrations would not be smaller: it hashes a migration's name instead of its content and
ignores numbers it does not know, so the adoption and the refusals would still be our code.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

import psycopg

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
_RECORD: Final = "INSERT INTO log.migrations (number, name, sha256) VALUES (%s, %s, %s)"


def create(conninfo: str) -> None:
    """Bring schemas, tables, triggers and grants up to date, as the database's owner.

    Raises:
        PostgresError: a newer program migrated the database, or an applied file was changed.
    """
    files = {int(file.name[:4]): file for file in sorted(_MIGRATIONS.glob("*.sql"))}
    with psycopg.connect(conninfo, autocommit=True) as conn:
        # Only one process at a time: two that start together must not create the same object.
        conn.execute("SELECT pg_advisory_lock(hashtext('fairdraw schema'))")
        conn.execute(_TABLE)
        applied = _check_applied(conn, files)
        _create_facts(conninfo)
        for number in sorted(files.keys() - applied):
            with conn.transaction():
                conn.execute(files[number].read_bytes())
                conn.execute(_RECORD, (number, files[number].name, _hash(files[number])))
        conn.execute(_GRANTS.read_bytes())


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


def _create_facts(conninfo: str) -> None:
    """Create the table of facts and replace the append function, which belongs to the program."""
    store = datastore(conninfo)
    try:
        FactLog(store).create_table()
    finally:
        store.close()


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()
