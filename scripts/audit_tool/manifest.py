"""The manifest of an export: counts, the last position, and hashes for verification."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from scripts.audit_tool import AuditError, FindingError
from scripts.audit_tool.tables import Row, Table

NAME: Final = "manifest.json"


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


def write(manifest: ExportManifest, folder: Path) -> None:
    """Write the manifest in a readable layout; an export without one is incomplete."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / NAME).write_bytes(text + b"\n")


def read(folder: Path) -> ExportManifest:
    """Returns the manifest of an export.

    Raises:
        AuditError: there is none, or this program cannot read it.
    """
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=ExportManifest)
    except FileNotFoundError:
        raise AuditError(f"{folder} is not a complete export: it has no {NAME}") from None
    except msgspec.DecodeError as error:
        raise AuditError(f"{folder / NAME} is not a valid manifest: {error}") from error
