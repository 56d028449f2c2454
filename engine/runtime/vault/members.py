"""Who the members are: their names, their pictures, and how to find them."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from engine.runtime.vault.keys import commitment
from engine.runtime.vault.part import VaultPart

AVATARS: Final = range(1, 9)
COLUMNS: Final = "player, username, nickname, member_group, inviter, commitment_key, avatar"

_BY_NAME: Final = f"SELECT {COLUMNS} FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER: Final = f"SELECT {COLUMNS} FROM vault.members WHERE player = %s"
_NICKNAMES: Final = "SELECT player, nickname FROM vault.members WHERE player = ANY(%s)"
_EXISTING: Final = "SELECT player FROM vault.members WHERE player = ANY(%s) ORDER BY player"
_CHOOSE_AVATAR: Final = "UPDATE vault.members SET avatar = %s WHERE player = %s"


class PlayerIdentity(Struct, frozen=True):
    """Who a player is. `name_commitment` is the hex that the facts hold for the user name.

    `avatar` is the number of one of the house's eight pictures.
    """

    player: int
    username: str
    nickname: str
    group: int
    inviter: int | None
    name_commitment: str
    avatar: int = AVATARS[0]


class PlayerDirectory(VaultPart):
    """Finding members, and what they look like to others."""

    def identity(self, player: int) -> PlayerIdentity | None:
        """The member with this player id."""
        return self._one(_BY_PLAYER, player)

    def find(self, name: str) -> PlayerIdentity | None:
        """The member with this user name, or failing that with this player id."""
        named = self._one(_BY_NAME, name)
        if named is None and name.isascii() and name.isdigit() and len(name) < len(str(1 << 63)):
            return self._one(_BY_PLAYER, int(name))
        return named

    def _one(self, query: str, value: str | int) -> PlayerIdentity | None:
        with self._pool.connection() as connection:
            row = connection.execute(query, (value,)).fetchone()
        return None if row is None else identity_of(row)

    def nicknames(self, players: Iterable[int]) -> dict[int, str]:
        """The nicknames of those of these players who are known."""
        with self._pool.connection() as connection:
            return dict(connection.execute(_NICKNAMES, (list(players),)).fetchall())

    def existing_among(self, players: Iterable[int]) -> list[int]:
        """Those of these players whom the vault knows: who was erased is not among them."""
        with self._pool.connection() as connection:
            return [player for (player,) in connection.execute(_EXISTING, (list(players),))]

    def choose_avatar(self, player: int, avatar: int) -> None:
        """Show the player with this one of the house's pictures; ValueError if there is none."""
        if avatar not in AVATARS:
            raise ValueError(f"avatars are numbered {AVATARS[0]} to {AVATARS[-1]}, not {avatar}")
        with self._pool.connection() as connection:
            connection.execute(_CHOOSE_AVATAR, (avatar, player))


def identity_of(columns: Iterable[object]) -> PlayerIdentity:
    """The member in a row of `COLUMNS`."""
    player, username, nickname, group, inviter, key, avatar = columns
    assert isinstance(username, str)
    assert isinstance(key, bytes)
    named = commitment(key, username.encode())
    return PlayerIdentity(player, username, nickname, group, inviter, named, avatar)  # type: ignore[arg-type]
