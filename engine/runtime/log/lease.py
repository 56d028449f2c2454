"""Leadership: one epoch row, renewed by the database's clock, checked by every append.

A leader that was suspended and resumes has an outdated epoch and can commit nothing. An advisory
lock would not be enough: a dead host's connection can keep one for hours.
"""

import asyncio
import threading
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError

from engine.runtime.log.deadlines import Store

EXPIRY_S: Final = 3
RENEWAL_S: Final = 1.0

IS_HELD: Final = (
    f"(renewed_at BETWEEN clock_timestamp() - interval '{EXPIRY_S} s'"
    f" AND clock_timestamp() + interval '{EXPIRY_S} s')"
)
"""Whether a leader has the lease of `log.lease`, in SQL.

A database whose clock was ahead may be replaced by another, or be set right, while nothing leads. A
renewal that it stored is then in the future, and keeps no leader waiting.
"""
_TAKE: Final = (
    "UPDATE log.lease SET epoch = epoch + 1, holder = %s, renewed_at = clock_timestamp()"
    f" WHERE NOT {IS_HELD} RETURNING epoch"
)
# A renewal's thread may outlive the leadership: a released lease stays released.
_RENEW: Final = (
    "UPDATE log.lease SET renewed_at = clock_timestamp()"
    " WHERE epoch = %s AND renewed_at > '-infinity'"
)
_BUMP: Final = (
    "UPDATE log.lease SET epoch = epoch + 1, renewed_at = clock_timestamp()"
    " WHERE epoch = %s AND renewed_at > '-infinity' RETURNING epoch"
)
_IS_LED: Final = f"SELECT {IS_HELD} AS held FROM log.lease"
_HOLDER: Final = "SELECT holder FROM log.lease"
_EPOCH: Final = "SELECT epoch FROM log.lease"
_RELEASE: Final = "UPDATE log.lease SET renewed_at = '-infinity' WHERE epoch = %s"

# An abandoned append keeps the lease's row locked, and so blocks every successor.
_END_APPENDS: Final = (
    "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity, log.lease"
    f" WHERE NOT {IS_HELD} AND usename = current_user"
    " AND datname = current_database() AND pid <> pg_backend_pid()"
    " AND query LIKE %s AND xact_start < clock_timestamp() - make_interval(secs => %s)"
)
_ABANDONED_AFTER_S: Final = 5
_CALL_TIMEOUT_S: Final = 6.0

_log = structlog.get_logger()


class SteppedDown(Exception):  # noqa: N818 - an operational event, not a bug
    """This engine stops leading. It may lead again later."""


class LeaseLost(SteppedDown):
    """This process no longer has the lease: another leader has taken over, or it was given back."""


class CannotCommit(SteppedDown):
    """The database did not answer in time; whether the batch is stored is unknown."""


class LogMoved(SteppedDown):
    """The log does not end at the writer's last position."""


class Lease:
    """This process's lease; `epoch` is 0 until it is taken."""

    def __init__(self, store: Store, address: str = "") -> None:
        """The lease is a row in the database that `store` connects to; nothing else uses the store.

        The row has the leader's `address`, where it answers other processes, if it does.
        """
        self._store = store
        self._address = address
        self.epoch = 0
        self._is_over = False
        # Without the lock, a renewal during `bump` would use the old epoch and raise LeaseLost.
        self._one_at_a_time = threading.Lock()

    def take(self) -> bool:
        """Take the lease if no leader has renewed it for three seconds. Returns whether it did."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            cursor.execute(_END_APPENDS, ("%append_batch%", _ABANDONED_AFTER_S))
        row = self._change(_TAKE, (self._address,))
        if row is not None:
            self.epoch, self._is_over = row, False
        return row is not None

    def stop_renewing(self) -> None:
        """Let no renewal begin any more, not even one that already waits for a connection.

        Without this a renewal that has waited for the database would keep the next leader waiting.
        """
        self._is_over = True

    def bump(self, epoch: int) -> int:
        """Begin and return a new epoch, so that nothing sent under `epoch` can commit.

        Raises LeaseLost if that is over: another leader has taken over, or this process has again;
        the lease was released, or `stop_renewing` was called.
        """
        with self._one_at_a_time:
            row = self._change(_BUMP, (epoch,), renews=True)
            if row is None:
                raise LeaseLost
            self.epoch = row
        return row

    def release(self) -> None:
        """Release the lease, so that the next leader can start immediately."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            cursor.execute(_RELEASE, (self.epoch,))

    def is_held(self) -> bool:
        """Whether any process leads, this one or another."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction() as cursor:
            row = cursor.execute(_IS_LED).fetchone()
        return row is not None and bool(row["held"])

    def is_in(self, store: Store) -> bool:
        """Whether the database behind `store` knows this lease; a former primary may not."""
        with store.within(_CALL_TIMEOUT_S), store.transaction() as cursor:
            row = cursor.execute(_EPOCH).fetchone()
        return row is not None and int(row["epoch"]) >= self.epoch

    def leader(self) -> str:
        """Returns the address of the process that took the lease last; empty if it has none."""
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction() as cursor:
            row = cursor.execute(_HOLDER).fetchone()
        return "" if row is None else str(row["holder"])

    def renew(self) -> None:
        """Renew the lease.

        Raises LeaseLost if another epoch has begun, it was released, or `stop_renewing` was called.
        """
        with (
            self._one_at_a_time,
            self._store.within(_CALL_TIMEOUT_S),
            self._store.transaction(commit=True) as cursor,
        ):
            self._check_renewing()
            cursor.execute(_RENEW, (self.epoch,))
            if not cursor.rowcount:
                raise LeaseLost

    def _check_renewing(self) -> None:
        if self._is_over:
            raise LeaseLost

    def _change(
        self, statement: str, parameters: tuple[object, ...], *, renews: bool = False
    ) -> int | None:
        with self._store.within(_CALL_TIMEOUT_S), self._store.transaction(commit=True) as cursor:
            if renews:
                self._check_renewing()
            # A leader that was suspended in a transaction must not block its successor.
            cursor.execute("SET LOCAL lock_timeout = '5s'")
            row = cursor.execute(statement, parameters).fetchone()
        return None if row is None else int(row["epoch"])

    def replace_connections(self) -> None:
        """Replace all connections, as `Store` does."""
        self._store.replace_connections()

    def close(self) -> None:
        """Close the database connections."""
        self._store.close()

    async def renew_periodically(self) -> None:
        """Renew every second. Raises LeaseLost once another leader has taken over.

        While the database is away it keeps trying.
        """
        while True:
            await asyncio.sleep(RENEWAL_S)
            try:
                await asyncio.to_thread(self.renew)
            except PersistenceError as error:
                _log.warning("lease not renewed", epoch=self.epoch, error=str(error))
