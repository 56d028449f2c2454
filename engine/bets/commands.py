"""Commands about bets. Their fields are what a repeated command id is compared by."""

from typing import Final

from msgspec import Struct

from engine.money import units

MAX_STAKE_MINOR: Final = units(50_000)


class PlaceBet(Struct, frozen=True, gc=False, array_like=True, tag="bet"):
    """Stake on one kind in one hall, for the round that is now on sale."""

    player: int
    game: int
    plan: int
    issue: str
    kind: str
    stake_minor: int


class RecallBets(Struct, frozen=True, gc=False, array_like=True, tag="recall"):
    """Take back one bet, or with `bet` None every open one of this game and issue."""

    player: int
    game: int
    issue: str
    bet: str | None
