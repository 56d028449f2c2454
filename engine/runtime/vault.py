"""Members' personal data, outside the facts: names, passwords, and the words behind references.

A fact holds a commitment to a name or a reference, keyed with a key that is kept here; erasing
the row leaves the facts whole and the commitment without meaning. Every call may block.
"""

import hmac
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.refusals import Refusal
from engine.runtime.passwords import hashed, verifies

FAILURES_ALLOWED: Final = 3
FAILURES_WITHIN_US: Final = 30 * 60 * 1_000_000
KEY_BYTES: Final = 32
_NAMES_TRIED: Final = 50

_COLUMNS: Final = "player, username, nickname, member_group, inviter, commitment_key"
_ENROL: Final = (
    "INSERT INTO vault.members (player, username, nickname, member_group, inviter, password_hash,"
    " commitment_key, registration_key)"
    " VALUES (nextval('vault.player_ids'), %s, %s, %s, %s, %s, %s, %s)"
    f" ON CONFLICT DO NOTHING RETURNING {_COLUMNS}"
)
_TAKEN: Final = "SELECT FROM vault.members WHERE lower(username) = lower(%s)"
_BY_KEY: Final = f"SELECT {_COLUMNS}, password_hash FROM vault.members WHERE registration_key = %s"
_BY_NAME: Final = f"SELECT {_COLUMNS} FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER: Final = f"SELECT {_COLUMNS} FROM vault.members WHERE player = %s"
_NICKNAMES: Final = "SELECT player, nickname FROM vault.members WHERE player = ANY(%s)"
_ATTEMPT: Final = (
    f"SELECT {_COLUMNS}, password_hash, failures, first_failure_at FROM vault.members"
    " WHERE lower(username) = lower(%s) FOR UPDATE"
)
_NOTE_FAILURES: Final = (
    "UPDATE vault.members SET failures = %s, first_failure_at = %s WHERE player = %s"
)
_KEEP_REFERENCE: Final = (
    "INSERT INTO vault.deposit_references (reference, words, commitment_key) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_REFERENCE_KEY: Final = "SELECT commitment_key FROM vault.deposit_references WHERE reference = %s"


class Member(Struct, frozen=True):
    """Who a player is. `name_commitment` is the hex that the facts hold for the user name."""

    player: int
    username: str
    nickname: str
    group: int
    inviter: int | None
    name_commitment: str


class Application(Struct, frozen=True):
    """What somebody asks to be registered with.

    `key` is the client's id for the call: a repeated one finds the member that the first made.
    With `may_rename` a taken user name gets a suffix instead of a refusal, as guests do.
    """

    username: str
    password: str
    group: int
    inviter: int | None
    key: str | None
    may_rename: bool = False


class NotEnrolled(Struct, frozen=True):
    """Nobody was registered; `field` is to blame."""

    refusal: Refusal
    field: str


class Vault:
    """The vault's tables, reached over `pool`; `clock` gives microseconds since 1970."""

    def __init__(
        self, pool: ConnectionPool[Connection[TupleRow]], clock: Callable[[], int]
    ) -> None:
        self._pool = pool
        self._clock = clock

    def enrol(self, application: Application) -> Member | NotEnrolled:
        """Register once for each key, and never two members under one name."""
        if application.inviter is not None and self.member(application.inviter) is None:
            return NotEnrolled(Refusal.INVITER_UNKNOWN, "inviter_id")
        earlier = self._enrolled_before(application)
        return earlier or self._insert(application)

    def _enrolled_before(self, application: Application) -> Member | NotEnrolled | None:
        if application.key is None:
            return None
        with self._pool.connection() as connection:
            row = connection.execute(_BY_KEY, (application.key,)).fetchone()
        if row is None:
            return None
        *columns, password_hash = row
        member = _member(columns)
        if not _asked_for(application, member.username):
            return NotEnrolled(Refusal.KEY_REUSED, "username")
        if not verifies(password_hash, application.password):
            return NotEnrolled(Refusal.KEY_REUSED, "password")
        return member

    def _insert(self, application: Application) -> Member | NotEnrolled:
        password_hash = hashed(application.password)
        for number in range(_NAMES_TRIED if application.may_rename else 1):
            name = f"{application.username}{_suffix(number)}"
            row = self._try_insert(application, name, password_hash)
            if row is not None:
                return _member(row)
            # Not inserted: the name is taken, or another call came first with the same key.
            earlier = self._enrolled_before(application)
            if earlier is not None:
                return earlier
        return NotEnrolled(Refusal.USERNAME_TAKEN, "username")

    def _try_insert(
        self, application: Application, name: str, password_hash: str
    ) -> TupleRow | None:
        person = (name, name, application.group, application.inviter, password_hash)
        with self._pool.connection() as connection:
            if connection.execute(_TAKEN, (name,)).fetchone() is not None:
                return None
            values = (*person, os.urandom(KEY_BYTES), application.key)
            return connection.execute(_ENROL, values).fetchone()

    def log_in(self, username: str, password: str) -> Member | None:
        """The member, if the password is theirs and too many failures have not locked them.

        Three failures within 30 minutes lock until those have passed. A locked, a wrong and an
        unknown name cost the same work and get the same answer (GLI-19 2.5.3d, ASVS 6.3.8).
        """
        now = self._clock()
        with self._pool.connection() as connection:
            row = connection.execute(_ATTEMPT, (username,)).fetchone()
            if row is None:
                verifies(None, password)
                return None
            *columns, password_hash, failures, since = row
            if now >= since + FAILURES_WITHIN_US:
                failures, since = 0, now
            locked = failures >= FAILURES_ALLOWED
            right = verifies(password_hash, password)
            if locked:
                return None
            failures = 0 if right else failures + 1
            connection.execute(_NOTE_FAILURES, (failures, since, columns[0]))
        return _member(columns) if right else None

    def member(self, player: int) -> Member | None:
        """The member with this player id."""
        return self._one(_BY_PLAYER, player)

    def find(self, name: str) -> Member | None:
        """The member with this user name, or failing that with this player id."""
        named = self._one(_BY_NAME, name)
        if named is None and name.isascii() and name.isdigit() and len(name) < len(str(1 << 63)):
            return self._one(_BY_PLAYER, int(name))
        return named

    def _one(self, query: str, value: str | int) -> Member | None:
        with self._pool.connection() as connection:
            row = connection.execute(query, (value,)).fetchone()
        return None if row is None else _member(row)

    def nicknames(self, players: Iterable[int]) -> dict[int, str]:
        """The nicknames of those of these players who are known."""
        with self._pool.connection() as connection:
            return dict(connection.execute(_NICKNAMES, (list(players),)).fetchall())

    def keep_reference(self, reference: str, words: str) -> str:
        """Keep what was written under a reference; the commitment to these words, in hex.

        Words that differ from the first ones kept lead to another commitment.
        """
        with self._pool.connection() as connection:
            connection.execute(_KEEP_REFERENCE, (reference, words, os.urandom(KEY_BYTES)))
            row = connection.execute(_REFERENCE_KEY, (reference,)).fetchone()
        assert row is not None
        return _commitment(row[0], words)


def _member(columns: Iterable[object]) -> Member:
    player, username, nickname, group, inviter, key = columns
    assert isinstance(username, str)
    assert isinstance(key, bytes)
    return Member(player, username, nickname, group, inviter, _commitment(key, username))  # type: ignore[arg-type]


def _commitment(key: bytes, words: str) -> str:
    return hmac.new(key, words.encode(), sha256).hexdigest()


def _suffix(number: int) -> str:
    return f"-{number + 1}" if number else ""


def _asked_for(application: Application, username: str) -> bool:
    """Whether this name is what the application led to."""
    asked, given = application.username.lower(), username.lower()
    return given == asked or (application.may_rename and given.startswith(f"{asked}-"))
