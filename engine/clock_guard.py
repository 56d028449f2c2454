"""Which time to trust when the wall clock jumps.

Time follows the wall clock while it keeps pace with the monotonic clock. When the two diverge, time
continues at the pace of the monotonic clock, until the wall clock is back or the database's clock
has agreed with it for a minute, in which it did not jump again. The minute is for a database on the
same machine: it shares the wall clock, and with it every error that is soon corrected.
"""

from typing import Final

TOLERANCE_US: Final = 2_000_000
CONFIRMED_AFTER_US: Final = 60_000_000
# A client's heartbeat asks for the time twice, and a new anchor costs more than the time itself.
_ANCHOR_AGE_US: Final = 100_000


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

    def compare(self, wall: int, monotonic: int, database: int | None) -> None:
        """Record the database's time, None if it did not answer."""
        now = self.time(wall, monotonic)
        self.database_us = None if database is None else database - now
        if database is None or not self.jump_us or abs(database - wall) > TOLERANCE_US:
            self._agreed_since = None
        elif self._agreed_since is None or abs(self.jump_us - self._agreed_jump_us) > TOLERANCE_US:
            self._agreed_since, self._agreed_jump_us = monotonic, self.jump_us
        elif monotonic - self._agreed_since >= CONFIRMED_AFTER_US:
            self._follow(wall, monotonic)
            self.database_us = database - wall

    def _follow(self, wall: int, monotonic: int) -> None:
        self._anchor = (wall, monotonic)
        self._agreed_since = None
        self.jump_us = 0
