"""Players' nicknames, at hand once they have been read."""

from collections.abc import Callable, Iterable
from typing import Final

KEPT: Final = 200_000


class Names:
    """Nicknames by player. `load` reads several at once and blocks."""

    def __init__(self, load: Callable[[Iterable[int]], dict[int, str]]) -> None:
        self._load = load
        self._at_hand: dict[int, str] = {}

    def __call__(self, player: int) -> str:
        """The nickname; empty when it has not been read, or the member was erased."""
        return self._at_hand.get(player, "")

    def learn(self, player: int, name: str) -> None:
        """The player goes by this name from now on."""
        self._at_hand[player] = name

    def read(self, players: Iterable[int]) -> None:
        """Have these players' names at hand."""
        missing = [player for player in set(players) if player not in self._at_hand]
        if not missing:
            return
        found = self._load(missing)
        while len(self._at_hand) > KEPT:
            self._at_hand.pop(next(iter(self._at_hand)), None)
        self._at_hand.update({player: found.get(player, "") for player in missing})
