"""The files of an export: a table as CSV or JSON Lines, which reads back exactly, and the manifest.

A file has one row per line. Bytes are written as text if they are UTF-8, and otherwise as `base64:`
with their encoding. The log stores JSON, so it is readable as it is. The manifest has the counts,
the last position, and hashes for verification.
"""

import base64
import csv
import itertools
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, Literal

import msgspec
from msgspec import Struct

from projections import csv_cells
from scripts.audit_tool import AuditError, FindingError
from scripts.audit_tool.tables import ColumnType, Row, Table

FORMATS: Final = ("csv", "jsonl")
_BASE64: Final = "base64:"
_MAX_CELL_LENGTH: Final = 2**31 - 1
_BLOCK: Final = 1 << 20
MANIFEST: Final = "manifest.json"
VAULT: Final = "the vault (personal data, keys, secrets of future draws)"


def write_rows(table: Table, rows: Iterable[Row], path: Path) -> None:
    """Write a table into a new file; its extension selects the format."""
    with path.open("x", encoding="utf-8", newline="") as file:
        (_write_csv if path.suffix == ".csv" else _write_jsonl)(table, rows, file)


def read_rows(table: Table, path: Path) -> Iterator[Row]:
    """Yields the rows of a file.

    Raises:
        FindingError: a line does not belong to an export.
    """
    with path.open(encoding="utf-8", newline="") as file:
        lines = (_read_csv if path.suffix == ".csv" else _read_jsonl)(table, file)
        for number in itertools.count(1):
            try:
                row = next(lines, None)
            except (ValueError, KeyError, TypeError, csv.Error) as error:
                raise FindingError(f"row {number:,} of {path} cannot be read: {error}") from error
            if row is None:
                return
            yield row


def file_hash(path: Path) -> str:
    """Returns the SHA-256 of a file in hex, as sha256sum prints it."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _write_csv(table: Table, rows: Iterable[Row], file: IO[str]) -> None:
    writer = csv.writer(file)
    writer.writerow(table.columns)
    kinds = tuple(table.columns.values())
    writer.writerows(
        [csv_cells.escape(_json_value(kind, value)) for kind, value in zip(kinds, row, strict=True)]
        for row in rows
    )


def _write_jsonl(table: Table, rows: Iterable[Row], file: IO[str]) -> None:
    for row in rows:
        values = zip(table.columns.items(), row, strict=True)
        line = {name: _json_value(kind, value) for (name, kind), value in values}
        file.write(msgspec.json.encode(line).decode() + "\n")


def _json_value(kind: ColumnType, value: Any) -> Any:
    """Returns a value as JSON represents it."""
    if kind is not ColumnType.BYTES:
        return value
    try:
        text = bytes(value).decode()
    except UnicodeDecodeError:
        text = _BASE64
    if text.startswith(_BASE64):
        return _BASE64 + base64.b64encode(value).decode()
    return text


def _read_csv(table: Table, file: IO[str]) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CELL_LENGTH)
    lines = csv.reader(file, strict=True)
    if next(lines, None) != list(table.columns):
        raise ValueError(f"its first line does not name {', '.join(table.columns)}")
    readers = [_FROM_CELL[kind] for kind in table.columns.values()]
    for line in lines:
        yield tuple(
            reader(csv_cells.unescape(cell)) for reader, cell in zip(readers, line, strict=True)
        )


def _read_jsonl(table: Table, file: IO[str]) -> Iterator[Row]:
    decode = msgspec.json.Decoder(dict[str, str | int | bool]).decode
    checks = [(name, _FROM_JSON[kind]) for name, kind in table.columns.items()]
    for line in file:
        values = decode(line)
        if len(values) != len(checks):
            raise ValueError(f"it has {len(values)} fields instead of {len(checks)}")
        yield tuple(check(values[name]) for name, check in checks)


def _bytes(value: Any) -> bytes:
    text: str = _of(str, value)
    if text.startswith(_BASE64):
        return base64.b64decode(text.removeprefix(_BASE64), validate=True)
    return text.encode()


def _number(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit()):
        raise ValueError(f"{cell} is not a whole number")
    return int(cell)


def _flag(cell: str) -> bool:
    return ("False", "True").index(cell) == 1


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value


_FROM_CELL: Final[dict[ColumnType, Callable[[str], Any]]] = {
    ColumnType.NUMBER: _number,
    ColumnType.TEXT: str,
    ColumnType.BYTES: _bytes,
    ColumnType.FLAG: _flag,
}
_FROM_JSON: Final[dict[ColumnType, Callable[[Any], Any]]] = {
    ColumnType.NUMBER: lambda value: _of(int, value),
    ColumnType.TEXT: lambda value: _of(str, value),
    ColumnType.BYTES: _bytes,
    ColumnType.FLAG: lambda value: _of(bool, value),
}


class ExportPart(Struct, frozen=True, forbid_unknown_fields=True):
    """One file: `sha256` is over the table's canonical bytes, `file_sha256` over the file."""

    file: str
    rows: int
    sha256: str
    file_sha256: str


class ExportManifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`last_at` is when the last fact was recorded, in microseconds since 1970.

    `epoch` is the last leadership epoch; the leader of a copy begins with a later one.
    """

    format: Literal["fairdraw-export.1"]
    last_position: int
    last_at: int
    epoch: int
    parts: dict[str, ExportPart]
    left_out: list[str]


class RowHasher:
    """Counts and hashes the rows of a table as they are read."""

    def __init__(self, table: Table) -> None:
        """Initially without rows."""
        self.rows = 0
        self._table = table
        self._digest = sha256()

    def add(self, row: Row) -> None:
        """Add one row.

        Raises:
            FindingError: no row of a log can have these values.
        """
        try:
            self._digest.update(self._table.canonical(row))
        except OverflowError as error:
            raise FindingError(f"{self._table.name}: {row[:3]} is invalid: {error}") from error
        self.rows += 1

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the same rows, counted and hashed."""
        for row in rows:
            self.add(row)
            yield row

    def hex(self) -> str:
        """Returns the hash of the rows so far."""
        return self._digest.hexdigest()


def write_manifest(manifest: Struct, folder: Path) -> None:
    """Write the manifest in a readable layout; an export without one is incomplete."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / MANIFEST).write_bytes(text + b"\n")


def read_manifest(folder: Path) -> ExportManifest:
    """Returns the manifest of an export.

    Raises:
        AuditError: there is none, or this program cannot read it.
    """
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=ExportManifest)
    except FileNotFoundError:
        raise AuditError(f"{folder} is not a complete export: it has no {MANIFEST}") from None
    except msgspec.DecodeError as error:
        raise AuditError(f"{folder / MANIFEST} is not a valid manifest: {error}") from error
