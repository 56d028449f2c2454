"""A witness: its interface, and the local one, which a single-machine server runs itself.

The interface fits a witness in this process or on another machine. Every call blocks. An OSError
means that no answer arrived; the same call may be repeated.

The local witness has its own key and its journal, a file outside the server's database: every
record is on disk before the answer is returned. Pages that show its proofs are marked
"self-witnessed". The records survive any crash of the process or the machine. The answer to a
truncated last record was never returned, so the record is removed. A damaged record before the last
means that the file was modified: the records before it are kept, and the whole file is copied for
the auditors.
"""

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from engine.fairness import signing, witness
from engine.fairness.records import day_parts, record_hash
from engine.fairness.witness_state import (
    DaySigned,
    Declined,
    RoundCancelled,
    RoundReleased,
    Signed,
    TailKept,
    WitnessRecord,
    WitnessState,
    apply_record,
)
from engine.runtime.secret_keys import KEY_BYTES, secret_file, sync_folder

_DAMAGED: Final = ".damaged"
_NEW: Final = ".new"
_log = structlog.get_logger()
_JOURNAL: Final = "journal.jsonl"
_Record = TypeVar("_Record", TailKept, DaySigned, RoundReleased, RoundCancelled)


class WitnessDeclined(Exception):  # noqa: N818 - an answer, not a fault
    """The witness did not sign; `declined` has the reason."""

    def __init__(self, declined: Declined) -> None:
        """`declined` is the witness's answer."""
        super().__init__(declined.reason)
        self.declined = declined


class WitnessStatus(Struct, frozen=True):
    """The witness's records of a day or segment, and of its date.

    `record` is the hash in hex of the day's record that it signed, empty if none. `released` is
    the last index of the segment that it released or cancelled. `segment` is the highest segment
    number of the date that it signed, -1 if none. `last` is the last index that it released or
    cancelled in any segment of the date.
    """

    record: str
    released: int
    segment: int
    last: int


class Witness(Protocol):
    """A witness as the round scheduler and the day opener use it."""

    @property
    def public(self) -> bytes:
        """Its raw public key."""

    def status(self, game: str, day: str) -> WitnessStatus:
        """Returns its status of a day or segment. Raises ValueError for a malformed name."""

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """Returns the anchor w_0 of a day's chain; its tail is durable by then."""

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """Returns the signature on a day's record. Raises WitnessDeclined if it does not sign."""

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns a round's link and the signature on its frozen set, or raises WitnessDeclined."""

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns the link of a round, and the signature that the round will never be released.

        Raises WitnessDeclined if the round was released, or if the witness cannot rule that out.
        """


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


class LocalWitness:
    """Decides by `engine.fairness.witness`, and records each decision before returning it."""

    def __init__(self, folder: Path, clock: Callable[[], int]) -> None:
        """`folder` contains its key and its journal; `clock` returns microseconds since 1970."""
        self._key = Ed25519PrivateKey.from_private_bytes(secret_file(folder / "witness.key"))
        self._clock = clock
        self._journal = Journal(folder / _JOURNAL)
        # Games call concurrently, and each decision must see what was signed before.
        self._one_at_a_time = threading.Lock()
        self.public = signing.public_bytes(self._key)

    def _state(self) -> WitnessState:
        return self._journal.state()

    def status(self, game: str, day: str) -> WitnessStatus:
        """Returns the status of a day or segment. Raises ValueError for a malformed name."""
        date, _ = day_parts(day)
        with self._one_at_a_time:
            self._compact()
            state = self._state()
        segment, last = state.newest_of(game, date)
        witness_day = state.days.get((game, day))
        if witness_day is None or witness_day.opened is None:
            return WitnessStatus("", 0, segment, last)
        return WitnessStatus(record_hash(witness_day.opened).hex(), witness_day.last, segment, last)

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """Returns the anchor w_0 of a day's chain; its tail is durable by then."""
        tail = self._tail()
        with self._one_at_a_time:
            self._store(witness.record_tail(self._state(), game, day, rounds, tail))
            return witness.w_0(self._state(), game, day)

    def _compact(self) -> None:
        """Remove finished days from the journal. A failure, such as a full disk, is only logged."""
        state = self._state()
        finished = witness.finish_days(state)
        if not finished:
            return
        for each in finished:
            state = apply_record(state, each)
        try:
            self._journal.replace(state.records())
        except OSError as error:
            _log.warning("witness journal not compacted", error=repr(error))
        else:
            _log.info("witness journal compacted", finished=len(finished))

    def _tail(self) -> bytes:
        return os.urandom(KEY_BYTES)

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """Returns the signature on a day's record. Raises WitnessDeclined if it does not sign."""
        with self._one_at_a_time:
            signed = witness.open_day(
                self._state(), request, self._clock(), self._key, operator_key
            )
            return self._store(signed).signature

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns a round's link and the signature on its frozen set, or raises WitnessDeclined."""
        with self._one_at_a_time:
            released = witness.release(self._state(), request, self._clock(), self._key)
            if isinstance(released, Declined):
                raise WitnessDeclined(released)
            return released.link, self._store(released.record).signature

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns a cancelled round's link and the signature on it, or raises WitnessDeclined."""
        with self._one_at_a_time:
            cancelled = witness.cancel(self._state(), request, self._key)
            if isinstance(cancelled, Declined):
                raise WitnessDeclined(cancelled)
            return cancelled.link, self._store(cancelled.record).signature

    def _store(self, record: _Record | Declined) -> _Record:
        """Write a record to disk before its answer is returned, unless it is stored already."""
        if isinstance(record, Declined):
            raise WitnessDeclined(record)
        state = self._state()
        if apply_record(state, record) != state:
            self._journal.append(record)
        return record
