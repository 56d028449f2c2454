"""Passes of the staff: opaque tokens of 256 bits, stored hashed, good for 90 days.

A person has one good pass at most. It says who they are and nothing else: what they may do is
looked up with every call, so that whoever was removed is out at once.
"""

import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.refusals import Refusal

LIFETIME_US: Final = 90 * 24 * 3600 * 1_000_000
_TOKEN_BYTES: Final = 32
_TOKEN_LENGTH: Final = 43

# Of two who are given a pass for one person at once, one waits for the other to commit.
_LOCK: Final = "LOCK TABLE vault.staff_passes IN SHARE ROW EXCLUSIVE MODE"
_KEEP: Final = (
    "INSERT INTO vault.staff_passes (token_hash, name, created_at, expires_at, issued_by)"
    " VALUES (%s, %s, %s, %s, %s)"
)
_REVOKE: Final = "UPDATE vault.staff_passes SET revoked = true WHERE name = %s AND NOT revoked"
_READ: Final = "SELECT name, expires_at, revoked FROM vault.staff_passes WHERE token_hash = %s"
_GOOD: Final = (
    "SELECT name, expires_at, issued_by FROM vault.staff_passes"
    " WHERE NOT revoked AND expires_at > %s"
)


class Pass(Struct, frozen=True):
    """Whose good pass ends when, in microseconds since 1970, and who issued it."""

    name: str
    expires_at: int
    issued_by: str


class StaffPasses:
    """Issues and recognises passes; `clock` gives microseconds since 1970. Every call blocks."""

    def __init__(
        self, pool: ConnectionPool[Connection[TupleRow]], clock: Callable[[], int]
    ) -> None:
        """Keep them in this database."""
        self._pool = pool
        self._clock = clock

    def issue(self, name: str, by: str) -> tuple[str, int]:
        """A new token for the person, in place of any older one, and when it expires."""
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        with self._pool.connection() as connection:
            connection.execute(_LOCK)
            connection.execute(_REVOKE, (name,))
            connection.execute(_KEEP, (_hash(token), name, now, now + LIFETIME_US, by))
        return token, now + LIFETIME_US

    def end(self, name: str) -> bool:
        """Revoke the person's pass; False if they had none."""
        with self._pool.connection() as connection:
            return connection.execute(_REVOKE, (name,)).rowcount > 0

    def holder(self, token: str) -> str | Refusal:
        """Whose pass this is, or why it does not serve."""
        if len(token) != _TOKEN_LENGTH:
            return Refusal.STAFF_UNKNOWN
        with self._pool.connection() as connection:
            row = connection.execute(_READ, (_hash(token),)).fetchone()
        if row is None:
            return Refusal.STAFF_UNKNOWN
        name, expires_at, revoked = row
        if revoked:
            return Refusal.PASS_REVOKED
        return Refusal.PASS_EXPIRED if self._clock() >= expires_at else str(name)

    def good(self) -> dict[str, Pass]:
        """The passes that serve now, by name."""
        with self._pool.connection() as connection:
            found = connection.execute(_GOOD, (self._clock(),)).fetchall()
        return {name: Pass(name, expires_at, by) for name, expires_at, by in found}


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
