"""The local witness, which a single-machine server runs itself, with its own key and journal.

Its journal is a file outside the server's database: every record is on disk before the answer is
returned. Pages that show its proofs are marked "self-witnessed".
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.fairness import signing, witness, witness_days
from engine.fairness.records import day_parts, record_hash
from engine.fairness.witness_state import (
    DaySigned,
    Declined,
    RoundCancelled,
    RoundReleased,
    Signed,
    TailKept,
    WitnessState,
    apply_record,
)
from engine.runtime.scheduler.witness_client import WitnessDeclined, WitnessStatus
from engine.runtime.scheduler.witness_journal import Journal
from engine.runtime.secret_keys import KEY_BYTES, secret_file

_JOURNAL: Final = "journal.jsonl"
_Record = TypeVar("_Record", TailKept, DaySigned, RoundReleased, RoundCancelled)
_log = structlog.get_logger()


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
            self._store(witness_days.record_tail(self._state(), game, day, rounds, tail))
            return witness_days.w_0(self._state(), game, day)

    def _compact(self) -> None:
        """Remove finished days from the journal. A failure, such as a full disk, is only logged."""
        state = self._state()
        finished = witness_days.finish_days(state)
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
            signed = witness_days.open_day(
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
