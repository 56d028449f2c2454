"""The witness that a single-machine run starts for itself, with a key and a journal of its own.

It keeps its journal in a file, apart from the house's database: every record is on disk before
an answer leaves. Pages that show its proofs say "self-witnessed".
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
from engine.runtime.keys import KEY_BYTES, secret_file
from engine.runtime.witness_journal import Journal
from engine.runtime.witness_port import WitnessDeclined, WitnessStatus

_JOURNAL: Final = "journal.jsonl"
_Record = TypeVar("_Record", TailKept, DaySigned, RoundReleased, RoundCancelled)
_log = structlog.get_logger()


class LocalWitness:
    """Decides by `engine.fairness.witness`, and writes down what it decided before saying it."""

    def __init__(self, folder: Path, clock: Callable[[], int]) -> None:
        """`folder` holds its key and its journal; `clock` is its own, in microseconds."""
        self._key = Ed25519PrivateKey.from_private_bytes(secret_file(folder / "witness.key"))
        self._clock = clock
        self._journal = Journal(folder / _JOURNAL)
        # Games ask at the same time; what one has signed the next decision must see.
        self._one_at_a_time = threading.Lock()
        self.public = signing.public_bytes(self._key)

    def _state(self) -> WitnessState:
        return self._journal.state()

    def status(self, game: str, day: str) -> WitnessStatus:
        """What the journal has of a day or segment; ValueError for a name that is none."""
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
        """The anchor w_0 of a day's chain; its tail is durable when this returns."""
        tail = self._tail()
        with self._one_at_a_time:
            self._store(witness_days.record_tail(self._state(), game, day, rounds, tail))
            return witness_days.w_0(self._state(), game, day)

    def _compact(self) -> None:
        """Let the finished days leave the journal; they may stay where the disk is full."""
        state = self._state()
        finished = witness_days.finish_days(state)
        if not finished:
            return
        for each in finished:
            state = apply_record(state, each)
        try:
            self._journal.replace(state.records())
        except OSError as error:
            _log.warning("journal of the witness not compacted", error=repr(error))
        else:
            _log.info("journal of the witness compacted", finished=len(finished))

    def _tail(self) -> bytes:
        return os.urandom(KEY_BYTES)

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """The signature under a day's record."""
        with self._one_at_a_time:
            signed = witness_days.open_day(
                self._state(), request, self._clock(), self._key, operator_key
            )
            return self._store(signed).signature

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round, and the signature under its frozen set."""
        with self._one_at_a_time:
            released = witness.release(self._state(), request, self._clock(), self._key)
            if isinstance(released, Declined):
                raise WitnessDeclined(released)
            return released.link, self._store(released.record).signature

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round that will never be released, and the signature that says so."""
        with self._one_at_a_time:
            cancelled = witness.cancel(self._state(), request, self._key)
            if isinstance(cancelled, Declined):
                raise WitnessDeclined(cancelled)
            return cancelled.link, self._store(cancelled.record).signature

    def _store(self, record: _Record | Declined) -> _Record:
        """Have a record on disk before anything of it is said; one kept before is not repeated."""
        if isinstance(record, Declined):
            raise WitnessDeclined(record)
        state = self._state()
        if apply_record(state, record) != state:
            self._journal.append(record)
        return record
