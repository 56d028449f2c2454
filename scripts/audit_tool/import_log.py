"""`scripts/audit import`: imports an export into a database without history, all or nothing.

The rows are stored in one transaction: after a failure the log is as empty as before. The rows are
read back from the database and hashed again before the commit.
"""

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg

from engine.facts import player_of
from engine.runtime.log import schema
from engine.runtime.log.fact_log import CHANNEL
from engine.runtime.log.lease import IS_HELD
from engine.runtime.postgres.embedded_postgres import database
from scripts.audit_tool import AuditError, FindingError, export_files, facts
from scripts.audit_tool.as_of import Moment
from scripts.audit_tool.books import Books
from scripts.audit_tool.database import Connection, print_status, rebuild_command
from scripts.audit_tool.export_files import ExportManifest, ExportPart, RowHasher
from scripts.audit_tool.facts import StoredFact
from scripts.audit_tool.progress import ProgressMeter
from scripts.audit_tool.tables import FACTS, TABLES, Row, Table
from scripts.audit_tool.trial_balance import as_table, print_findings

NAME = "import"
HELP = "import an export into a database without history; all or nothing"
DESCRIPTION = """\
Import an export into a database without history. A folder of --data that is missing is created.
Positions, versions, times, command ids and actors are unchanged. The stored answers are imported
too, so that a repeated command is not executed twice. With DATABASE_URL, DATABASE_OWNER_URL names
the owner of the database: no other role may store facts in this way.

Refused, with nothing stored: a log that is not empty, a running server, a file other than the
exported one, rows whose hash differs from the manifest, positions or stream versions with a gap, a
fact that this program cannot read. At the end it prints the hashes, read back from the database,
and the trial balance, which must equal that of the exported database.

The vault is not part of an export: no one can log in to the copy, and its open rounds can be
neither drawn nor voided. The copy is for verification only; it cannot resume play."""
EXAMPLES = """\
  scripts/audit import books-2026-11 --data copy
  scripts/audit trial-balance --data copy
  scripts/projections --data copy rebuild all && scripts/audit check --data copy
"""
_LEASE = f"SELECT {IS_HELD} FROM log.lease FOR UPDATE"
_EMPTY = "SELECT NOT EXISTS (SELECT FROM log.{}) "
# Computes a column that an export lacks: which acceptances have no fact in the log.
_PREPARE_PURGE = "SELECT log.prepare_purge()"
_EPOCH = "UPDATE log.lease SET epoch = greatest(epoch, %s)"
_PLAYERS = (
    "SELECT setval('vault.player_ids', greatest(%s, (SELECT last_value FROM vault.player_ids)))"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of an export")


def run(options: argparse.Namespace) -> int:
    """Check the files, store them, read them back, commit, and print the result."""
    try:
        expected = export_files.read_manifest(options.folder)
        _check_files(options.folder, expected)
    except OSError as error:
        raise AuditError(f"{options.folder} cannot be read: {error}") from error
    url, owner_url = os.environ.get("DATABASE_URL"), os.environ.get("DATABASE_OWNER_URL")
    with database(options.data, url, print_status, owner_url=owner_url) as conninfos:
        schema.create(conninfos.owner)
        with psycopg.connect(conninfos.owner) as connection:
            restore(connection, options.folder, expected)
            books = _read_back(connection, expected)
            connection.commit()
    for name, part in expected.parts.items():
        print(f"{name:<9}{part.rows:>14,}  sha256 {part.sha256}")
    moment = Moment(expected.last_position, expected.last_at, expected.last_position, None)
    print(as_table(books, moment, options.timezone))
    print("\nThe vault was NOT imported: names, passwords, keys and secrets of future draws.")
    print(f"Read models are not built yet; before a check: {rebuild_command(options.data)}")
    return print_findings(books)


def restore(connection: Connection, folder: Path, expected: ExportManifest) -> None:
    """Store an export within the transaction of `connection`.

    Raises:
        AuditError: the database is not empty, or a server is running on it.
        FindingError: the files do not match the manifest.
    """
    _lock_empty_log(connection)
    highest = 0
    for table in TABLES:
        rows, sequence = _counted(table, folder, expected.parts[table.name]), LogOrder()
        _copy(connection, table, sequence.over(rows) if table is FACTS else rows)
        if table is FACTS:
            _require_equal("the last position", sequence.position, expected.last_position)
            _require_equal("the time of the last fact", sequence.at, expected.last_at)
            highest = max(map(player_of, sequence.players()), default=0)
    connection.execute(_PREPARE_PURGE)
    connection.execute(_EPOCH, (expected.epoch,))
    if highest:
        connection.execute(_PLAYERS, (highest,))
    connection.execute("SELECT pg_notify(%s, '')", (CHANNEL,))


def _check_files(folder: Path, expected: ExportManifest) -> None:
    _require_equal("the tables", sorted(expected.parts), sorted(table.name for table in TABLES))
    for part in expected.parts.values():
        path = folder / Path(part.file).name
        if export_files.file_hash(path) != part.file_sha256:
            raise FindingError(f"{path} is not the file that was exported")


def _lock_empty_log(connection: Connection) -> None:
    """Block other leaders and writers of this log until our transaction has ended."""
    row = connection.execute(_LEASE.encode()).fetchone()
    if row is None or row[0]:
        raise AuditError(
            "a server is running on this database: stop it, and import into an empty one"
        )
    connection.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
    for table in TABLES:
        row = connection.execute(_EMPTY.format(table.name).encode()).fetchone()
        if row is None or not row[0]:
            raise AuditError(f"this database has a history (log.{table.name} is not empty)")


def _counted(table: Table, folder: Path, part: ExportPart) -> Iterator[Row]:
    """Yields the rows of a file; their number and hash must match the manifest."""
    hashed = RowHasher(table)
    counted = ProgressMeter(f"storing {{}} {table.name}", part.rows)
    yield from hashed.over(
        counted.over(export_files.read_rows(table, folder / Path(part.file).name))
    )
    _require_hash(part, hashed, part.file)


def _copy(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    into = f"COPY log.{table.name} ({', '.join(table.stored)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(into.encode()) as copy:
        copy.set_types([kind.value for kind in table.columns.values()])
        for row in rows:
            copy.write_row(row)


def _read_back(connection: Connection, expected: ExportManifest) -> Books:
    """Read the database back and hash it again; returns the books of its facts."""
    books = Books()
    for table in TABLES:
        hashed, part = RowHasher(table), expected.parts[table.name]
        counted = ProgressMeter(f"reading back {{}} {table.name}", part.rows)
        for row in hashed.over(counted.over(table.rows(connection))):
            if table is FACTS:
                books.apply(_stored(row).recorded())
        _require_hash(part, hashed, f"log.{table.name}")
    _require_equal(
        "the log's end", facts.last(connection), (expected.last_position, expected.last_at)
    )
    return books


def _stored(row: Row) -> StoredFact:
    return StoredFact(**dict(zip(FACTS.columns, row, strict=True)))


def _require_hash(part: ExportPart, hashed: RowHasher, where: str) -> None:
    _require_equal(f"the number of rows of {where}", hashed.rows, part.rows)
    _require_equal(f"the hash of {where}", hashed.hex(), part.sha256)


def _require_equal(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise FindingError(f"{what} is {found}, but the manifest has {expected}")


class LogOrder:
    """Positions from 1 without a gap, each stream's versions too, times that never decrease."""

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self.position = 0
        self.at = 0
        self._versions: dict[str, int] = {}

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the same rows, in the columns of `tables.FACTS`.

        Raises:
            FindingError: a row violates the order.
        """
        for row in rows:
            position, stream, version, _, at, *_ = row
            if position != self.position + 1:
                raise FindingError(f"position {position} follows position {self.position}")
            if version != self._versions.get(stream, 0) + 1:
                before = self._versions.get(stream, 0)
                raise FindingError(
                    f"at position {position} {stream} goes from version {before} to {version}"
                )
            if at < self.at:
                raise FindingError(f"position {position} was recorded before the one before it")
            self.position, self.at = position, at
            self._versions[stream] = version
            yield row

    def players(self) -> Iterator[str]:
        """Yields the players' streams among the rows so far."""
        return (stream for stream in self._versions if stream.startswith("player-"))
