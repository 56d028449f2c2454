"""Leadership: one epoch row, renewed by the database's clock, checked by every append.

A leader that was stopped and comes back finds its epoch passed and can commit nothing. An
advisory lock would not do: a dead host can hold one for hours.
"""

import asyncio
import threading
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError

from engine.runtime.store import Store

EXPIRY_S: Final = 3
RENEWAL_S: Final = 1.0

_TAKE: Final = (
    "UPDATE log.lease SET epoch = epoch + 1, holder = %s, renewed_at = clock_timestamp()"
    " WHERE renewed_at < clock_timestamp() - make_interval(secs => %s) RETURNING epoch"
)
_RENEW: Final = "UPDATE log.lease SET renewed_at = clock_timestamp() WHERE epoch = %s"
_BUMP: Final = (
    "UPDATE log.lease SET epoch = epoch + 1, renewed_at = clock_timestamp()"
    " WHERE epoch = %s RETURNING epoch"
)
_IS_LED: Final = (
    "SELECT renewed_at >= clock_timestamp() - make_interval(secs => %s) AS held FROM log.lease"
)
_RELEASE: Final = "UPDATE log.lease SET renewed_at = '-infinity' WHERE epoch = %s"

# An append that its leader has left keeps the lease's row, and with it every successor out.
_END_APPENDS: Final = (
    "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity, log.lease"
    " WHERE renewed_at < clock_timestamp() - make_interval(secs => %s)"
    " AND usename = current_user AND datname = current_database() AND pid <> pg_backend_pid()"
    " AND query LIKE %s AND xact_start < clock_timestamp() - make_interval(secs => %s)"
)
_ABANDONED_AFTER_S: Final = 5
_CALL_TIMEOUT_S: Final = 6.0

_log = structlog.get_logger()


class SteppedDown(Exception):  # noqa: N818 - an event of operation, not an error in the program
    """This engine stops leading, and may lead again."""


class LeaseLost(SteppedDown):
    """Another leader has taken over."""


class CannotCommit(SteppedDown):
    """The database has not stored anything for too long; whether it still will is open."""


class LogMoved(SteppedDown):
    """The log does not end where the writer left it."""


class Lease:
    """This process's claim to lead; `epoch` is 0 until it has been taken."""

    def __init__(self, store: Store, holder: str) -> None:
        """`holder` tells the other processes where the leader is."""
        self._store = store
        self._holder = holder
        self.epoch = 0
        # A renewal under the epoch that is just being passed would take us for another leader.
        self._one_at_a_time = threading.Lock()

    def take(self) -> bool:
        """Lead, if nobody has renewed the lease for three seconds."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            cursor.execute(_END_APPENDS, (EXPIRY_S, "%append_batch%", _ABANDONED_AFTER_S))
        row = self._change(_TAKE, (self._holder, EXPIRY_S))
        if row is not None:
            self.epoch = row
        return row is not None

    def bump(self) -> None:
        """Pass to a new epoch of our own, so that nothing sent under the old one can commit."""
        with self._one_at_a_time:
            row = self._change(_BUMP, (self.epoch,))
            if row is None:
                raise LeaseLost
            self.epoch = row

    def release(self) -> None:
        """Let the next leader start at once."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            cursor.execute(_RELEASE, (self.epoch,))

    def is_held(self) -> bool:
        """Whether anybody leads, here or in another process."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction() as cursor:
            row = cursor.execute(_IS_LED, (EXPIRY_S,)).fetchone()
        return row is not None and bool(row["held"])

    def renew(self) -> None:
        """Say that we are here; LeaseLost when another epoch has begun."""
        with (
            self._one_at_a_time,
            self._store.within(_CALL_TIMEOUT_S),
            self._store.transaction(commit=True) as cursor,
        ):
            cursor.execute(_RENEW, (self.epoch,))
            if not cursor.rowcount:
                raise LeaseLost

    def _change(self, statement: str, parameters: tuple[object, ...]) -> int | None:
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            # A leader that was stopped in a transaction must not hold up its successor.
            cursor.execute("SET LOCAL lock_timeout = '5s'")
            row = cursor.execute(statement, parameters).fetchone()
        return None if row is None else int(row["epoch"])

    async def renew_periodically(self) -> None:
        """Renew every second for as long as we lead; LeaseLost when we no longer do.

        A database that is away is waited for.
        """
        while True:
            await asyncio.sleep(RENEWAL_S)
            try:
                await asyncio.to_thread(self.renew)
            except PersistenceError as error:
                _log.warning("lease not renewed", epoch=self.epoch, error=str(error))
