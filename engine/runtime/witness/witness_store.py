"""The witness's store: its records, the checkpoints that it cosigned, and the newest one's note.

It is an SQLite file.

Every record is on disk before the witness answers, so it survives any crash of the process or the
machine; SQLite rolls back a record that was written in part. The file is opened for each call: it
may have been restored from a copy, or another process may have written to it. A damaged file is set
aside for the auditors, and the witness begins again, which costs the house the rounds on sale.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.fairness import checkpoints
from engine.fairness.checkpoints import Checkpoint, Note
from engine.fairness.witness_state import WitnessRecord, WitnessState, apply_record
from engine.runtime.secret_keys import sync_folder

FILE: Final = "witness.sqlite"
_OLD_FILE: Final = "journal.jsonl"
_IMPORTED: Final = ".imported"
_DAMAGED: Final = ".damaged"
_LOCK_TIMEOUT_S: Final = 2.0
_CHECKPOINTS_KEPT: Final = 64
_SCHEMA: Final = """
PRAGMA synchronous = EXTRA;
CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS checkpoints (
    origin TEXT NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL, PRIMARY KEY (origin, size)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (origin TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID;
"""
_ADD: Final = "INSERT INTO records (record) VALUES (?)"
_NEWEST: Final = "SELECT size, root FROM checkpoints WHERE origin = ? ORDER BY size DESC LIMIT 1"
_LOGS: Final = "SELECT DISTINCT origin FROM checkpoints ORDER BY origin"
_AT_SIZE: Final = "SELECT root FROM checkpoints WHERE origin = ? AND size = ?"
_FORGET: Final = (
    "DELETE FROM checkpoints WHERE origin = ? AND size NOT IN"
    " (SELECT size FROM checkpoints WHERE origin = ? ORDER BY size DESC LIMIT ?)"
)
_KEEP_NOTE: Final = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
_decode: Final = msgspec.json.Decoder[WitnessRecord](WitnessRecord).decode
_log = structlog.get_logger()


class WitnessStore:
    """The records in a file, and the state that results from them.

    Every call raises OSError if the file cannot be read or written; it is then unchanged.
    """

    def __init__(self, folder: Path) -> None:
        """The file is created in `folder` if it is missing."""
        self._path = folder / FILE
        self._old = folder / _OLD_FILE
        self._state = WitnessState()
        self._seen: tuple[int, int, int] | None = None

    def state(self) -> WitnessState:
        """Returns the file's current state."""
        if self._seen is None or self._seen != self._mark():
            self._read()
        return self._state

    def append(self, record: WitnessRecord) -> None:
        """Write a record to disk."""
        with self._changing() as connection:
            connection.execute(_ADD, (_text(record),))
        self._state = apply_record(self._state, record)
        self._seen = self._mark()

    def replace(self, records: Iterable[WitnessRecord]) -> None:
        """Replace all records."""
        with self._changing() as connection:
            connection.execute("DELETE FROM records")
            connection.executemany(_ADD, [(_text(record),) for record in records])
        with self._opened() as connection:
            connection.execute("VACUUM")

    def newest_checkpoint(self, origin: str) -> Checkpoint | None:
        """Returns the largest checkpoint of a log that was stored; None if none was."""
        with self._opened() as connection:
            row = connection.execute(_NEWEST, (origin,)).fetchone()
        return None if row is None else Checkpoint(origin, row[0], row[1])

    def checkpoints(self) -> list[Checkpoint]:
        """Returns the largest checkpoint of each log."""
        with self._opened() as connection:
            rows = connection.execute(_LOGS).fetchall()
        found = [self.newest_checkpoint(origin) for (origin,) in rows]
        return [checkpoint for checkpoint in found if checkpoint is not None]

    def forget_checkpoints(self) -> None:
        """Delete all checkpoints."""
        with self._changing() as connection:
            connection.execute("DELETE FROM checkpoints")
            connection.execute("DELETE FROM notes")

    def note(self, origin: str) -> Note | None:
        """Returns the newest note of a log; None if an earlier release kept none."""
        with self._opened() as connection:
            row = connection.execute(
                "SELECT note FROM notes WHERE origin = ?", (origin,)
            ).fetchone()
        return None if row is None else checkpoints.read_note(row[0])

    def root_at(self, origin: str, size: int) -> bytes | None:
        """Returns the root of a checkpoint of this size, if it is one of the newest stored."""
        with self._opened() as connection:
            row = connection.execute(_AT_SIZE, (origin, size)).fetchone()
        return None if row is None else bytes(row[0])

    def add_checkpoint(self, note: Note) -> None:
        """Write a checkpoint to disk; the oldest of the log are forgotten.

        Of the notes only the newest is kept: an auditor compares the log with it.
        """
        checkpoint, seen = note.checkpoint, self._seen
        found = (checkpoint.origin, checkpoint.size, checkpoint.root)
        with self._changing() as connection:
            is_known = seen is not None and seen == self._mark()
            connection.execute("INSERT OR IGNORE INTO checkpoints VALUES (?, ?, ?)", found)
            connection.execute(_FORGET, (found[0], found[0], _CHECKPOINTS_KEPT))
            connection.execute(_KEEP_NOTE, (checkpoint.origin, note.text()))
        if is_known:  # the records are the same, and folding them hashes whole chains
            self._seen = self._mark()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; the state is unknown until its caller says otherwise."""
        self._seen = None
        with self._opened() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            if not self._path.exists():
                self._create()
            with closing(self._connect()) as connection:
                connection.executescript(_SCHEMA)  # it may be a copy from an earlier release
                yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT_S, isolation_level=None)
        connection.execute("PRAGMA synchronous = EXTRA")
        return connection

    def _create(self) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        os.close(descriptor)
        with closing(self._connect()) as connection, connection:
            connection.executescript(_SCHEMA)
            if self._old.exists():
                connection.executemany(_ADD, [(_text(each),) for each in _old_records(self._old)])
        if self._old.exists():
            self._old.rename(self._old.with_suffix(self._old.suffix + _IMPORTED))
        sync_folder(self._path.parent)

    def _mark(self) -> tuple[int, int, int] | None:
        """Returns what changes with the file; None if it does not exist."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _read(self) -> None:
        mark = self._mark()
        try:
            self._state = self._folded()
        except (sqlite3.DatabaseError, msgspec.MsgspecError, KeyError, ValueError) as error:
            if isinstance(error, sqlite3.OperationalError):  # it is locked, or the disk is full
                raise OSError(f"{self._path}: {error}") from error
            _log.error("the witness's file is damaged and set aside", error=repr(error))
            self._path.rename(self._path.with_suffix(self._path.suffix + _DAMAGED))
            self._state = self._folded()
            mark = None
        self._seen = mark or self._mark()

    def _folded(self) -> WitnessState:
        state = WitnessState()
        if not self._path.exists():
            self._create()
        with closing(self._connect()) as connection:
            connection.executescript(_SCHEMA)
            (sound,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if sound != "ok":
                raise sqlite3.DatabaseError(sound)
            for (text,) in connection.execute("SELECT record FROM records ORDER BY number"):
                state = apply_record(state, _decode(text))
        return state


def _text(record: WitnessRecord) -> str:
    return msgspec.json.encode(record).decode()


def _old_records(path: Path) -> Iterator[WitnessRecord]:
    """Yields the intact records of a file of an earlier release, one in each line."""
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            record = _decode(line)
        except msgspec.MsgspecError:
            return
        if line.endswith(b"\n"):
            yield record
