"""Caches active players' balances and updates them from the log: a heartbeat costs no query."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct

from api.http.field_types import Money, Version
from api.http.wire import encode, money
from engine.facts import RecordedFact
from engine.ledger import account, postings
from engine.runtime import supervision
from projections.accounts.queries import Account

BALANCE_CACHE_SIZE: Final = 50_000


class WireBalance(Struct, frozen=True, gc=False):
    """Available money and bonus in u; `version` counts the player's facts."""

    money: Money
    score: Money
    version: Version


class CachedBalance(Struct, gc=False):
    """Minor units after the player's fact `version`; `encoded` caches the JSON form."""

    available: int
    bonus: int
    version: int
    encoded: bytes = b""

    def wire(self) -> bytes:
        """Returns the balance as JSON."""
        if not self.encoded:
            self.encoded = encode(
                WireBalance(money(self.available), money(self.bonus), self.version)
            )
        return self.encoded


class BalanceCache:
    """Balances by player. Used from the event loop only; a version never decreases."""

    def __init__(self, load: Callable[[int], Awaitable[Account | None]]) -> None:
        """`load` reads a player's account from the read models."""
        self._load = load
        self._cache: dict[int, CachedBalance] = {}
        self._fetching: dict[int, asyncio.Task[None]] = {}
        self._versions_while_loading: dict[int, int] = {}

    def get_cached(self, player: int) -> CachedBalance | None:
        """Returns the cached balance; None if it must be fetched first."""
        return self._cache.get(player)

    async def fetch(self, player: int) -> CachedBalance | None:
        """Returns the balance and reads it if it is not cached; None for an unknown player."""
        if player not in self._cache:
            reading = self._fetching.get(player)
            if reading is None:
                reading = self._fetching[player] = supervision.owned(self._read(player))
            await asyncio.shield(reading)
        return self._cache.get(player)

    async def _read(self, player: int) -> None:
        """Read until the row includes every fact that was applied during the read."""
        self._versions_while_loading[player] = 0
        try:
            while (row := await self._load(player)) is not None:
                if row.version >= self._versions_while_loading[player]:
                    self.put(player, row.version, row.available, row.bonus)
                    return
        finally:
            del self._versions_while_loading[player], self._fetching[player]

    def put(self, player: int, version: int, available: int, bonus: int) -> None:
        """Store a player's balance after their fact `version`, unless a newer one is cached."""
        cached = self._cache.get(player)
        if cached is not None and cached.version >= version:
            return
        self._cache[player] = CachedBalance(available, bonus, version)
        while len(self._cache) > BALANCE_CACHE_SIZE:
            del self._cache[next(iter(self._cache))]

    def evict_all(self) -> None:
        """Empty the cache, because facts were missed: the next request reads the balance again."""
        self._cache.clear()

    def apply(self, player: int, recorded: RecordedFact) -> None:
        """Apply a fact of this player to the cached balance; evict it if a fact was missed."""
        if player in self._versions_while_loading:
            self._versions_while_loading[player] = recorded.version
        cached = self._cache.get(player)
        if cached is None or recorded.version <= cached.version:
            return
        if recorded.version != cached.version + 1:
            del self._cache[player]
            return
        amounts = {posting.account: posting.amount_minor for posting in postings(recorded)}
        self._cache[player] = CachedBalance(
            cached.available + amounts.get(account(player, "available"), 0),
            cached.bonus + amounts.get(account(player, "bonus"), 0),
            recorded.version,
        )
