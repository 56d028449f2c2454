"""The witness's journal: a file of records, each on disk before its answer leaves.

What was written is found again however the process or the machine ended. A last record that was
cut short never left, so it is removed. A damaged record further up means that the file was
changed: what lies before it is kept, and the whole file is set aside for the auditors.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.fairness.witness_state import WitnessRecord, WitnessState, apply_record
from engine.runtime.keys import sync_folder

_DAMAGED: Final = ".damaged"
_NEW: Final = ".new"
_log = structlog.get_logger()


class Journal:
    """The records in a file, and the state that follows from them.

    The file decides: one that another process wrote to, that was restored, or that a failed write
    left in doubt is read again before the next question.
    """

    def __init__(self, path: Path) -> None:
        """`path` names the file; it is made where there is none."""
        self._path = path
        self._state = WitnessState()
        self._seen: tuple[int, int] | None = None

    def state(self) -> WitnessState:
        """What the file holds now; OSError if it cannot be read."""
        if self._seen is None or self._seen != self._mark():
            self._read()
        return self._state

    def append(self, record: WitnessRecord) -> None:
        """Have a record on disk. OSError if it is not, and then the file is as it was."""
        content = msgspec.json.encode(record) + b"\n"
        before = self._path.stat().st_size
        self._seen = None  # until it is certain what the file holds
        try:
            with self._path.open("ab", buffering=0) as file:
                if file.write(content) != len(content):
                    raise OSError(f"{self._path} took only a part of a record")
                os.fsync(file.fileno())
        except OSError:
            os.truncate(self._path, before)
            raise
        self._state = apply_record(self._state, record)
        self._seen = self._mark()

    def replace(self, records: Iterable[WitnessRecord]) -> None:
        """Hold these records instead, all or none of them. OSError if the old ones stay."""
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
        """Which file it is and how long; None where there is none."""
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
        report("journal of the witness cut off", kept=good, removed=len(rest), torn=torn)


def _fold(content: bytes) -> tuple[WitnessState, int]:
    """The state after the whole records at the beginning, and how many bytes those are."""
    state, good = WitnessState(), 0
    while (end := content.find(b"\n", good)) >= 0:
        try:
            record = msgspec.json.decode(content[good:end], type=WitnessRecord)
            state = apply_record(state, record)
        except (msgspec.MsgspecError, ValueError, KeyError):
            break
        good = end + 1
    return state, good
