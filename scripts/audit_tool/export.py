"""`scripts/audit export`: writes the whole log to files that anyone can read and import."""

import argparse
import importlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from projections import csv_cells
from scripts.audit_tool import CLEAN, AuditError, export_files, facts
from scripts.audit_tool.database import Connection, open_snapshot
from scripts.audit_tool.export_files import ExportManifest, ExportPart, RowHasher
from scripts.audit_tool.progress import ProgressMeter
from scripts.audit_tool.tables import TABLES, Table, left_out

NAME = "export"
HELP = "export the whole log as CSV, JSON lines or Parquet, with counts and hashes"
DESCRIPTION = f"""\
Write every fact with its whole envelope, every stored answer to a command and every batch into DIR,
and a manifest with counts, the last position and SHA-256 hashes. The server may keep running: the
export is one snapshot. States, commands and answers are written as their stored text; bytes that
are not UTF-8 are written as base64: with their encoding.

{csv_cells.HELP}

The facts' hash covers all facts in the order of positions, each as position (8 bytes, big endian),
stream (2 bytes of length, UTF-8), version (8), topic, at (8, microseconds since 1970), command id,
actor, and state (4 bytes of length, as stored). It is the same for CSV and JSON lines.

With --parquet it writes tables for analysis instead, which cannot be imported again: the facts, the
postings of each fact, every bet with its result, and every round. Times are UTC timestamps with
microseconds, money is int64 minor units (100 = 1u), odds are int32 thousandths; a missing value is
NULL. A posting's account is as in the ledger, its chart_account joins the accounts of all players,
and bot separates the play of bots. manifest.json has the type of every column.

The vault is NOT exported: names, passwords, sessions, keys, and the secrets of future draws. To run
the server elsewhere you need a backup of the database and the keys folder; an export is for
verification."""
EXAMPLES = """\
  scripts/audit export books-2026-11
  scripts/audit export books-2026-11 --format jsonl
  scripts/audit export --parquet tables-2026-11

the takings of each day, with DuckDB (pip install duckdb, then python3):
  import duckdb
  postings = duckdb.read_parquet("tables-2026-11/postings.parquet")
  print(duckdb.sql("SELECT recorded_at::date AS day, sum(amount_minor) / 100 AS takings_u"
                   " FROM postings WHERE account = 'house:takings' AND NOT bot"
                   " GROUP BY day ORDER BY day"))
"""
_EPOCH = "SELECT epoch FROM log.lease"
_PRIVATE_FOLDER = 0o700


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the format."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--format",
        choices=export_files.FORMATS,
        default="csv",
        help="csv, or jsonl: one object per line",
    )
    forms.add_argument(
        "--parquet",
        action="store_true",
        help="tables for analysis: facts, postings, bets and rounds as Parquet",
    )


def run(options: argparse.Namespace) -> int:
    """Write the files, the manifest last; incomplete files are removed."""
    folder: Path = options.folder
    write = _parquet_writer() if options.parquet else partial(export, ending=options.format)
    with open_snapshot(options.data) as connection:
        try:
            _make(folder)
            written = write(connection, folder)
        except OSError as error:
            raise AuditError(f"{folder} cannot be written: {error}") from error
    for name, part in written.parts.items():
        print(f"{name:<9}{part.rows:>14,}  sha256 {part.sha256}  {folder / part.file}")
    print(f"up to position {written.last_position:,}; {folder / export_files.MANIFEST}")
    print(f"NOT exported: {', '.join(written.left_out)}")
    return CLEAN


def export(connection: Connection, folder: Path, ending: str) -> ExportManifest:
    """Write the log as `connection` sees it into an empty folder.

    Raises:
        OSError: the folder cannot be written; incomplete files have been removed.
    """
    try:
        parts = {table.name: _part(connection, table, folder, ending) for table in TABLES}
        last, at = facts.last(connection)
        row = connection.execute(_EPOCH).fetchone()
        assert row is not None
        skipped = [export_files.VAULT, *left_out(connection, {table.name for table in TABLES})]
        whole = ExportManifest("fairdraw-export.1", last, at, row[0], parts, skipped)
        export_files.write_manifest(whole, folder)
    except BaseException:
        for name in (export_files.MANIFEST, *(f"{table.name}.{ending}" for table in TABLES)):
            (folder / name).unlink(missing_ok=True)
        raise
    return whole


def _parquet_writer() -> Callable[[Connection, Path], Any]:
    """Returns the export as Parquet; pyarrow takes longer to import than all the rest."""
    try:
        module = importlib.import_module("scripts.audit_tool.export_parquet")
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise AuditError("--parquet needs pyarrow: pip install pyarrow") from None
    writer: Callable[[Connection, Path], Any] = module.export
    return writer


def _make(folder: Path) -> None:
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    if next(folder.iterdir(), None) is None:
        return
    unfinished = "" if (folder / export_files.MANIFEST).exists() else " (and no complete export)"
    raise AuditError(f"{folder} is not empty{unfinished}: name a new folder")


def _part(connection: Connection, table: Table, folder: Path, ending: str) -> ExportPart:
    path, hashed = folder / f"{table.name}.{ending}", RowHasher(table)
    counted = ProgressMeter(f"writing {{}} {table.name}", table.count(connection))
    export_files.write_rows(table, hashed.over(counted.over(table.rows(connection))), path)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return ExportPart(path.name, hashed.rows, hashed.hex(), export_files.file_hash(path))
