"""Password login with lockout, password changes and resets; Argon2id hashing of all secrets."""

import os
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.refusals import Refusal
from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.player_directory import COLUMNS, PlayerIdentity, identity_of
from engine.runtime.vault.sessions import Sessions
from engine.runtime.vault.validation import VaultRefused

# OWASP's parameters: 19 MiB, two passes, one lane. A hash takes some 20 ms, without the GIL.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_DUMMY_HASH: Final = _HASHER.hash("dummy password")
FAILURES_ALLOWED: Final = 3
TEMPORARY_US: Final = 24 * 3600 * 1_000_000
"""How long an unused temporary password is valid, in microseconds."""
USED_US: Final = 10 * 60 * 1_000_000
"""How long it stays valid after its first use, in microseconds: the answer may have been lost."""
FAILURE_WINDOW_US: Final = 30 * 60 * 1_000_000
PASSWORD_LENGTHS: Final = range(8, 65)
_ATTEMPT: Final = f"SELECT {COLUMNS}, password_hash, failures, first_failure_at"
# An expired temporary password does not log in, but can still be changed.
_BY_NAME: Final = (
    f"{_ATTEMPT}, password_until FROM vault.members WHERE lower(username) = lower(%s) FOR UPDATE"
)
_BY_PLAYER: Final = f"{_ATTEMPT}, NULL FROM vault.members WHERE player = %s FOR UPDATE"
# Attempts for one name are serialised, whether the name exists or not.
_ONE_TRY_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(hashtextextended(lower(%s), 0))"
# Makes every attempt a write transaction, so that each commit takes the time of a disk write.
_WRITE: Final = "SELECT pg_logical_emit_message(true, 'fairdraw sign-in', '')"
_UNKNOWN: Final = 0
_RECORD_FAILURES: Final = (
    "UPDATE vault.members SET failures = %s, first_failure_at = %s WHERE player = %s"
)
_CHANGE: Final = (
    "UPDATE vault.members SET password_hash = %s, password_until = NULL WHERE player = %s"
)
_BEGIN_RESET: Final = (
    "INSERT INTO vault.password_resets (change, player) VALUES (%s, %s)"
    " ON CONFLICT DO NOTHING RETURNING player"
)
_RESET: Final = (
    "UPDATE vault.members SET password_hash = %s, password_until = %s, failures = 0,"
    " first_failure_at = 0 WHERE player = %s"
)
_USE: Final = (
    "UPDATE vault.members SET password_until = least(password_until, %s)"
    " WHERE player = %s AND password_until IS NOT NULL"
)
_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_GROUPS: Final = 3
_GROUP_LENGTH: Final = 4


def hash_password(password: str) -> str:
    """Returns the hash to store, which includes a random salt."""
    return _HASHER.hash(password)


def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password matches the stored hash. Without one the same work is done."""
    try:
        _HASHER.verify(stored or _DUMMY_HASH, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


class PasswordLogin(VaultPart):
    """Authenticates players by password."""

    def log_in(self, username: str, password: str) -> PlayerIdentity | None:
        """Returns the player; None if the password is wrong or the account is locked.

        Three failures within 30 minutes lock the account until those have passed. A locked account,
        a wrong password and an unknown name cost the same work and get the same answer (GLI-19
        2.5.3d, ASVS 6.3.8).
        """
        with self._pool.connection() as connection:
            connection.execute(_ONE_TRY_AT_A_TIME, (username,))
            found = self._verify_attempt(connection, _BY_NAME, username, password)
            if found is not None:
                connection.execute(_USE, (self._clock() + USED_US, found.player))
            connection.execute(_WRITE)
            return found

    def change_password(
        self, player: int, old: str, new: str, sessions: Sessions, token: str
    ) -> VaultRefused | None:
        """Set the new password and end the player's sessions other than this token's.

        A wrong old password counts towards the login lockout. During the lockout the right one is
        refused like a wrong one.
        """
        if len(new) not in PASSWORD_LENGTHS:
            return VaultRefused(Refusal.PASSWORD_INVALID, "new_password")
        if new == old:
            return VaultRefused(Refusal.PASSWORD_UNCHANGED, "new_password")
        new_hash = hash_password(new)
        with self._pool.connection() as connection:
            if self._verify_attempt(connection, _BY_PLAYER, player, old) is None:
                return VaultRefused(Refusal.PASSWORD_WRONG, "old_password")
            connection.execute(_CHANGE, (new_hash, player))
            sessions.mark_revoked(connection, player, but=token)
        sessions.evict(player)
        return None

    def reset_password(self, player: int, change: str, sessions: Sessions) -> str | None:
        """Set a temporary password, end all sessions of the player, and return the password.

        It is valid for 24 hours, and for ten minutes from its first use, unless the player changes
        it. None if this `change` was carried out before, or if there is no such player.
        """
        temporary = self._temporary()
        new_hash = hash_password(temporary)
        with self._pool.connection() as connection:
            try:
                self._lock_player(connection, player)
            except KeyError:
                return None
            if connection.execute(_BEGIN_RESET, (change, player)).fetchone() is None:
                return None
            until = self._clock() + TEMPORARY_US
            connection.execute(_RESET, (new_hash, until, player))
            sessions.mark_revoked(connection, player)
        sessions.evict(player)
        return temporary

    def _temporary(self) -> str:
        """Returns twelve letters and digits without look-alikes, 59 bits."""
        count = _GROUPS * _GROUP_LENGTH
        number = int.from_bytes(os.urandom(2 * count))
        letters = []
        for _ in range(count):
            number, at = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[at])
        groups = range(0, count, _GROUP_LENGTH)
        return "-".join("".join(letters[at : at + _GROUP_LENGTH]) for at in groups)

    def is_password_of(self, player: int, password: str) -> bool:
        """Whether the password is the player's. Failures count towards the login lockout."""
        with self._pool.connection() as connection:
            return self._verify_attempt(connection, _BY_PLAYER, player, password) is not None

    def _verify_attempt(
        self, connection: Connection[TupleRow], query: str, who: str | int, password: str
    ) -> PlayerIdentity | None:
        now = self._clock()
        row = connection.execute(query, (who,)).fetchone()
        if row is None:
            verify_password(None, password)
            connection.execute(_RECORD_FAILURES, (0, 0, _UNKNOWN))
            return None
        *columns, password_hash, failures, since, until = row
        if now >= since + FAILURE_WINDOW_US:
            failures, since = 0, now
        right = verify_password(password_hash, password) and (until is None or now < until)
        locked = failures >= FAILURES_ALLOWED
        if not locked:
            failures = 0 if right else failures + 1
        connection.execute(_RECORD_FAILURES, (failures, since, columns[0]))
        return identity_of(columns) if right and not locked else None
