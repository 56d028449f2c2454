"""A witness in this process: `engine.fairness.witness_decisions` with its own key and store.

`scripts/witness` serves it to a server elsewhere. Pages that show the proofs of a witness on the
server's own machine are marked "self-witnessed".
"""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.fairness import checkpoints, cosigning, signing, witness_decisions
from engine.fairness.checkpoints import Checkpoint, Note, NoteSignature
from engine.fairness.cosigning import CosignRequest
from engine.fairness.records import FrozenRecord, day_parts, read_record, record_hash
from engine.fairness.witness_state import (
    DaySigned,
    Declined,
    DeclineReason,
    RoundCancelled,
    RoundReleased,
    Signed,
    TailKept,
    WitnessDay,
    WitnessRecord,
    WitnessState,
    apply_record,
)
from engine.runtime.secret_keys import KEY_BYTES, secret_file
from engine.runtime.witness.log_evidence import LogEvidence, holds
from engine.runtime.witness.witness import WitnessDeclined, WitnessStatus
from engine.runtime.witness.witness_store import WitnessStore

WITNESS_FOLDER: Final = "witness"
"""The folder of a server's own witness, among the server's keys."""
_KEY_FILE: Final = "witness.key"
_log = structlog.get_logger()
_Record = TypeVar("_Record", TailKept, DaySigned, RoundReleased, RoundCancelled)


class LocalWitness:
    """Decides by `engine.fairness.witness_decisions`; records each decision before returning it."""

    def __init__(
        self, folder: Path, clock: Callable[[], int], name: str = "", origin: str = ""
    ) -> None:
        """`folder` contains its key and its store; `clock` returns microseconds since 1970.

        `name` is in its cosignatures; without one it follows from its key. `origin` is the house's
        log, which must hold a round before its link is released; without one none is asked for.
        """
        self._key = Ed25519PrivateKey.from_private_bytes(secret_file(folder / _KEY_FILE))
        self._clock = clock
        self._origin = origin
        self._records = WitnessStore(folder)
        # Games call concurrently, and each decision must see what was signed before.
        self._one_at_a_time = threading.Lock()
        self.public = signing.public_bytes(self._key)
        self.name = name or checkpoints.witness_name(self.public)

    def sign(self, domain: bytes, payload: bytes) -> bytes:
        """Signs a payload in a domain that no record of the witness uses."""
        return signing.sign(self._key, domain, payload)

    def _state(self) -> WitnessState:
        return self._records.state()

    def days(self) -> Mapping[tuple[str, str], WitnessDay]:
        """Returns its unfinished days and segments, by game and name."""
        with self._one_at_a_time:
            return self._state().days

    def signed_records(self) -> list[WitnessRecord]:
        """Returns its records without the secret tails of days."""
        with self._one_at_a_time:
            return [each for each in self._state().records() if not isinstance(each, TailKept)]

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
            self._store(witness_decisions.record_tail(self._state(), game, day, rounds, tail))
            return witness_decisions.w_0(self._state(), game, day)

    def _compact(self) -> None:
        """Remove finished days from the store. A failure, such as a full disk, is only logged."""
        state = self._state()
        finished = witness_decisions.finish_days(state, self._key)
        if not finished:
            return
        for each in finished:
            state = apply_record(state, each)
        try:
            self._records.replace(state.records())
        except OSError as error:
            _log.warning("witness's store not compacted", error=repr(error))
        else:
            _log.info("witness's store compacted", finished=len(finished))

    def _tail(self) -> bytes:
        return os.urandom(KEY_BYTES)

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """Returns the signature on a day's record. Raises WitnessDeclined if it does not sign."""
        with self._one_at_a_time:
            signed = witness_decisions.open_day(
                self._state(), request, self._clock(), self._key, operator_key
            )
            return self._store(signed).signature

    def release(self, request: Signed, evidence: LogEvidence | None = None) -> tuple[bytes, bytes]:
        """Returns a round's link and the signature on its frozen set, or raises WitnessDeclined."""
        with self._one_at_a_time:
            state = self._state()
            released = witness_decisions.release(state, request, self._clock(), self._key)
            if isinstance(released, Declined):
                raise WitnessDeclined(released)
            is_new = apply_record(state, released.record) != state
            if is_new and self._origin and not self._is_logged(request, evidence):
                raise WitnessDeclined(Declined(DeclineReason.NOT_LOGGED))
            return released.link, self._store(released.record).signature

    def _is_logged(self, request: Signed, evidence: LogEvidence | None) -> bool:
        """Whether a checkpoint that this witness cosigned holds the round and its day."""
        if evidence is None:
            return False
        frozen = read_record(FrozenRecord, request.content)
        opened = self._state().days[frozen.game, frozen.day].opened
        root = self._records.root_at(self._origin, evidence.size)
        return opened is not None and root is not None and holds(evidence, root, opened, frozen)

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns a cancelled round's link and the signature on it, or raises WitnessDeclined."""
        with self._one_at_a_time:
            cancelled = witness_decisions.cancel(self._state(), request, self._key)
            if isinstance(cancelled, Declined):
                raise WitnessDeclined(cancelled)
            return cancelled.link, self._store(cancelled.record).signature

    def cosign(self, request: CosignRequest, log_key: bytes) -> NoteSignature:
        """Returns its cosignature on a checkpoint, which it stores first with its signatures.

        `log_key` is the public key of the log. Raises CosignRefusedError if it does not cosign.
        """
        with self._one_at_a_time:
            newest = self._records.newest_checkpoint(request.note.checkpoint.origin)
            checkpoint = cosigning.accept(request, newest, log_key)
            at_s = self._clock() // 1_000_000
            signed = checkpoints.cosign(checkpoint, self.name, self._key, at_s)
            if checkpoint != newest or self._records.note(checkpoint.origin) is None:
                self._records.add_checkpoint(request.note.with_signatures([signed]))
            return signed

    def checkpoints(self) -> list[Checkpoint]:
        """Returns the newest checkpoint of each log that it cosigned."""
        return self._records.checkpoints()

    def note(self, origin: str) -> Note | None:
        """Returns the newest checkpoint of a log with the log's signature and its own.

        None if an earlier release stored the checkpoint without them.
        """
        return self._records.note(origin)

    def forget_checkpoints(self) -> None:
        """Forget them, so that a log that was restored from an older copy is cosigned again."""
        self._records.forget_checkpoints()

    def _store(self, record: _Record | Declined) -> _Record:
        """Write a record to disk before its answer is returned, unless it is stored already."""
        if isinstance(record, Declined):
            raise WitnessDeclined(record)
        state = self._state()
        if apply_record(state, record) != state:
            self._records.append(record)
        return record
