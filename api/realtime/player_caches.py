"""Caches of active players' balances and newest results: a heartbeat costs no query.

Both are read once per player; pages of facts then keep them up to date.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from api.http.field_types import Flag, GameId, Money, Version
from api.http.wire import encode, money
from api.realtime.rooms import MAX_ROUNDS_KEPT
from engine.facts import RecordedFact
from engine.ledger import account, postings
from engine.runtime import supervision
from projections.accounts import Account
from projections.bets import BetRow

BALANCE_CACHE_SIZE: Final = 50_000
RESULT_CACHE_SIZE: Final = 20_000
MAX_RESULT_ROUNDS_KEPT: Final = MAX_ROUNDS_KEPT + 1
"""Per game: as many as can have been settled in the rounds that a replay buffer keeps."""
_ACCEPTED, _SETTLED = 0, 1


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


class SettledBet(Struct, frozen=True, gc=False):
    """One of the player's own bets, settled."""

    orderNo: str  # noqa: N815 - the specification's name
    play_type: str
    quantity: Money
    payout: Money
    profit: Money
    whether_hit: Flag


class RoundResult(Struct, frozen=True, gc=False):
    """All of a player's bets of a round that were settled, win or lose; amounts in u."""

    issue: str
    game_id: GameId
    payout: Money
    profit: Money
    stake: Money
    bets: tuple[SettledBet, ...]


class CachedResult(Struct, frozen=True, gc=False):
    """A `RoundResult` as JSON, and the log position from which it is known."""

    position: int
    game: int
    issue: str
    encoded: bytes


class ResultCache:
    """Results by player, newest first. Used from the event loop only."""

    def __init__(self, load: Callable[[int], Awaitable[Sequence[Sequence[BetRow]]]]) -> None:
        """`load` reads a player's bets of the newest settled rounds of each game, by round."""
        self._load = load
        self._cache: dict[int, tuple[CachedResult, ...]] = {}
        self._fetching: dict[int, asyncio.Task[None]] = {}
        self._generation = 0

    def get_cached(self, player: int) -> tuple[CachedResult, ...] | None:
        """Returns the player's cached results; None if they must be fetched first."""
        return self._cache.get(player)

    def newest(self, player: int, game: int) -> CachedResult | None:
        """Returns the player's newest cached result in a game; None without one."""
        cached = self._cache.get(player, ())
        return next((result for result in cached if result.game == game), None)

    def follows(self, player: int) -> bool:
        """Whether this player's settled rounds must be put here; callable from any thread."""
        return player in self._cache or player in self._fetching

    async def fetch(self, player: int) -> None:
        """Load the player's results into the cache, unless they are cached."""
        if player not in self._cache:
            reading = self._fetching.get(player)
            if reading is None:
                reading = self._fetching[player] = supervision.owned(self._read(player))
            await asyncio.shield(reading)

    async def _read(self, player: int) -> None:
        """Read until no eviction happened during the read; results put meanwhile are newer."""
        try:
            generation = -1
            rounds: Sequence[Sequence[BetRow]] = ()
            while generation != self._generation:
                generation = self._generation
                rounds = await self._load(player)
            found = tuple(_result(orders) for orders in rounds if _is_settled(orders))
            newer = self._cache.get(player, ())
            self._store(player, _merged((*newer, *found)))
        finally:
            del self._fetching[player]

    def put(self, player: int, orders: Sequence[BetRow], position: int) -> CachedResult | None:
        """Returns a settled round's result from the player's bets; None if it has none.

        It is cached only for a player whose results are followed.
        """
        if not _is_settled(orders):
            return None
        result = _result(orders, position)
        if self.follows(player):
            self._store(player, _merged((result, *self._cache.get(player, ()))))
        return result

    def _store(self, player: int, results: tuple[CachedResult, ...]) -> None:
        self._cache[player] = results
        while len(self._cache) > RESULT_CACHE_SIZE:
            del self._cache[next(iter(self._cache))]

    def evict_all(self) -> None:
        """Empty the cache, because settled rounds may have been missed; later reads query again."""
        self._cache.clear()
        self._generation += 1


def _is_settled(orders: Sequence[BetRow]) -> bool:
    """Whether some bets were settled and none is open."""
    statuses = {order.status for order in orders}
    return _SETTLED in statuses and _ACCEPTED not in statuses


def _merged(results: Iterable[CachedResult]) -> tuple[CachedResult, ...]:
    """Keeps the first result of each round, and the newest rounds of each game."""
    rounds: dict[tuple[int, str], CachedResult] = {}
    for result in results:
        rounds.setdefault((result.game, result.issue), result)
    merged: list[CachedResult] = []
    for result in sorted(rounds.values(), key=lambda one: -one.position):
        if sum(one.game == result.game for one in merged) < MAX_RESULT_ROUNDS_KEPT:
            merged.append(result)
    return tuple(merged)


def _result(orders: Sequence[BetRow], position: int = 0) -> CachedResult:
    """`position` is where the result is known from; 0 means where the last bet was settled."""
    result_position = position or max(order.answered_position for order in orders)
    return CachedResult(result_position, orders[0].game, orders[0].issue, _encoded(orders))


def _encoded(orders: Sequence[BetRow]) -> bytes:
    settled = [order for order in orders if order.status == _SETTLED]
    payout, stake = sum(order.payout for order in settled), sum(order.stake for order in settled)
    return encode(
        RoundResult(
            settled[0].issue,
            settled[0].game,
            money(payout),
            money(payout - stake),
            money(stake),
            tuple(_settled(order) for order in settled),
        )
    )


def _settled(order: BetRow) -> SettledBet:
    return SettledBet(
        order.bet,
        order.kind,
        money(order.stake),
        money(order.payout),
        money(order.payout - order.stake),
        int(order.payout > 0),
    )
