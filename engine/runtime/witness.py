"""The witness that a single-machine run starts for itself, with a key and a journal of its own.

It keeps its journal in files, apart from the house's database: every record is on disk before
an answer leaves. Pages that show its proofs say "self-witnessed".
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.fairness import signing, witness, witness_days
from engine.fairness.witness_state import (
    DaySigned,
    Declined,
    Kept,
    RoundCancelled,
    RoundReleased,
    Signed,
    TailKept,
    WitnessState,
    remember,
)
from engine.runtime.keys import KEY_BYTES, secret_file, sync_folder

_JOURNAL: Final = "journal.jsonl"
_Record = TypeVar("_Record", TailKept, DaySigned, RoundReleased, RoundCancelled)


class WitnessDeclined(Exception):  # noqa: N818 - an answer, not a fault
    """The witness did not sign; `declined` says why."""

    def __init__(self, declined: Declined) -> None:
        """Carry the witness's own reason."""
        super().__init__(declined.objection)
        self.declined = declined


class LocalWitness:
    """Decides by `engine.fairness.witness`, and writes down what it decided before saying it."""

    def __init__(self, folder: Path, clock: Callable[[], int]) -> None:
        """`folder` holds its key and its journal; `clock` is its own, in microseconds."""
        self._key = Ed25519PrivateKey.from_private_bytes(secret_file(folder / "witness.key"))
        self._clock = clock
        self._path = folder / _JOURNAL
        self._state = WitnessState()
        # Games ask at the same time; what one has signed the next decision must see.
        self._one_at_a_time = threading.Lock()
        self.public = signing.public_bytes(self._key)
        self._load(folder)

    def _load(self, folder: Path) -> None:
        if not self._path.exists():
            self._path.touch(mode=0o600)
            sync_folder(folder)
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) != len(content):
            # The last record was cut short by a crash, so its answer never left.
            os.truncate(self._path, len(whole))
        for line in whole.splitlines():
            self._state = remember(self._state, msgspec.json.decode(line, type=Kept))

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """The anchor w_0 of a day's chain; its tail is durable when this returns."""
        tail = os.urandom(KEY_BYTES)
        with self._one_at_a_time:
            self._keep(witness_days.keep_tail(self._state, game, day, rounds, tail))
            return witness_days.w_0(self._state, game, day)

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """The signature under a day's record."""
        with self._one_at_a_time:
            signed = witness_days.open_day(
                self._state, request, self._clock(), self._key, operator_key
            )
            return self._keep(signed).signature

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round, and the signature under its frozen set."""
        with self._one_at_a_time:
            released = witness.release(self._state, request, self._clock(), self._key)
            if isinstance(released, Declined):
                raise WitnessDeclined(released)
            return released.link, self._keep(released.record).signature

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round that will never be released, and the signature that says so."""
        with self._one_at_a_time:
            cancelled = witness.cancel(self._state, request, self._key)
            if isinstance(cancelled, Declined):
                raise WitnessDeclined(cancelled)
            return cancelled.link, self._keep(cancelled.record).signature

    def _keep(self, record: _Record | Declined) -> _Record:
        """Have a record on disk before anything of it is said; one kept before is not repeated."""
        if isinstance(record, Declined):
            raise WitnessDeclined(record)
        after = remember(self._state, record)
        if after != self._state:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(record) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            self._state = after
        return record
