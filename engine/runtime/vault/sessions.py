"""Login sessions: opaque 256-bit tokens, stored hashed, valid for 30 days unless revoked.

Sessions are cached, so that a request needs no query. A session that was idle for 30 minutes can
still view and bet. Calls that move money in or out, release a bonus, or change where money goes or
the security code, then need the player's password again (`require_step_up` in
`api/http/call_pipeline.py`).
"""

import secrets
import threading
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.refusals import Refusal

LIFETIME_US: Final = 30 * 24 * 3600 * 1_000_000
IDLE_US: Final = 30 * 60 * 1_000_000
WRITTEN_EVERY_US: Final = 60 * 1_000_000
TOKEN_BYTES: Final = 32
MAX_LISTED: Final = 200
_TOKEN_LENGTH: Final = 43
_CACHE_SIZE: Final = 100_000

_INSERT: Final = (
    "INSERT INTO vault.sessions (token_hash, player, created_at, active_at, device)"
    " VALUES (%s, %s, %s, %s, %s)"
)
_READ: Final = (
    "SELECT player, created_at, revoked, active_at, active_at FROM vault.sessions"
    " WHERE token_hash = %s"
)
_REVOKE: Final = "UPDATE vault.sessions SET revoked = true WHERE token_hash = %s"
_REVOKE_ALL: Final = (
    "UPDATE vault.sessions SET revoked = true"
    " WHERE player = %s AND NOT revoked AND token_hash IS DISTINCT FROM %s"
)
_WRITE_ACTIVITY: Final = (
    "UPDATE vault.sessions SET active_at = greatest(active_at, %s) WHERE token_hash = %s"
)


_OPEN: Final = (
    "SELECT id::text, created_at, active_at, device, token_hash = %s FROM vault.sessions"
    " WHERE player = %s AND NOT revoked AND created_at > %s"
    " ORDER BY active_at DESC, created_at DESC, id LIMIT %s"
)
_END: Final = (
    "UPDATE vault.sessions SET revoked = true WHERE player = %s AND id::text = %s RETURNING player"
)


class OpenSession(Struct, frozen=True):
    """A session as listed for its player. The `id` does not authenticate. Times in microseconds.

    `active_at` may be a minute old. `current` marks the session of the request.
    """

    id: str
    created_at: int
    active_at: int
    device: str
    current: bool


class Session(Struct, gc=False):
    """The session of a token; `player` 0 marks a token that was never issued.

    `active_at` is the player's last activity, `written_at` the value of it in the database.
    """

    player: int
    created_at: int
    revoked: bool
    active_at: int
    written_at: int


class Sessions:
    """Opens, recognises and ends sessions; `clock` returns microseconds since 1970."""

    def __init__(
        self, pool: ConnectionPool[Connection[TupleRow]], clock: Callable[[], int]
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._cache: dict[str, Session] = {}
        # A session that was read before its revocation must not be cached after it.
        self._revocations = 0
        self._changing = threading.Lock()

    def open(self, player: int, device: str = "") -> str:
        """Returns a new token for the player; blocks. `device` is the kind of device they use."""
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._clock()
        revocations = self._revocations
        with self._pool.connection() as connection:
            connection.execute(_INSERT, (_hash(token), player, now, now, device))
        self._put(
            token, Session(player, now, revoked=False, active_at=now, written_at=now), revocations
        )
        return token

    def recognise(self, token: str) -> int | Refusal | None:
        """Returns the player, or why the token is invalid; None if `load` must be called first."""
        session = self._cache.get(token)
        if session is None:
            return None if len(token) == _TOKEN_LENGTH else Refusal.TOKEN_UNKNOWN
        if not session.player:
            return Refusal.TOKEN_UNKNOWN
        if session.revoked:
            return Refusal.TOKEN_REVOKED
        if self._clock() >= session.created_at + LIFETIME_US:
            return Refusal.TOKEN_EXPIRED
        return session.player

    def load(self, token: str) -> None:
        """Load the token's session into the cache; blocks."""
        while True:
            revocations = self._revocations
            with self._pool.connection() as connection:
                row = connection.execute(_READ, (_hash(token),)).fetchone()
            session = Session(*row) if row else _no_session()
            if self._put(token, session, revocations):
                return

    def mark_active(self, token: str) -> bool:
        """Record activity of a recognised session; heartbeats do not count.

        Returns True, once a minute, if `write_activity` must be called for it. A session that was
        idle too long stays idle. Call `is_recently_active` before.
        """
        session = self._cache.get(token)
        if session is None or not self._is_within_idle_limit(session):
            return False
        session.active_at = max(session.active_at, self._clock())
        if session.active_at < session.written_at + WRITTEN_EVERY_US:
            return False
        session.written_at = session.active_at
        return True

    def write_activity(self, token: str) -> None:
        """Store the last activity in the database, so that it survives a restart; blocks."""
        session = self._cache.get(token)
        if session is not None:
            with self._pool.connection() as connection:
                connection.execute(_WRITE_ACTIVITY, (session.active_at, _hash(token)))

    def mark_step_up(self, token: str) -> None:
        """Record that the player of a recognised session gave the password again; blocks."""
        session = self._cache.get(token)
        if session is not None:
            session.active_at = session.written_at = max(session.active_at, self._clock())
            self.write_activity(token)

    def is_recently_active(self, token: str) -> bool:
        """Whether a recognised session was used within 30 minutes; payments need it, bets not."""
        session = self._cache.get(token)
        return session is not None and self._is_within_idle_limit(session)

    def _is_within_idle_limit(self, session: Session) -> bool:
        return self._clock() < session.active_at + IDLE_US

    def list_active(self, player: int, token: str) -> list[OpenSession]:
        """Returns the player's valid sessions, the last used first; blocks."""
        oldest = self._clock() - LIFETIME_US
        with self._pool.connection() as connection:
            found = connection.execute(_OPEN, (_hash(token), player, oldest, MAX_LISTED))
            return [OpenSession(*row) for row in found]

    def end(self, player: int, number: str) -> bool:
        """End the player's session with this id immediately; blocks. Idempotent.

        False if the player never had such a session.
        """
        with self._pool.connection() as connection:
            found = connection.execute(_END, (player, number)).fetchone()
        self.evict(player)
        return found is not None

    def end_others(self, player: int, token: str) -> None:
        """End all of a player's sessions but this token's immediately; blocks."""
        with self._pool.connection() as connection:
            self.mark_revoked(connection, player, but=token)
        self.evict(player)

    def revoke(self, token: str) -> None:
        """End a session immediately; blocks."""
        with self._pool.connection() as connection:
            connection.execute(_REVOKE, (_hash(token),))
        with self._changing:
            self._revocations += 1
            self._cache.pop(token, None)

    def revoke_all(self, player: int) -> None:
        """End all of a player's sessions immediately; blocks."""
        with self._pool.connection() as connection:
            self.mark_revoked(connection, player)
        self.evict(player)

    def mark_revoked(
        self, connection: Connection[TupleRow], player: int, but: str | None = None
    ) -> None:
        """End a player's sessions `but` this token's, within the caller's transaction.

        The caller calls `evict` after the commit.
        """
        connection.execute(_REVOKE_ALL, (player, None if but is None else _hash(but)))

    def evict(self, player: int) -> None:
        """Remove a player's sessions from the cache, so that they are loaded again."""
        with self._changing:
            self._revocations += 1
            for token, session in list(self._cache.items()):
                if session.player == player:
                    self._cache.pop(token, None)

    def evict_all(self) -> None:
        """Remove all sessions from the cache, because any of them may have ended."""
        with self._changing:
            self._revocations += 1
            self._cache.clear()

    def _put(self, token: str, session: Session, revocations: int) -> bool:
        """Cache the session unless a revocation came after the first `revocations`."""
        with self._changing:
            if revocations != self._revocations:
                return False
            while len(self._cache) >= _CACHE_SIZE:
                self._cache.pop(next(iter(self._cache)))
            self._cache[token] = session
            return True


def _no_session() -> Session:
    return Session(0, 0, revoked=False, active_at=0, written_at=0)


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
