"""Sessions: opaque tokens of 256 bits, stored hashed, good for 30 days unless revoked.

What was looked up stays at hand, so that a request costs no query.
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

LIFETIME_US: Final = 30 * 24 * 3600 * 1_000_000
TOKEN_BYTES: Final = 32
_TOKEN_LENGTH: Final = 43
_AT_HAND: Final = 100_000

_KEEP: Final = "INSERT INTO vault.sessions (token_hash, player, created_at) VALUES (%s, %s, %s)"
_READ: Final = "SELECT player, created_at, revoked FROM vault.sessions WHERE token_hash = %s"
_REVOKE: Final = "UPDATE vault.sessions SET revoked = true WHERE token_hash = %s"


class Session(Struct, frozen=True, gc=False):
    """Whose session a token opens; `player` 0 marks a token that nobody was given."""

    player: int
    created_at: int
    revoked: bool


_NOBODY: Final = Session(0, 0, revoked=False)


class Sessions:
    """Opens and recognises sessions; `clock` gives microseconds since 1970."""

    def __init__(
        self, pool: ConnectionPool[Connection[TupleRow]], clock: Callable[[], int]
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._at_hand: dict[str, Session] = {}

    def open(self, player: int) -> str:
        """A new token for the player; blocks."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        session = Session(player, self._clock(), revoked=False)
        with self._pool.connection() as connection:
            connection.execute(_KEEP, (_hash(token), player, session.created_at))
        self._remember(token, session)
        return token

    def recognise(self, token: str) -> int | Refusal | None:
        """The player, or why the token does not serve; None when it must be looked up first."""
        session = self._at_hand.get(token)
        if session is None:
            return None if len(token) == _TOKEN_LENGTH else Refusal.TOKEN_UNKNOWN
        if not session.player:
            return Refusal.TOKEN_UNKNOWN
        if session.revoked:
            return Refusal.TOKEN_REVOKED
        if self._clock() >= session.created_at + LIFETIME_US:
            return Refusal.TOKEN_EXPIRED
        return session.player

    def look_up(self, token: str) -> None:
        """Have the token at hand; blocks."""
        with self._pool.connection() as connection:
            row = connection.execute(_READ, (_hash(token),)).fetchone()
        self._remember(token, Session(*row) if row else _NOBODY)

    def revoke(self, token: str) -> None:
        """End a session at once; blocks."""
        with self._pool.connection() as connection:
            connection.execute(_REVOKE, (_hash(token),))
        self._at_hand.pop(token, None)

    def _remember(self, token: str, session: Session) -> None:
        while len(self._at_hand) >= _AT_HAND:
            self._at_hand.pop(next(iter(self._at_hand)), None)
        self._at_hand[token] = session


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
