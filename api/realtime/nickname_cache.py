"""Caches players' nicknames."""

from collections.abc import Callable, Iterable
from typing import Final

NICKNAME_CACHE_SIZE: Final = 200_000


class NicknameCache:
    """Nicknames by player. `load` reads several at once and blocks."""

    def __init__(self, load: Callable[[Iterable[int]], dict[int, str]]) -> None:
        self._load = load
        self._cache: dict[int, str] = {}

    def __call__(self, player: int) -> str:
        """Returns the nickname; empty if it has not been read, or the player was erased."""
        return self._cache.get(player, "")

    def put(self, player: int, name: str) -> None:
        """Store a player's new nickname."""
        self._cache[player] = name

    def ensure_loaded(self, players: Iterable[int]) -> None:
        """Load the missing nicknames of these players; blocks."""
        missing = [player for player in set(players) if player not in self._cache]
        if not missing:
            return
        found = self._load(missing)
        while len(self._cache) > NICKNAME_CACHE_SIZE:
            self._cache.pop(next(iter(self._cache)), None)
        self._cache.update({player: found.get(player, "") for player in missing})
