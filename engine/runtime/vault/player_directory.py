"""The player directory: names, avatars and look-up, and a cache of nicknames."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.vault_keys import commitment

AVATARS: Final = range(1, 9)
COLUMNS: Final = "player, username, nickname, member_group, inviter, commitment_key, avatar"

_BY_NAME: Final = f"SELECT {COLUMNS} FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER: Final = f"SELECT {COLUMNS} FROM vault.members WHERE player = %s"
_NICKNAMES: Final = "SELECT player, nickname FROM vault.members WHERE player = ANY(%s)"
_EXISTING: Final = "SELECT player FROM vault.members WHERE player = ANY(%s) ORDER BY player"
_CHOOSE_AVATAR: Final = "UPDATE vault.members SET avatar = %s WHERE player = %s"
NICKNAME_CACHE_SIZE: Final = 200_000


class PlayerIdentity(Struct, frozen=True):
    """A player's identity. `name_commitment` is the facts' commitment to the user name, in hex.

    `avatar` is the number of one of the eight avatar pictures.
    """

    player: int
    username: str
    nickname: str
    group: int
    inviter: int | None
    name_commitment: str
    avatar: int = AVATARS[0]


class PlayerDirectory(VaultPart):
    """Finds players, and sets their avatars."""

    def identity(self, player: int) -> PlayerIdentity | None:
        """Returns the player with this id; None if there is none."""
        return self._one(_BY_PLAYER, player)

    def find(self, name: str) -> PlayerIdentity | None:
        """Returns the player with this user name or else this player id; None if there is none."""
        named = self._one(_BY_NAME, name)
        if named is None and name.isascii() and name.isdigit() and len(name) < len(str(1 << 63)):
            return self._one(_BY_PLAYER, int(name))
        return named

    def _one(self, query: str, value: str | int) -> PlayerIdentity | None:
        with self._pool.connection() as connection:
            row = connection.execute(query, (value,)).fetchone()
        return None if row is None else identity_of(row)

    def nicknames(self, players: Iterable[int]) -> dict[int, str]:
        """Returns the nicknames of the given players who exist."""
        with self._pool.connection() as connection:
            return dict(connection.execute(_NICKNAMES, (list(players),)).fetchall())

    def existing_among(self, players: Iterable[int]) -> list[int]:
        """Returns the given players that exist in the vault; erased players are not included."""
        with self._pool.connection() as connection:
            return [player for (player,) in connection.execute(_EXISTING, (list(players),))]

    def choose_avatar(self, player: int, avatar: int) -> None:
        """Set the player's avatar. Raises ValueError if there is no such picture."""
        if avatar not in AVATARS:
            raise ValueError(f"avatars are numbered {AVATARS[0]} to {AVATARS[-1]}, not {avatar}")
        with self._pool.connection() as connection:
            connection.execute(_CHOOSE_AVATAR, (avatar, player))


def identity_of(columns: Iterable[object]) -> PlayerIdentity:
    """Returns the player in a row of `COLUMNS`."""
    player, username, nickname, group, inviter, key, avatar = columns
    assert isinstance(username, str)
    assert isinstance(key, bytes)
    named = commitment(key, username.encode())
    return PlayerIdentity(player, username, nickname, group, inviter, named, avatar)  # type: ignore[arg-type]


class NicknameCache:
    """Nicknames by player. `load` reads several at once and blocks."""

    def __init__(self, load: Callable[[Iterable[int]], dict[int, str]]) -> None:
        self._load = load
        self._cache: dict[int, str] = {}

    def __call__(self, player: int) -> str:
        """Returns the nickname; empty if it has not been read, or the player was erased."""
        return self._cache.get(player, "")

    async def get(self, player: int) -> str:
        """Returns a player's full nickname, which only they may see; empty if they were erased."""
        found = self(player)
        if not found:
            await asyncio.to_thread(self.ensure_loaded, (player,))
        return found or self(player)

    def put(self, player: int, name: str) -> None:
        """Store a player's new nickname."""
        self._cache[player] = name

    def evict(self, player: int) -> None:
        """Read the player's nickname again, because it may have changed; from any thread."""
        self._cache.pop(player, None)

    def evict_all(self) -> None:
        """Read all nicknames again; from any thread."""
        self._cache.clear()

    def ensure_loaded(self, players: Iterable[int]) -> None:
        """Load the missing nicknames of these players; blocks."""
        missing = [player for player in set(players) if player not in self._cache]
        if not missing:
            return
        found = self._load(missing)
        while len(self._cache) > NICKNAME_CACHE_SIZE:
            self._cache.pop(next(iter(self._cache)), None)
        self._cache.update({player: found.get(player, "") for player in missing})
