"""How each player's newest settled rounds came out, at hand so that a heartbeat asks nothing.

What a player has is read once, and from then on kept in step by the pages of facts.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from api.journal import ROUNDS_HELD
from api.units import Flag, GameId, Money
from api.wire import encode, money
from engine.runtime import supervision
from projections.bets.queries import Order

KEPT: Final = 20_000
ROUNDS_KEPT: Final = ROUNDS_HELD + 1
"""Of each game: as many as can have been settled in the rounds that a room holds."""
_ACCEPTED, _SETTLED = 0, 1


class SettledBet(Struct, frozen=True, gc=False):
    """One of the player's own bets, answered."""

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


class Result(Struct, frozen=True, gc=False):
    """A `RoundResult` as JSON, and the position of the log behind which it was known."""

    position: int
    game: int
    issue: str
    encoded: bytes


class Results:
    """By player, the newest ones of each game first. Used from the event loop alone."""

    def __init__(self, load: Callable[[int], Awaitable[Sequence[Sequence[Order]]]]) -> None:
        """`load` reads a player's bets of the newest settled rounds of each game, by round."""
        self._load = load
        self._at_hand: dict[int, tuple[Result, ...]] = {}
        self._fetching: dict[int, asyncio.Task[None]] = {}
        self._forgotten = 0

    def at_hand(self, player: int) -> tuple[Result, ...] | None:
        """The player's results; None when they must be fetched first."""
        return self._at_hand.get(player)

    def newest(self, player: int, game: int) -> Result | None:
        """The player's newest result in a game, of those at hand."""
        mine = self._at_hand.get(player, ())
        return next((result for result in mine if result.game == game), None)

    def follows(self, player: int) -> bool:
        """Whether a settled round of this player's must be told; may be asked from any thread."""
        return player in self._at_hand or player in self._fetching

    async def fetch(self, player: int) -> None:
        """Have the player's results at hand."""
        if player not in self._at_hand:
            reading = self._fetching.get(player)
            if reading is None:
                reading = self._fetching[player] = supervision.owned(self._read(player))
            await asyncio.shield(reading)

    async def _read(self, player: int) -> None:
        """Read until nothing was forgotten meanwhile; what a page tells meanwhile is newer."""
        try:
            known = -1
            rounds: Sequence[Sequence[Order]] = ()
            while known != self._forgotten:
                known = self._forgotten
                rounds = await self._load(player)
            found = tuple(_result(orders) for orders in rounds if _is_settled(orders))
            told = self._at_hand.get(player, ())
            self._keep(player, _merged((*told, *found)))
        finally:
            del self._fetching[player]

    def learn(self, player: int, orders: Sequence[Order], position: int) -> Result | None:
        """A round was settled, and these are the player's bets; None if none of them counts."""
        if not _is_settled(orders):
            return None
        result = _result(orders, position)
        if self.follows(player):
            self._keep(player, _merged((result, *self._at_hand.get(player, ()))))
        return result

    def _keep(self, player: int, results: tuple[Result, ...]) -> None:
        self._at_hand[player] = results
        while len(self._at_hand) > KEPT:
            del self._at_hand[next(iter(self._at_hand))]

    def forget(self) -> None:
        """Rounds may have been settled unseen: whatever is asked for next is read again."""
        self._at_hand.clear()
        self._forgotten += 1


def _is_settled(orders: Sequence[Order]) -> bool:
    """Whether some bets were settled and none is open."""
    statuses = {order.status for order in orders}
    return _SETTLED in statuses and _ACCEPTED not in statuses


def _merged(results: Iterable[Result]) -> tuple[Result, ...]:
    """Each round once, as it stands first, and of each game the newest."""
    rounds: dict[tuple[int, str], Result] = {}
    for result in results:
        rounds.setdefault((result.game, result.issue), result)
    kept: list[Result] = []
    for result in sorted(rounds.values(), key=lambda one: -one.position):
        if sum(one.game == result.game for one in kept) < ROUNDS_KEPT:
            kept.append(result)
    return tuple(kept)


def _result(orders: Sequence[Order], position: int = 0) -> Result:
    """Known behind this position, or if it is not given, behind the last of the answers."""
    known = position or max(order.answered_position for order in orders)
    return Result(known, orders[0].game, orders[0].issue, _encoded(orders))


def _encoded(orders: Sequence[Order]) -> bytes:
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


def _settled(order: Order) -> SettledBet:
    return SettledBet(
        order.bet,
        order.kind,
        money(order.stake),
        money(order.payout),
        money(order.payout - order.stake),
        int(order.payout > 0),
    )
