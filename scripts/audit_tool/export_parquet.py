"""The files of `scripts/audit export --parquet`: written in row groups while the log is read.

A file has a temporary name until all are complete, and the manifest is written last. An interrupted
export therefore leaves no file that ends in .parquet, or none with a manifest next to it.
"""

import os
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from scripts.audit_tool import export_files, facts
from scripts.audit_tool.analysis_tables import (
    FACTS,
    TABLES,
    AnalysisTable,
    ColumnKind,
    Row,
    RowMaker,
)
from scripts.audit_tool.database import Connection
from scripts.audit_tool.progress import ProgressMeter
from scripts.audit_tool.tables import left_out

_ROW_GROUP: Final = 50_000
_UNFINISHED: Final = ".unfinished"
_TYPES: Final[dict[ColumnKind, Any]] = {
    ColumnKind.NUMBER: pa.int64(),
    ColumnKind.SMALL: pa.int32(),
    ColumnKind.TEXT: pa.string(),
    ColumnKind.NAME: pa.dictionary(pa.int32(), pa.string()),
    ColumnKind.TIME: pa.timestamp("us", tz="UTC"),
    ColumnKind.FLAG: pa.bool_(),
    ColumnKind.DIGITS: pa.list_(pa.int8()),
}


class ParquetPart(Struct, frozen=True):
    """One file: its rows, the SHA-256 of the file, and the type of each column."""

    file: str
    rows: int
    sha256: str
    columns: dict[str, str]


class ParquetManifest(Struct, frozen=True):
    """`last_at` is when the last fact was recorded, in microseconds since 1970."""

    format: Literal["fairdraw-parquet.1"]
    last_position: int
    last_at: int
    parts: dict[str, ParquetPart]
    left_out: list[str]


def export(connection: Connection, folder: Path) -> ParquetManifest:
    """Write the log as `connection` sees it into an empty folder.

    Raises:
        OSError: the folder cannot be written; incomplete files have been removed.
        FindingError: a fact cannot be read, or does not follow from those before it.
    """
    files: dict[str, _TableFile] = {}
    try:
        for table in TABLES:
            files[table.name] = _TableFile(table, folder)
        last, at = facts.last(connection)
        _write(connection, last, files)
        parts = {name: file.complete() for name, file in files.items()}
        for file in files.values():
            file.unfinished.rename(file.path)
        skipped = [export_files.VAULT, *left_out(connection, {FACTS.name})]
        whole = ParquetManifest("fairdraw-parquet.1", last, at, parts, skipped)
        export_files.write_manifest(whole, folder)
    except BaseException:
        for file in files.values():
            file.unfinished.unlink(missing_ok=True)
            file.path.unlink(missing_ok=True)
        (folder / export_files.MANIFEST).unlink(missing_ok=True)
        raise
    return whole


def _write(connection: Connection, last: int, files: dict[str, "_TableFile"]) -> None:
    maker = RowMaker()
    stored = facts.stream(connection, last)
    for each in ProgressMeter("exporting {} facts", last).over(stored):
        for table, row in maker.rows_of(each):
            files[table.name].add(row)
    for table, row in maker.rest():
        files[table.name].add(row)


class _TableFile:
    """A table's file. One row group at most is in memory."""

    def __init__(self, table: AnalysisTable, folder: Path) -> None:
        self.path = folder / f"{table.name}.parquet"
        self.unfinished = self.path.with_name(self.path.name + _UNFINISHED)
        self._kinds = table.columns
        self._schema = pa.schema([(name, _TYPES[kind]) for name, kind in table.columns.items()])
        self._rows: list[Row] = []
        self._count = 0
        self._writer = pq.ParquetWriter(self.unfinished, self._schema, compression="zstd")

    def add(self, row: Row) -> None:
        """Add one row; a full row group is written."""
        self._rows.append(row)
        if len(self._rows) == _ROW_GROUP:
            self._flush()

    def complete(self) -> ParquetPart:
        """Write the rest and the footer, and wait until the disk has them."""
        self._flush()
        self._writer.close()
        with self.unfinished.open("rb") as file:
            os.fsync(file.fileno())
        columns = {name: kind.value for name, kind in self._kinds.items()}
        digest = export_files.file_hash(self.unfinished)
        return ParquetPart(self.path.name, self._count, digest, columns)

    def _flush(self) -> None:
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        arrays = [
            pa.array(values, type=field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._count += len(self._rows)
        self._rows.clear()
