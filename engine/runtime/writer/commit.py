"""The writer's database calls: stores a batch, and reads what deciding one needs.

If the acknowledgement of a batch is lost, it finds out whether the batch was stored.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from typing import Final, TypeVar

import structlog
from eventsourcing.persistence import IntegrityError, PersistenceError
from psycopg import Error

from engine.facts import RecordedFact, reference_stream
from engine.players.state import Player
from engine.runtime import supervision
from engine.runtime.log.deadlines import finished_within
from engine.runtime.log.fact_log import APPEND_TIMEOUT_S, LEASE_LOST, LOG_MOVED, Batch, FactLog
from engine.runtime.log.idempotency import StoredOutcome
from engine.runtime.log.lease import CannotCommit, Lease, LeaseLost, LogMoved
from engine.runtime.log.reads import (
    RETRY_S,
    PlayerSnapshots,
    read_history,
    read_outcomes,
    until_read,
)
from engine.runtime.log.snapshots import Snapshots, snapshot_of

COMMIT_TIMEOUT_S: Final = 5.0
"""The timeout for storing a batch, and for reading what a decision needs."""

_END_BACKEND: Final = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE pid = %s AND usename = current_user AND datname = current_database()"
    " AND pid <> pg_backend_pid()"
)
_FIND_BATCH: Final = "SELECT 1 FROM log.batches WHERE batch = %s"
_log = structlog.get_logger()
_T = TypeVar("_T")


class Committer:
    """The writer's access to the log: the log's end, its newest time, and the lease's epoch."""

    def __init__(
        self,
        log: FactLog,
        lease: Lease,
        snapshots: Snapshots | None = None,
        reads: FactLog | None = None,
    ) -> None:
        """Append to `log` under `lease`. Without `snapshots` none are saved.

        All reads but the search for a lost batch use the connections of `reads`. Nothing else
        should use those of `log`: the backend of a failed append is terminated, and may serve
        another call by then.
        """
        self._log = log
        self._reads = reads or log
        self._lease = lease
        self.snapshots = snapshots
        self._thread = supervision.workers(1, "commit")
        self._reading = supervision.workers(1, "writer reads")
        self._background = supervision.workers(1, "snapshots")
        last, at = self._reads.last()
        self._is_stuck = False
        self.next = last + 1
        self._at = at

    def time(self, now: int) -> int:
        """Returns the time of a decision in microseconds: `now`, but not before the last batch."""
        return max(now, self._at)

    async def store(self, batch: Batch) -> bool:
        """Store the batch. Returns False if it certainly was not stored, and may be decided again.

        Raises:
            IntegrityError: an outcome or a version exists already.
            LeaseLost: another engine leads.
            LogMoved: the log does not end with the previous batch.
            CannotCommit: it took too long; whether the batch is stored is unknown.
        """
        if not batch.streams and not batch.outcome_keys:
            return True
        assert batch.first_position == self.next
        batch.epoch = self._lease.epoch
        # The database has work from here on; a task would begin only after other callbacks.
        appended = self._run(lambda: self._log.append(batch))
        try:
            return await finished_within(COMMIT_TIMEOUT_S, self._store(batch, appended))
        except TimeoutError:
            self._is_stuck = True
            supervision.run_in_background(self._background, self._end_backend, batch)
            raise CannotCommit(
                f"batch {batch.id.hex()} not stored in {COMMIT_TIMEOUT_S:.0f} s"
            ) from None

    async def _store(self, batch: Batch, appended: Awaitable[int]) -> bool:
        try:
            await appended
        except IntegrityError:
            raise
        except PersistenceError as error:
            if _sql_state(error) == LEASE_LOST:
                raise LeaseLost from error
            if _sql_state(error) == LOG_MOVED:
                raise LogMoved(str(error)) from error
            _log.warning("acknowledgement lost", batch=batch.id.hex(), error=str(error))
            if not await self._was_stored(batch):
                # A full disk fails each append within milliseconds.
                await asyncio.sleep(RETRY_S)
                return False
        self.next += len(batch.streams)
        self._at = batch.at
        return True

    async def _was_stored(self, batch: Batch) -> bool:
        """Whether a batch whose acknowledgement was lost is in the log.

        Before the look-up its backend is terminated and a new epoch begins. From then on the batch
        can no longer be stored unnoticed.
        """
        while True:
            try:
                return await self._run(lambda: self._look_up(batch))
            except PersistenceError as error:
                if isinstance(error, IntegrityError):
                    raise
                _log.warning("database is away", error=str(error))
                await asyncio.sleep(RETRY_S)

    def _end_backend(self, batch: Batch) -> None:
        with self._log.datastore.transaction(commit=True) as cursor:
            cursor.execute(_END_BACKEND, (batch.backend,))

    def _look_up(self, batch: Batch) -> bool:
        self._end_backend(batch)
        assert batch.epoch is not None
        batch.epoch = self._lease.bump(batch.epoch)
        with self._log.datastore.transaction() as cursor:
            found = cursor.execute(_FIND_BATCH, (batch.id,)).fetchone() is not None
        _log.info("acknowledgement resolved", batch=batch.id.hex(), stored=found)
        return found

    async def player_history(
        self, players: Sequence[int]
    ) -> tuple[list[RecordedFact], PlayerSnapshots]:
        """Returns the players' facts after their snapshots, and the snapshots (`read_history`)."""
        return await self._read(lambda: read_history(self._reads, self.snapshots, players))

    async def references(self, references: Sequence[str]) -> list[RecordedFact]:
        """Returns the facts of these payment references, each stream in order."""
        names = [reference_stream(reference) for reference in references]
        return await self._read(lambda: self._reads.streams(names))

    def save_snapshots(self, players: Sequence[Player]) -> None:
        """Save these players' snapshots in the background."""
        if self.snapshots and players:
            # Encode them now, because the next batch changes them.
            snapshots = [snapshot_of(player) for player in players]
            supervision.run_in_background(self._background, self.snapshots.save, snapshots)

    async def check_lease(self) -> None:
        """Raises LeaseLost if another leader has taken over."""
        await self._retry_until_timeout(self._lease.renew, self._thread)

    async def outcomes(self, keys: Sequence[tuple[str, str]]) -> list[StoredOutcome]:
        """Returns the stored outcomes among these actors and keys."""
        return await self._read(lambda: read_outcomes(self._reads, keys))

    async def _read(self, read: Callable[[], _T]) -> _T:
        return await self._retry_until_timeout(read, self._reading)

    async def _retry_until_timeout(self, work: Callable[[], _T], thread: Executor) -> _T:
        """Retry while the database is away. Raises CannotCommit after `COMMIT_TIMEOUT_S`."""
        try:
            return await finished_within(
                COMMIT_TIMEOUT_S, until_read(lambda: self._run(work, thread))
            )
        except TimeoutError:
            self._is_stuck = True
            raise CannotCommit(f"nothing read in {COMMIT_TIMEOUT_S:.0f} s") from None

    def _run(self, work: Callable[[], _T], thread: Executor | None = None) -> Awaitable[_T]:
        """Begin the work in a thread."""

        def limited() -> _T:
            log, reads = self._log.datastore, self._reads.datastore
            with log.within(APPEND_TIMEOUT_S), reads.within(APPEND_TIMEOUT_S):
                return work()

        thread = thread or self._thread
        return asyncio.get_running_loop().run_in_executor(thread, limited)

    def close(self) -> None:
        """Shut down the threads. A stuck thread ends when its call is cut off."""
        for thread in (self._thread, self._reading, self._background):
            thread.shutdown(wait=not self._is_stuck)


def _sql_state(error: BaseException) -> str | None:
    cause = error.__cause__
    return cause.sqlstate if isinstance(cause, Error) else None
