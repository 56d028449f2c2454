"""Commands about bets. A repeated idempotency key is compared by their fields."""

from typing import Final

from msgspec import Struct

from engine.money import units

MAX_STAKE_MINOR: Final = units(50_000)


class PlaceBet(Struct, frozen=True, gc=False, array_like=True, tag="bet"):
    """Stake on one bet kind in one hall, for the round now on sale."""

    player: int
    game: int
    plan: int
    issue: str
    kind: str
    stake_minor: int


class RecallBets(Struct, frozen=True, gc=False, array_like=True, tag="recall"):
    """Recall one bet or, if `bet` is None, every open bet of this game and issue."""

    player: int
    game: int
    issue: str
    bet: str | None
