"""Becoming a member: by registering, or by turning from a guest into one."""

from typing import Final

from msgspec import Struct
from psycopg.errors import UniqueViolation
from psycopg.rows import TupleRow

from engine.players.commands import GUEST
from engine.refusals import Refusal
from engine.runtime.passwords import hash_password, verify_password
from engine.runtime.vault.keys import KEY_BYTES
from engine.runtime.vault.members import COLUMNS, PlayerDirectory, PlayerIdentity, identity_of
from engine.runtime.vault.refused import VaultRefused

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

    def __repr__(self) -> str:
        """Without the password."""
        return f"Application({self.username!r}, group={self.group}, inviter={self.inviter})"


class RegistrationRefused(Struct, frozen=True):
    """Nobody was registered; `field` is to blame."""

    refusal: Refusal
    field: str


class Registration(PlayerDirectory):
    """Taking members in."""

    def register(self, request: RegistrationRequest) -> PlayerIdentity | RegistrationRefused:
        """Register once for each key, and never two members under one name."""
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
            # Not inserted: the name is taken, or another call came first with the same key.
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
            values = (*person, self._entropy(KEY_BYTES), request.key)
            return connection.execute(_INSERT, values).fetchone()

    def upgrade_guest(
        self, player: int, request: RegistrationRequest
    ) -> PlayerIdentity | VaultRefused:
        """Make a guest a member under the name and password asked for; the player id stays.

        Whoever became one with the same name and password before is found again. The inviter of
        the guest wins over the application's.
        """
        name, password_hash = request.username, hash_password(request.password)
        values = (name, name, request.group, password_hash, request.inviter, player)
        try:
            with self._pool.connection() as connection:
                row = connection.execute(_JOIN, values).fetchone()
        except UniqueViolation:
            return VaultRefused("username_taken", "username")
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
        return VaultRefused("already_member")


def _suffix(number: int) -> str:
    return f"-{number + 1}" if number else ""


def _is_name_for(request: RegistrationRequest, username: str) -> bool:
    """Whether this name is what the application led to."""
    requested, stored = request.username.lower(), username.lower()
    return stored == requested or (request.may_rename and stored.startswith(f"{requested}-"))
