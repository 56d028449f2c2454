"""`scripts/audit import`: an export into a house that has no history yet, or nothing at all.

One transaction: whatever fails, the house is as empty as before. The rows are read back from the
database and hashed again before anything is kept.
"""

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg

from engine.facts import player_of
from engine.runtime import schema
from engine.runtime.lease import EXPIRY_S
from engine.runtime.log import CHANNEL
from engine.runtime.postgres import database
from scripts.auditing import AuditError, FindingError, facts, files, manifest
from scripts.auditing.books import Books
from scripts.auditing.facts import StoredFact
from scripts.auditing.house import Connection, print_status, rebuild_command
from scripts.auditing.manifest import ExportManifest, ExportPart, RowHasher
from scripts.auditing.moments import Moment
from scripts.auditing.progress import ProgressMeter
from scripts.auditing.sequence import LogOrder
from scripts.auditing.tables import FACTS, TABLES, Row, Table
from scripts.auditing.trial_balance import as_table, print_findings

NAME = "import"
HELP = "an export into a house without any history; all of it or nothing"
DESCRIPTION = """\
Store an export in a house that has no history yet, made for it where --data names no folder.
Positions, versions, times, command ids and who asked stay exactly as they were; remembered
answers come along, so that a repeated command is not done twice.

Refused, with nothing stored: a log that is not empty, a house that is running, a file other than
the one exported, rows that do not hash to what the manifest says, positions or stream versions
with a gap, a fact that this program cannot read. At the end it prints the hashes, read back from
the database, and the trial balance: the same that the exported house prints.

The vault is not part of an export: nobody can sign in to the copy, and rounds that were open in
it can be neither drawn nor voided. It is for checking, not for playing on."""
EXAMPLES = """\
  scripts/audit import books-2026-11 --data copy
  scripts/audit trial-balance --data copy
  scripts/projections --data copy rebuild all && scripts/audit check --data copy
"""
_LEASE = (
    "SELECT renewed_at > clock_timestamp() - make_interval(secs => %s) FROM log.lease FOR UPDATE"
)
_EMPTY = "SELECT NOT EXISTS (SELECT FROM log.{}) "
_EPOCH = "UPDATE log.lease SET epoch = greatest(epoch, %s)"
_PLAYERS = (
    "SELECT setval('vault.player_ids', greatest(%s, (SELECT last_value FROM vault.player_ids)))"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where from."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of an export")


def run(options: argparse.Namespace) -> int:
    """Check the files, store them, read them back, keep them, and print what is there now."""
    try:
        expected = manifest.read(options.folder)
        _check_files(options.folder, expected)
    except OSError as error:
        raise AuditError(f"{options.folder} cannot be read: {error}") from error
    with database(options.data, os.environ.get("DATABASE_URL"), print_status) as conninfos:
        schema.create(conninfos.owner)
        with psycopg.connect(conninfos.owner) as connection:
            restore(connection, options.folder, expected)
            books = _read_back(connection, expected)
            connection.commit()
    for name, part in expected.parts.items():
        print(f"{name:<9}{part.rows:>14,}  sha256 {part.sha256}")
    moment = Moment(expected.last_position, expected.last_at, expected.last_position, None)
    print(as_table(books, moment, options.timezone))
    print("\nThe vault was NOT imported: names, passwords, keys and secrets of draws to come.")
    print(f"Read models are not built yet; before a check: {rebuild_command(options.data)}")
    return print_findings(books)


def restore(connection: Connection, folder: Path, expected: ExportManifest) -> None:
    """Store an export within the transaction of `connection`.

    Raises:
        AuditError: this house is not empty, or runs.
        FindingError: the files do not hold what the manifest says.
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
    connection.execute(_EPOCH, (expected.epoch,))
    if highest:
        connection.execute(_PLAYERS, (highest,))
    connection.execute("SELECT pg_notify(%s, '')", (CHANNEL,))


def _check_files(folder: Path, expected: ExportManifest) -> None:
    _require_equal("the tables", sorted(expected.parts), sorted(table.name for table in TABLES))
    for part in expected.parts.values():
        path = folder / Path(part.file).name
        if files.file_hash(path) != part.file_sha256:
            raise FindingError(f"{path} is not the file that was exported")


def _lock_empty_log(connection: Connection) -> None:
    """Nobody can lead this house, nor write to its log, before our transaction has ended."""
    row = connection.execute(_LEASE, (EXPIRY_S,)).fetchone()
    if row is None or row[0]:
        raise AuditError("this house is running: stop it first, and import into an empty one")
    connection.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
    for table in TABLES:
        row = connection.execute(_EMPTY.format(table.name).encode()).fetchone()
        if row is None or not row[0]:
            raise AuditError(f"this house has a history (log.{table.name} is not empty)")


def _counted(table: Table, folder: Path, part: ExportPart) -> Iterator[Row]:
    """The rows of a file, which must be as many as the manifest says and hash as it says."""
    hashed = RowHasher(table)
    counted = ProgressMeter(f"storing {{}} {table.name}", part.rows)
    yield from hashed.over(counted.over(files.read(table, folder / Path(part.file).name)))
    _require_hash(part, hashed, part.file)


def _copy(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    into = f"COPY log.{table.name} ({', '.join(table.stored)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(into.encode()) as copy:
        copy.set_types([kind.value for kind in table.columns.values()])
        for row in rows:
            copy.write_row(row)


def _read_back(connection: Connection, expected: ExportManifest) -> Books:
    """What is in the database now, hashed again; the facts make the books on the way."""
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
        raise FindingError(f"{what} is {found}, and by the manifest {expected}")
