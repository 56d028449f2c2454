"""`scripts/audit export`: writes the whole log to files that anyone can read and import."""

import argparse
import os
from pathlib import Path

from projections import csv_cells
from scripts.audit_tool import CLEAN, AuditError, export_files, facts
from scripts.audit_tool.database import Connection, open_snapshot
from scripts.audit_tool.export_files import ExportManifest, ExportPart, RowHasher
from scripts.audit_tool.progress import ProgressMeter
from scripts.audit_tool.tables import TABLES, Table, left_out

NAME = "export"
HELP = "export the whole log as CSV or JSON lines, with counts and hashes, for import"
DESCRIPTION = f"""\
Write every fact with its whole envelope, every stored answer to a command and every batch into DIR,
and a manifest with counts, the last position and SHA-256 hashes. The server may keep running: the
export is one snapshot. States, commands and answers are written as their stored text; bytes that
are not UTF-8 are written as base64: with their encoding.

{csv_cells.HELP}

The facts' hash covers all facts in the order of positions, each as position (8 bytes, big endian),
stream (2 bytes of length, UTF-8), version (8), topic, at (8, microseconds since 1970), command id,
actor, and state (4 bytes of length, as stored). It is the same for CSV and JSON lines.

The vault is NOT exported: names, passwords, sessions, keys, and the secrets of future draws. To run
the server elsewhere you need a backup of the database and the keys folder; an export is for
verification."""
EXAMPLES = """\
  scripts/audit export books-2026-11
  scripts/audit export books-2026-11 --format jsonl
"""
_EPOCH = "SELECT epoch FROM log.lease"
_VAULT = "the vault (personal data, keys, secrets of future draws)"
_PRIVATE_FOLDER = 0o700


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the format."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    parser.add_argument(
        "--format",
        choices=export_files.FORMATS,
        default="csv",
        help="csv, or jsonl: one object per line",
    )


def run(options: argparse.Namespace) -> int:
    """Write the files, the manifest last; incomplete files are removed."""
    folder: Path = options.folder
    with open_snapshot(options.data) as connection:
        try:
            _make(folder)
            written = export(connection, folder, options.format)
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
        skipped = [_VAULT, *left_out(connection)]
        whole = ExportManifest("fairdraw-export.1", last, at, row[0], parts, skipped)
        export_files.write_manifest(whole, folder)
    except BaseException:
        for name in (export_files.MANIFEST, *(f"{table.name}.{ending}" for table in TABLES)):
            (folder / name).unlink(missing_ok=True)
        raise
    return whole


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
