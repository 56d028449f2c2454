"""Registration of players, and the upgrade of a guest to a member."""

import os
from typing import Final

from msgspec import Struct
from psycopg.errors import UniqueViolation
from psycopg.rows import TupleRow

from engine.players.commands import GUEST
from engine.refusals import Refusal
from engine.runtime.vault.password_login import hash_password, verify_password
from engine.runtime.vault.player_directory import (
    COLUMNS,
    PlayerDirectory,
    PlayerIdentity,
    identity_of,
)
from engine.runtime.vault.validation import VaultRefused
from engine.runtime.vault.vault_keys import KEY_BYTES

_NAMES_TRIED: Final = 50

_INSERT: Final = (
    "INSERT INTO vault.members (player, username, nickname, member_group, inviter, password_hash,"
    " commitment_key, registration_key)"
    " VALUES (nextval('vault.player_ids'), %s, %s, %s, %s, %s, %s, %s)"
    f" ON CONFLICT DO NOTHING RETURNING {COLUMNS}"
)
_TAKEN: Final = "SELECT FROM vault.members WHERE lower(username) = lower(%s)"
_BY_KEY: Final = f"SELECT {COLUMNS}, password_hash FROM vault.members WHERE registration_key = %s"
_JOIN: Final = (
    "UPDATE vault.members SET username = %s, nickname = %s, member_group = %s, password_hash = %s,"
    " inviter = coalesce(inviter, %s), failures = 0"
    f" WHERE player = %s AND member_group = {GUEST} RETURNING {COLUMNS}"
)
_BY_PLAYER: Final = f"SELECT {COLUMNS}, password_hash FROM vault.members WHERE player = %s"


class RegistrationRequest(Struct, frozen=True):
    """The data of a registration.

    `key` is the client's idempotency key: a repeated key returns the player that the first call
    created. With `may_rename`, used for guests, a taken user name gets a suffix, not a refusal.
    """

    username: str
    password: str
    group: int
    inviter: int | None
    key: str | None
    may_rename: bool = False

    def __repr__(self) -> str:
        """Without the password."""
        return f"RegistrationRequest({self.username!r}, group={self.group}, inviter={self.inviter})"


class RegistrationRefused(Struct, frozen=True):
    """No player was registered; `field` names the invalid argument."""

    refusal: Refusal
    field: str


class Registration(PlayerDirectory):
    """Registers players."""

    def register(self, request: RegistrationRequest) -> PlayerIdentity | RegistrationRefused:
        """Register once per key, and never two players under one name."""
        if request.inviter is not None and self.identity(request.inviter) is None:
            return RegistrationRefused(Refusal.INVITER_UNKNOWN, "inviter_id")
        earlier = self._registered_before(request)
        return earlier or self._insert(request)

    def _registered_before(
        self, request: RegistrationRequest
    ) -> PlayerIdentity | RegistrationRefused | None:
        if request.key is None:
            return None
        with self._pool.connection() as connection:
            row = connection.execute(_BY_KEY, (request.key,)).fetchone()
        if row is None:
            return None
        *columns, password_hash = row
        identity = identity_of(columns)
        if not _is_name_for(request, identity.username):
            return RegistrationRefused(Refusal.KEY_REUSED, "username")
        if not verify_password(password_hash, request.password):
            return RegistrationRefused(Refusal.KEY_REUSED, "password")
        return identity

    def _insert(self, request: RegistrationRequest) -> PlayerIdentity | RegistrationRefused:
        password_hash = hash_password(request.password)
        for number in range(_NAMES_TRIED if request.may_rename else 1):
            name = f"{request.username}{_suffix(number)}"
            row = self._try_insert(request, name, password_hash)
            if row is not None:
                return identity_of(row)
            # Not inserted: the name is taken, or a concurrent call used the same key.
            earlier = self._registered_before(request)
            if earlier is not None:
                return earlier
        return RegistrationRefused(Refusal.USERNAME_TAKEN, "username")

    def _try_insert(
        self, request: RegistrationRequest, name: str, password_hash: str
    ) -> TupleRow | None:
        person = (name, name, request.group, request.inviter, password_hash)
        with self._pool.connection() as connection:
            if connection.execute(_TAKEN, (name,)).fetchone() is not None:
                return None
            values = (*person, os.urandom(KEY_BYTES), request.key)
            return connection.execute(_INSERT, values).fetchone()

    def upgrade_guest(
        self, player: int, request: RegistrationRequest
    ) -> PlayerIdentity | VaultRefused:
        """Make a guest a member with the requested name and password; the player id stays the same.

        A repeated call with the same name and password returns the member. The guest's inviter
        takes precedence over the request's. Raises KeyError if there is no such player.
        """
        name, password_hash = request.username, hash_password(request.password)
        values = (name, name, request.group, password_hash, request.inviter, player)
        try:
            with self._pool.connection() as connection:
                row = connection.execute(_JOIN, values).fetchone()
        except UniqueViolation:
            return VaultRefused(Refusal.USERNAME_TAKEN, "username")
        return identity_of(row) if row else self._upgraded_before(player, request)

    def _upgraded_before(
        self, player: int, request: RegistrationRequest
    ) -> PlayerIdentity | VaultRefused:
        with self._pool.connection() as connection:
            row = connection.execute(_BY_PLAYER, (player,)).fetchone()
        if row is None:
            raise KeyError(player)
        *columns, password_hash = row
        identity = identity_of(columns)
        same_name = identity.username == request.username
        if same_name and verify_password(password_hash, request.password):
            return identity
        return VaultRefused(Refusal.ALREADY_MEMBER)


def _suffix(number: int) -> str:
    return f"-{number + 1}" if number else ""


def _is_name_for(request: RegistrationRequest, username: str) -> bool:
    """Whether the request could have produced this user name."""
    requested, stored = request.username.lower(), username.lower()
    return stored == requested or (request.may_rename and stored.startswith(f"{requested}-"))
