"""The operator's secret hash chains, one for each segment of a game's day.

Only the tail of a chain, from which all its links follow, is stored, sealed under the master key.
"""

from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from eventsourcing.postgres import PostgresDatastore

from engine.fairness.draw import OPERATOR, chain
from engine.runtime.secret_keys import KEY_BYTES, MasterKey

_INSERT: Final = (
    "INSERT INTO vault.chains (game, day, rounds, sealed_tail) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_READ: Final = "SELECT rounds, sealed_tail FROM vault.chains WHERE game = %s AND day = %s"
_CACHE_SIZE: Final = 8


class ChainLost(KeyError):  # noqa: N818 - a state of the vault, not a fault of the caller
    """The tail of a day's chain is missing, or the master key does not open it."""


class HashChainStore:
    """Chain links by game and day. They leave the engine only in the facts that reveal them."""

    def __init__(
        self, store: PostgresDatastore, master: MasterKey, entropy: Callable[[int], bytes]
    ) -> None:
        """Tails come from `entropy` and are stored in the vault, sealed under `master`."""
        self._store = store
        self._master = master
        self._entropy = entropy
        self._cache: dict[tuple[int, str], tuple[bytes, ...]] = {}

    def __repr__(self) -> str:
        """Without the links."""
        return "HashChainStore(withheld)"

    def create(self, game: int, day: str, rounds: int) -> tuple[bytes, ...]:
        """Returns the links c_0 … c_rounds of a day; its tail is durable by then.

        A day that has a stored tail keeps it. Raises ValueError if that chain has another length,
        ChainLost if the tail cannot be decrypted.
        """
        sealed = self._master.seal(self._entropy(KEY_BYTES), _associated_data(game, day))
        with self._store.transaction(commit=True) as cursor:
            cursor.execute(_INSERT, (game, day, rounds, sealed))
        links = self.links(game, day)
        if len(links) != rounds + 1:
            message = f"the chain of game {game} on {day} has {len(links) - 1} rounds"
            raise ValueError(message)
        return links

    def links(self, game: int, day: str) -> tuple[bytes, ...]:
        """Returns a day's links. Raises ChainLost if its tail is missing or cannot be decrypted."""
        links = self._cache.get((game, day))
        if links is None:
            links = self._read(game, day)
            while len(self._cache) >= _CACHE_SIZE:
                del self._cache[next(iter(self._cache))]
            self._cache[game, day] = links
        return links

    def _read(self, game: int, day: str) -> tuple[bytes, ...]:
        with self._store.transaction() as cursor:
            row = cursor.execute(_READ, (game, day)).fetchone()
        if row is None:
            raise ChainLost((game, day))
        try:
            tail = self._master.open(row["sealed_tail"], _associated_data(game, day))
        except InvalidTag as error:
            raise ChainLost((game, day)) from error
        return chain(OPERATOR, str(game), day, tail, row["rounds"])


def _associated_data(game: int, day: str) -> bytes:
    return f"chain/{game}/{day}".encode()
