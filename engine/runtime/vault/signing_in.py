"""Passwords: signing in with one, and changing it."""

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.passwords import hashed, verifies
from engine.runtime.sessions import Sessions
from engine.runtime.vault.members import COLUMNS, Member, member_of
from engine.runtime.vault.part import Part
from engine.runtime.vault.refused import VaultRefused

FAILURES_ALLOWED: Final = 3
FAILURES_WITHIN_US: Final = 30 * 60 * 1_000_000
PASSWORD_LENGTHS: Final = range(8, 65)

_ATTEMPT: Final = (
    f"SELECT {COLUMNS}, password_hash, failures, first_failure_at FROM vault.members WHERE"
)
_BY_NAME: Final = f"{_ATTEMPT} lower(username) = lower(%s) FOR UPDATE"
_BY_PLAYER: Final = f"{_ATTEMPT} player = %s FOR UPDATE"
# Tries at one name wait for each other, known or not.
_ONE_TRY_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(hashtextextended(lower(%s), 0))"
# Makes every try a transaction that writes, so that its commit waits for the disk.
_WRITE: Final = "SELECT pg_logical_emit_message(true, 'fairdraw sign-in', '')"
_UNKNOWN: Final = 0
_NOTE_FAILURES: Final = (
    "UPDATE vault.members SET failures = %s, first_failure_at = %s WHERE player = %s"
)
_CHANGE: Final = "UPDATE vault.members SET password_hash = %s WHERE player = %s"


class SigningIn(Part):
    """Who somebody is, by their password."""

    def log_in(self, username: str, password: str) -> Member | None:
        """The member, if the password is theirs and too many failures have not locked them.

        Three failures within 30 minutes lock until those have passed. A locked, a wrong and an
        unknown name cost the same work and get the same answer (GLI-19 2.5.3d, ASVS 6.3.8).
        """
        with self._pool.connection() as connection:
            connection.execute(_ONE_TRY_AT_A_TIME, (username,))
            found = self._judged(connection, _BY_NAME, username, password)
            connection.execute(_WRITE)
            return found

    def change_password(
        self, player: int, old: str, new: str, sessions: Sessions, token: str
    ) -> VaultRefused | None:
        """Take the new password and end the player's sessions other than this token's.

        A wrong old password counts toward the lock of signing in, and while that lasts the right
        one is refused like a wrong one.
        """
        if len(new) not in PASSWORD_LENGTHS:
            return VaultRefused("password_invalid", "new_password")
        if new == old:
            return VaultRefused("password_unchanged", "new_password")
        new_hash = hashed(new)
        with self._pool.connection() as connection:
            if self._judged(connection, _BY_PLAYER, player, old) is None:
                return VaultRefused("password_wrong", "old_password")
            connection.execute(_CHANGE, (new_hash, player))
            sessions.mark_revoked(connection, player, but=token)
        sessions.forget(player)
        return None

    def is_password_of(self, player: int, password: str) -> bool:
        """Whether the password is this member's, whom failures lock as when signing in."""
        with self._pool.connection() as connection:
            return self._judged(connection, _BY_PLAYER, player, password) is not None

    def _judged(
        self, connection: Connection[TupleRow], query: str, who: str | int, password: str
    ) -> Member | None:
        now = self._clock()
        row = connection.execute(query, (who,)).fetchone()
        if row is None:
            verifies(None, password)
            connection.execute(_NOTE_FAILURES, (0, 0, _UNKNOWN))
            return None
        *columns, password_hash, failures, since = row
        if now >= since + FAILURES_WITHIN_US:
            failures, since = 0, now
        right = verifies(password_hash, password)
        locked = failures >= FAILURES_ALLOWED
        if not locked:
            failures = 0 if right else failures + 1
        connection.execute(_NOTE_FAILURES, (failures, since, columns[0]))
        return member_of(columns) if right and not locked else None
