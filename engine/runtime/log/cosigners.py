"""The house's side of cosigning: sends each checkpoint to the witnesses, and keeps what they sign.

The witness of the draws is the first of them. Anyone's witness that speaks C2SP tlog-witness can be
added; a quorum says how many must have cosigned.
"""

import asyncio
import threading
import time
import urllib.error
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError
from psycopg import Connection
from psycopg.rows import DictRow

from engine.facts import game_stream, round_stream
from engine.fairness import checkpoints, cosigning, tiles
from engine.fairness.checkpoints import Note, NoteError
from engine.rounds.state import Round
from engine.runtime import supervision
from engine.runtime.log.deadlines import Store
from engine.runtime.log.sealer import ENTRY, LogChangedError, Sealer, StoredTiles, newest_note
from engine.runtime.witness.log_evidence import LogEvidence, LoggedFact
from engine.runtime.witness.remote_witness import WitnessAddress, post

EVERY_S: Final = 1.0
TIMEOUT_S: Final = 3.0
_HOUR_US: Final = 3_600_000_000
_SAVE: Final = (
    "INSERT INTO log.cosigned (hour, size, at, note) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (hour) DO UPDATE SET size = EXCLUDED.size, at = EXCLUDED.at,"
    " note = EXCLUDED.note WHERE cosigned.size <= EXCLUDED.size"
)
_DAY: Final = (
    f"SELECT notification_id AS position, {ENTRY} AS entry FROM log.facts"
    " WHERE originator_id = %s AND topic LIKE 'day-opened.%%'"
    " AND convert_from(state, 'UTF8')::jsonb ->> 'day' = %s"
    " ORDER BY originator_version DESC LIMIT 1"
)
_CLOSED: Final = (
    f"SELECT notification_id AS position, {ENTRY} AS entry FROM log.facts"
    " WHERE originator_id = %s AND topic LIKE 'round-closed.%%' LIMIT 1"
)
_log = structlog.get_logger()


class Cosigner:
    """One witness that is asked to cosign."""

    def __init__(self, address: WitnessAddress, timeout_s: float = TIMEOUT_S) -> None:
        """Ask the witness at this address."""
        self.address = address
        self._timeout_s = timeout_s
        self._size = 0
        self._one_at_a_time = threading.Lock()
        self.trouble = ""

    def cosign(
        self, read: Callable[[], Note | None], prove: Callable[[int, int], Sequence[bytes]]
    ) -> Note | None:
        """Returns the note of `read` with its cosignature; blocks. None if there is no note.

        `prove` returns the proof that a size of the log continues an older one. Raises OSError if
        the witness does not answer or does not cosign.
        """
        with self._one_at_a_time:
            note = read()
            if note is None or note.checkpoint.size < self._size:
                return None
            try:
                return self._cosign(note, prove)
            except urllib.error.HTTPError as error:
                if error.code != cosigning.CONFLICT:
                    raise
                self._size = _size_of(error)
                return self._cosign(note, prove)

    def _cosign(self, note: Note, prove: Callable[[int, int], Sequence[bytes]]) -> Note:
        size, found = note.checkpoint.size, self._size
        if found > size:
            self._size = 0  # ask again the next time: its operator may have let it forget
            raise OSError(f"it has cosigned {found} facts, and this log has {size}")
        proof = prove(found, size) if found else ()
        body = cosigning.request_text(found, proof, note).encode()
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        answer, _ = post(self.address.url + cosigning.PATH, body, headers, self._timeout_s)
        try:
            signed = note.with_signatures(checkpoints.read_signatures(answer.decode()))
            checkpoints.cosigned_at(signed, self.address.name, self.address.public)
        except ValueError as error:
            raise OSError(f"its answer is no cosignature: {error}") from None
        self._size = size
        return signed


def _size_of(error: urllib.error.HTTPError) -> int:
    """Returns the size that a witness names in a conflict. Raises OSError if it names none."""
    text = error.read(32).decode(errors="replace").strip()
    if not text.isascii() or not text.isdigit():
        raise OSError("the witness named no size in its conflict") from None
    return int(text)


class Cosigners:
    """All witnesses of a log. Used by the leader, in threads."""

    def __init__(
        self,
        store: Store,
        sealer: Sealer,
        addresses: Sequence[WitnessAddress],
        quorum: int,
        clock: Callable[[], int],
        former: Sequence[WitnessAddress] = (),
    ) -> None:
        """The first address is that of the draws' witness. `clock` returns microseconds.

        `quorum` is the number of cosignatures without which the log counts as not cosigned.
        `former` witnesses only cosign before they release the links of their last rounds.
        """
        self._store = store
        self._sealer = sealer
        self._clock = clock
        self._quorum = quorum
        self.cosigners = [Cosigner(address) for address in addresses]
        self._former = [Cosigner(address) for address in former]
        self._workers: Executor = supervision.workers(len(addresses), "cosigners")
        self._reached_at = time.monotonic()
        self._size = 0

    @property
    def behind_s(self) -> float:
        """For how many seconds fewer than the quorum have cosigned the newest checkpoint."""
        return max(0.0, time.monotonic() - self._reached_at - EVERY_S)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the witnesses that did not cosign when they were last asked."""
        return tuple(each.address.name for each in self.cosigners if each.trouble)

    async def run(self) -> None:
        """Have each new checkpoint cosigned, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.cosign)
            except (PersistenceError, NoteError) as error:
                _log.warning("not cosigned", error=str(error))
            await asyncio.sleep(EVERY_S)

    def cosign(self) -> None:
        """Have the newest checkpoint cosigned by all; blocks."""
        note = self._newest()
        if note is not None and note.checkpoint.size != self._size:
            asked = [self._workers.submit(self._ask, each, lambda: note) for each in self.cosigners]
            found = [signed for each in asked if (signed := each.result()) is not None]
            if found:
                lines = (line for signed in found for line in signed.signatures)
                self._save(note.with_signatures(lines))
            if len(found) < self._quorum:
                return
            self._size = note.checkpoint.size
        self._reached_at = time.monotonic()

    def _newest(self) -> Note | None:
        with self._store.get_connection() as connection:
            return newest_note(connection)

    def _ask(self, cosigner: Cosigner, read: Callable[[], Note | None]) -> Note | None:
        try:
            signed = cosigner.cosign(read, self._proof)
        except (OSError, PersistenceError, KeyError) as error:
            if str(error) != cosigner.trouble:
                _log.warning("not cosigned", witness=cosigner.address.name, error=str(error))
            cosigner.trouble = str(error) or type(error).__name__
            return None
        cosigner.trouble = ""
        return signed

    def _proof(self, old: int, size: int) -> list[bytes]:
        with self._store.get_connection() as connection:
            return tiles.consistency_path(StoredTiles(connection), old, size)

    def _save(self, note: Note) -> None:
        now = self._clock()
        with self._store.get_connection() as connection, connection.transaction():
            row = (now // _HOUR_US, note.checkpoint.size, now, note.text())
            connection.execute(_SAVE, row)

    def evidence(self, round_: Round) -> LogEvidence | None:
        """Returns the proof that the log holds a closed round; blocks. None if there is none yet.

        It seals the log and has it cosigned by the round's witness first.
        """
        try:
            self._sealer.catch_up()
            note = self._ask(self._cosigner_of(round_), self._newest)
            if note is None:
                return None
            size, opened = note.checkpoint.size, round_.opened
            with self._store.get_connection() as connection:
                stored = StoredTiles(connection)
                day = _logged(connection, stored, size, _DAY, game_stream(opened.game), opened.day)
                closed = _logged(
                    connection, stored, size, _CLOSED, round_stream(opened.game, opened.issue)
                )
        except (PersistenceError, LogChangedError, NoteError, KeyError) as error:
            _log.warning("no evidence of a round", error=str(error))
            return None
        return LogEvidence(size, day, closed)

    def _cosigner_of(self, round_: Round) -> Cosigner:
        key = round_.segment.witness_key if round_.segment is not None else ""
        for former in self._former:
            if former.address.public.hex() == key:
                return former
        return self.cosigners[0]

    def close(self) -> None:
        """End the threads."""
        self._workers.shutdown(wait=False)


def _logged(
    connection: Connection[DictRow], stored: StoredTiles, size: int, query: str, *parameters: str
) -> LoggedFact:
    """Returns the fact that a query finds, with its path. Raises KeyError if it is not sealed."""
    row = connection.execute(query, parameters).fetchone()
    if row is None or row["position"] > size:
        raise KeyError(parameters)
    path = tiles.inclusion_path(stored, row["position"] - 1, size)
    return LoggedFact(bytes(row["entry"]), tuple(path))
