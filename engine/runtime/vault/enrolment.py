"""Becoming a member: by registering, or by turning from a guest into one."""

from typing import Final

from msgspec import Struct
from psycopg.errors import UniqueViolation
from psycopg.rows import TupleRow

from engine.players.commands import GUEST
from engine.refusals import Refusal
from engine.runtime.passwords import hashed, verifies
from engine.runtime.vault.keys import KEY_BYTES
from engine.runtime.vault.members import COLUMNS, Member, Members, member_of
from engine.runtime.vault.refused import VaultRefused

_NAMES_TRIED: Final = 50

_ENROL: Final = (
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
_STANDING: Final = f"SELECT {COLUMNS}, password_hash FROM vault.members WHERE player = %s"


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

    def __repr__(self) -> str:
        """Without the password."""
        return f"Application({self.username!r}, group={self.group}, inviter={self.inviter})"


class NotEnrolled(Struct, frozen=True):
    """Nobody was registered; `field` is to blame."""

    refusal: Refusal
    field: str


class Enrolment(Members):
    """Taking members in."""

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
        member = member_of(columns)
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
                return member_of(row)
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
            values = (*person, self._entropy(KEY_BYTES), application.key)
            return connection.execute(_ENROL, values).fetchone()

    def turn_member(self, player: int, application: Application) -> Member | VaultRefused:
        """Make a guest a member under the name and password asked for; the player id stays.

        Whoever became one with the same name and password before is found again. The inviter of
        the guest wins over the application's.
        """
        name, password_hash = application.username, hashed(application.password)
        values = (name, name, application.group, password_hash, application.inviter, player)
        try:
            with self._pool.connection() as connection:
                row = connection.execute(_JOIN, values).fetchone()
        except UniqueViolation:
            return VaultRefused("username_taken", "username")
        return member_of(row) if row else self._turned_before(player, application)

    def _turned_before(self, player: int, application: Application) -> Member | VaultRefused:
        with self._pool.connection() as connection:
            row = connection.execute(_STANDING, (player,)).fetchone()
        if row is None:
            raise KeyError(player)
        *columns, password_hash = row
        member = member_of(columns)
        same_name = member.username == application.username
        if same_name and verifies(password_hash, application.password):
            return member
        return VaultRefused("already_member")


def _suffix(number: int) -> str:
    return f"-{number + 1}" if number else ""


def _asked_for(application: Application, username: str) -> bool:
    """Whether this name is what the application led to."""
    asked, given = application.username.lower(), username.lower()
    return given == asked or (application.may_rename and given.startswith(f"{asked}-"))
