"""Caches the results of each player's newest settled rounds: a heartbeat costs no query.

A player's results are read once; pages of facts then keep them up to date.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from api.http.field_types import Flag, GameId, Money
from api.http.wire import encode, money
from api.realtime.rooms import MAX_ROUNDS_KEPT
from engine.runtime import supervision
from projections.bets.queries import BetRow

RESULT_CACHE_SIZE: Final = 20_000
MAX_RESULT_ROUNDS_KEPT: Final = MAX_ROUNDS_KEPT + 1
"""Per game: as many as can have been settled in the rounds that a replay buffer keeps."""
_ACCEPTED, _SETTLED = 0, 1


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
