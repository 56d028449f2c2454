"""The folder of keys as one archive: secret files, and the state of the server's own witness."""

import io
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from engine.runtime.witness.witness_store import FILE
from scripts.backup_tool import BackupError

#: Where the programs of staff find the running server; another machine writes its own.
_OF_THIS_MACHINE: Final = "address"
_NEEDED: Final = ("operator.key", "master.key")


def packed(keys: Path) -> bytes:
    """Returns the folder as a tar file.

    It is read after the database, because keys are only ever added: these fit every earlier state.
    Raises BackupError if the folder lacks a key without which no database can be read.
    """
    missing = [name for name in _NEEDED if not (keys / name).is_file()]
    if missing:
        raise BackupError(f"{keys} lacks {', '.join(missing)}: without keys a backup is worthless")
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz", compresslevel=1) as tar:
        for path in _files(keys):
            content = _database(path) if path.name == FILE else path.read_bytes()
            entry = tarfile.TarInfo(str(path.relative_to(keys)))
            entry.size, entry.mode = len(content), 0o600
            tar.addfile(entry, io.BytesIO(content))
    return output.getvalue()


def unpack(content: bytes, keys: Path) -> None:
    """Write the files of an archive into a new folder, readable by their owner."""
    keys.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as tar:
        for entry in tar:
            path = keys / entry.name
            if not path.resolve().is_relative_to(keys.resolve()):
                raise BackupError(f"the archive of keys has the file {entry.name}")
            path.parent.mkdir(exist_ok=True, mode=0o700)
            file = tar.extractfile(entry)
            assert file is not None
            path.touch(mode=0o600)
            path.write_bytes(file.read())


def state(keys: Path) -> tuple[tuple[str, int, int], ...]:
    """Returns what changes when a file of the folder does."""
    found = ((path, path.stat()) for path in _files(keys))
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in found)


def _files(keys: Path) -> Iterator[Path]:
    for path in sorted(keys.rglob("*")):
        is_temporary = path.name.endswith((".new", "-journal", "-wal", "-shm"))
        if path.is_file() and not is_temporary and path != keys / _OF_THIS_MACHINE:
            yield path


def _database(path: Path) -> bytes:
    """A consistent copy of an SQLite file that another process may be writing to."""
    with (
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(":memory:")) as copy,
    ):
        source.backup(copy)
        return copy.serialize()
