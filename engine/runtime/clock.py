"""The server's clock: the wall clock, guarded by the monotonic one and by the database's."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError
from eventsourcing.postgres import PostgresDatastore

from engine.clock_guard import TOLERANCE_US, ClockGuard

COMPARE_EVERY_S: Final = 1.0
_SECOND_US: Final = 1_000_000
# An answer that took longer says too little about when its clock was read.
_MAX_ROUND_TRIP_US: Final = 1_000_000
_READ: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now"
# This one counts while the machine is suspended, where the system has it.
_MONOTONIC: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_log = structlog.get_logger()


def wall_clock() -> int:
    """Microseconds since 1970, as the system has them."""
    return time.time_ns() // 1_000


def monotonic_clock() -> int:
    """Microseconds since some moment, whatever becomes of the system's time."""
    return time.clock_gettime_ns(_MONOTONIC) // 1_000


class GuardedClock:
    """Called, it gives microseconds since 1970; for several threads."""

    def __init__(
        self, wall: Callable[[], int] = wall_clock, monotonic: Callable[[], int] = monotonic_clock
    ) -> None:
        """Follow `wall` for as long as it keeps pace with `monotonic`."""
        self._wall = wall
        self._monotonic = monotonic
        self._guard = ClockGuard(wall(), monotonic())

    def __call__(self) -> int:
        """The time to believe."""
        return self._guard.time(self._wall(), self._monotonic())

    @property
    def jump_s(self) -> float:
        """By how many seconds the wall clock is ahead of the time that is believed."""
        return self._guard.jump_us / _SECOND_US

    @property
    def trouble(self) -> str:
        """Why no engine should begin to lead by this clock; empty if it may."""
        ahead_us = self._guard.database_us
        if ahead_us is None:
            return "not yet compared with the database's"
        if abs(ahead_us) > TOLERANCE_US:
            return f"the database's differs by {ahead_us / _SECOND_US:+.0f} s"
        return ""

    def compare(self, store: PostgresDatastore) -> None:
        """Ask the database for its time; blocks. What fails is taken for no answer."""
        began, before = self._monotonic(), self._guard.jump_us
        try:
            with store.transaction() as cursor:
                row = cursor.execute(_READ).fetchone()
        except PersistenceError:
            row = None
        taken_us = self._monotonic() - began
        is_usable = row is not None and taken_us <= _MAX_ROUND_TRIP_US
        database = row["now"] + taken_us // 2 if row is not None and is_usable else None
        self._guard.compare(self._wall(), self._monotonic(), database)
        if bool(before) != bool(self._guard.jump_us):
            _log.warning("clock jumped", ahead_s=self.jump_s, database_us=self._guard.database_us)

    async def watch(self, store: PostgresDatastore) -> None:
        """Compare every second, until cancelled."""
        while True:
            await asyncio.to_thread(self.compare, store)
            await asyncio.sleep(COMPARE_EVERY_S)
