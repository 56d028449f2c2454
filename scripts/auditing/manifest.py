"""What an export says of itself: counts, the last position, and hashes to hold it to."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from scripts.auditing import AuditError, FindingError
from scripts.auditing.tables import Row, Table

NAME: Final = "manifest.json"


class ExportPart(Struct, frozen=True, forbid_unknown_fields=True):
    """One file: `sha256` is over the table's canonical bytes, `file_sha256` over the file."""

    file: str
    rows: int
    sha256: str
    file_sha256: str


class ExportManifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`last_at` is when the last fact was recorded, in microseconds since 1970.

    `epoch` is the last under which anybody led; whoever leads a copy begins behind it.
    """

    format: Literal["fairdraw-export.1"]
    last_position: int
    last_at: int
    epoch: int
    parts: dict[str, ExportPart]
    left_out: list[str]


class RowHasher:
    """Counts and hashes rows of a table as they pass."""

    def __init__(self, table: Table) -> None:
        """Nothing has passed yet."""
        self.rows = 0
        self._table = table
        self._digest = sha256()

    def add(self, row: Row) -> None:
        """One row more.

        Raises:
            FindingError: it holds what no row of a log can.
        """
        try:
            self._digest.update(self._table.canonical(row))
        except OverflowError as error:
            raise FindingError(f"{self._table.name}: {row[:3]} cannot be: {error}") from error
        self.rows += 1

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows, counted and hashed."""
        for row in rows:
            self.add(row)
            yield row

    def hex(self) -> str:
        """The hash of what has passed."""
        return self._digest.hexdigest()


def write(manifest: ExportManifest, folder: Path) -> None:
    """Write it for people too; an export without one was never finished."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / NAME).write_bytes(text + b"\n")


def read(folder: Path) -> ExportManifest:
    """The manifest of an export.

    Raises:
        AuditError: there is none, or none that this program reads.
    """
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=ExportManifest)
    except FileNotFoundError:
        raise AuditError(f"{folder} is no finished export: it has no {NAME}") from None
    except msgspec.DecodeError as error:
        raise AuditError(f"{folder / NAME} is none of ours: {error}") from error
