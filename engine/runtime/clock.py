"""The server's clock: the wall clock, checked against the monotonic clock and the database's.

Time follows the wall clock while it keeps pace with the monotonic clock. When the two diverge, time
continues at the pace of the monotonic clock, until the wall clock is back or the database's clock
has agreed with it for a minute, in which it did not jump again. The minute is for a database on the
same machine: it shares the wall clock, and with it every error that is soon corrected.

A witness has no database. Its clock follows after the minute if the time that the operator last
stated agrees: neither a wrong clock of its own nor a wrong statement alone moves it. A jump back it
follows after an hour in any case, or an operator could keep a clock ahead that was corrected.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError
from eventsourcing.postgres import PostgresDatastore

TOLERANCE_US: Final = 2_000_000
CONFIRMED_AFTER_US: Final = 60_000_000
#: After this time a witness follows a jump back that the operator's time contradicts.
CONTRADICTED_BACK_AFTER_US: Final = 3_600_000_000
_NEVER_US: Final = 1 << 62
# A client's heartbeat asks for the time twice, and a new anchor costs more than the time itself.
_ANCHOR_AGE_US: Final = 100_000
COMPARE_EVERY_S: Final = 1.0
_SECOND_US: Final = 1_000_000
# A slower answer does not show precisely enough when the database read its clock.
_MAX_ROUND_TRIP_US: Final = 1_000_000
_READ: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now"
# CLOCK_BOOTTIME also counts while the machine is suspended. Not every system has it.
_MONOTONIC: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_log = structlog.get_logger()


class ClockGuard:
    """Takes readings of the clocks as arguments, all in microseconds."""

    def __init__(self, wall: int, monotonic: int) -> None:
        """Begin with the wall clock's time."""
        # One value, so that threads never see a partial update.
        self._anchor = (wall, monotonic)
        self._agreed_since: int | None = None
        self._agreed_jump_us = 0
        #: How far the wall clock is ahead of the trusted time, while it is not trusted.
        self.jump_us = 0
        #: How far the database's clock is ahead of the trusted time; None while unknown.
        self.database_us: int | None = None

    def time(self, wall: int, monotonic: int) -> int:
        """The trusted time, in microseconds since 1970."""
        start, since = self._anchor
        progressed = start + monotonic - since
        if abs(wall - progressed) > TOLERANCE_US:
            self.jump_us = wall - progressed
            return progressed
        if monotonic - since > _ANCHOR_AGE_US or self.jump_us or self._agreed_since is not None:
            self._follow(wall, monotonic)
        return wall

    def compare(self, wall: int, monotonic: int, database: int | None, after_us: int) -> int:
        """Record the database's time, None if it did not answer.

        A jump is followed once both have agreed for `after_us`. Returns the jump that is followed
        from now on, 0 if none is.
        """
        now, jump_us = self.time(wall, monotonic), self.jump_us
        self.database_us = None if database is None else database - now
        if database is None or not self.jump_us or abs(database - wall) > TOLERANCE_US:
            self._agreed_since = None
        elif self._agreed_since is None or abs(self.jump_us - self._agreed_jump_us) > TOLERANCE_US:
            self._agreed_since, self._agreed_jump_us = monotonic, self.jump_us
        elif monotonic - self._agreed_since >= after_us:
            self._follow(wall, monotonic)
            self.database_us = database - wall
            return jump_us
        return 0

    def _follow(self, wall: int, monotonic: int) -> None:
        self._anchor = (wall, monotonic)
        self._agreed_since = None
        self.jump_us = 0


def wall_clock() -> int:
    """Microseconds since 1970 by the system's clock."""
    return time.time_ns() // 1_000


def monotonic_clock() -> int:
    """Microseconds since an arbitrary moment. Changes of the system time do not affect it."""
    return time.clock_gettime_ns(_MONOTONIC) // 1_000


class GuardedClock:
    """A callable that returns microseconds since 1970. Thread-safe."""

    def __init__(
        self, wall: Callable[[], int] = wall_clock, monotonic: Callable[[], int] = monotonic_clock
    ) -> None:
        """Follow `wall` as long as it agrees with `monotonic`."""
        self._wall = wall
        self._monotonic = monotonic
        self._guard = ClockGuard(wall(), monotonic())
        self._has_logged_jump = self._has_logged_difference = False
        #: The time that another machine stated, and the monotonic clock's reading then.
        self._stated: tuple[int, int] | None = None

    def __call__(self) -> int:
        """Returns the corrected time."""
        return self._guard.time(self._wall(), self._monotonic())

    def uncorrected(self) -> int:
        """Returns what the wall clock shows."""
        return self._wall()

    @property
    def jump_s(self) -> float:
        """By how many seconds the wall clock is ahead of the corrected time."""
        return self._guard.jump_us / _SECOND_US

    @property
    def difference(self) -> str:
        """By how much the database's clock differs from this one; empty if little, or unknown."""
        ahead_us = self._guard.database_us or 0
        if abs(ahead_us) <= TOLERANCE_US:
            return ""
        return f"the database's differs by {ahead_us / _SECOND_US:+.0f} s"

    @property
    def trouble(self) -> str:
        """Why an engine on this clock must not start to lead; empty if it may."""
        if self._guard.database_us is None:
            return "not yet compared with the database's"
        return self.difference

    def compare(self, store: PostgresDatastore) -> None:
        """Compare with the database's time; blocks. A failed query counts as no answer."""
        began = self._monotonic()
        try:
            with store.transaction() as cursor:
                row = cursor.execute(_READ).fetchone()
        except PersistenceError:
            row = None
        taken_us = self._monotonic() - began
        is_usable = row is not None and taken_us <= _MAX_ROUND_TRIP_US
        database = row["now"] + taken_us // 2 if row is not None and is_usable else None
        wall, monotonic = self._wall(), self._monotonic()
        followed_us = self._guard.compare(wall, monotonic, database, CONFIRMED_AFTER_US)
        self._log_change(followed_us)
        self._log_difference()

    async def watch(self, store: PostgresDatastore) -> None:
        """Compare every second, until cancelled."""
        while True:
            await asyncio.to_thread(self.compare, store)
            await asyncio.sleep(COMPARE_EVERY_S)

    def watch_in_thread(self, store: PostgresDatastore, stopping: threading.Event) -> None:
        """Compare every second, until `stopping` is set."""
        while not stopping.is_set():
            self.compare(store)
            stopping.wait(COMPARE_EVERY_S)

    async def watch_alone(self) -> None:
        """Compare every second where there is no database to ask, until cancelled."""
        while True:
            self.compare_alone()
            await asyncio.sleep(COMPARE_EVERY_S)

    def compare_alone(self) -> None:
        """Note for how long the wall clock has been where it is.

        After a minute it is followed, unless the time that was last stated differs.
        """
        wall, monotonic = self._wall(), self._monotonic()
        after_us = CONFIRMED_AFTER_US
        if self._stated is not None:
            stated, at = self._stated
            if abs(stated + monotonic - at - wall) > TOLERANCE_US:
                went_back = self._guard.jump_us < 0
                after_us = CONTRADICTED_BACK_AFTER_US if went_back else _NEVER_US
        self._log_change(self._guard.compare(wall, monotonic, wall, after_us))

    def note_stated(self, time_us: int) -> None:
        """Another machine states that this is the time, in microseconds since 1970."""
        self._stated = (time_us, self._monotonic())

    def _log_change(self, followed_us: int) -> None:
        """Log a jump and its end, once each. A reading of the clock may have noticed it before."""
        if followed_us:
            self._has_logged_jump = False
            _log.warning("clock's jump followed", ahead_s=followed_us / _SECOND_US)
        elif self._has_logged_jump != bool(self._guard.jump_us):
            self._has_logged_jump = not self._has_logged_jump
            if self._has_logged_jump:
                _log.warning("clock jumped, which is ignored", ahead_s=self.jump_s)
            else:
                _log.info("clock is back")

    def _log_difference(self) -> None:
        """Log that the clock differs from the database's, and its end, once each."""
        difference = self.difference
        if self._has_logged_difference != bool(difference):
            self._has_logged_difference = not self._has_logged_difference
            if difference:
                _log.warning("clock is wrong, or the database's is", trouble=difference)
            else:
                _log.info("clock agrees with the database's")
