"""The witness's journal: a file of records, each on disk before its answer is returned.

Records survive any crash of the process or the machine. The answer to a truncated last record was
never returned, so the record is removed. A damaged record before the last means that the file was
modified: the records before it are kept, and the whole file is copied for the auditors.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.fairness.witness_state import WitnessRecord, WitnessState, apply_record
from engine.runtime.secret_keys import sync_folder

_DAMAGED: Final = ".damaged"
_NEW: Final = ".new"
_log = structlog.get_logger()


class Journal:
    """The records in a file, and the state that results from them.

    The file is the source of truth. It is read again before the next call if another process wrote
    to it, if it was restored, or if a failed write left its content uncertain.
    """

    def __init__(self, path: Path) -> None:
        """`path` names the file, which is created if missing."""
        self._path = path
        self._state = WitnessState()
        self._seen: tuple[int, int] | None = None

    def state(self) -> WitnessState:
        """Returns the file's current state. Raises OSError if it cannot be read."""
        if self._seen is None or self._seen != self._mark():
            self._read()
        return self._state

    def append(self, record: WitnessRecord) -> None:
        """Write a record to disk. Raises OSError, with the file unchanged, if that fails."""
        content = msgspec.json.encode(record) + b"\n"
        before = self._path.stat().st_size
        self._seen = None  # until the file's content is certain
        try:
            with self._path.open("ab", buffering=0) as file:
                if file.write(content) != len(content):
                    raise OSError(f"{self._path}: only a part of a record was written")
                os.fsync(file.fileno())
        except OSError:
            os.truncate(self._path, before)
            raise
        self._state = apply_record(self._state, record)
        self._seen = self._mark()

    def replace(self, records: Iterable[WitnessRecord]) -> None:
        """Replace all records atomically. Raises OSError if the old ones remain."""
        fresh = self._path.with_suffix(self._path.suffix + _NEW)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for record in records:
                    file.write(msgspec.json.encode(record) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        fresh.rename(self._path)
        self._seen = None
        sync_folder(self._path.parent)

    def _mark(self) -> tuple[int, int] | None:
        """Returns the file's inode and size; None if it does not exist."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size

    def _read(self) -> None:
        if not self._path.exists():
            self._path.touch(mode=0o600)
            sync_folder(self._path.parent)
        content = self._path.read_bytes()
        state, good = _fold(content)
        if good != len(content):
            self._repair(content, good)
        self._state = state
        self._seen = self._mark()

    def _repair(self, content: bytes, good: int) -> None:
        rest = content[good:]
        torn = b"\n" not in rest[:-1]
        if not torn:
            self._path.with_suffix(self._path.suffix + _DAMAGED).write_bytes(content)
        os.truncate(self._path, good)
        report = _log.warning if torn else _log.error
        report("witness journal truncated", kept=good, removed=len(rest), torn=torn)


def _fold(content: bytes) -> tuple[WitnessState, int]:
    """Returns the state after the leading intact records, and their length in bytes."""
    state, good = WitnessState(), 0
    while (end := content.find(b"\n", good)) >= 0:
        try:
            record = msgspec.json.decode(content[good:end], type=WitnessRecord)
            state = apply_record(state, record)
        except (msgspec.MsgspecError, ValueError, KeyError):
            break
        good = end + 1
    return state, good
