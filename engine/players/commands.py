"""What may be asked on a player's behalf. Commands carry no personal data and no secrets.

Their fields are what a repeated id is compared by.
"""

from typing import Final

from msgspec import Struct

from engine.money import units

MEMBER: Final = 1
GUEST: Final = 2
CHANNELS: Final = frozenset({"bank", "usdt", "demo"})
LARGEST_STAKE_MINOR: Final = units(50_000)
LARGEST_DEPOSIT_MINOR: Final = units(1_000_000_000)


class RegisterPlayer(Struct, frozen=True, gc=False, array_like=True, tag="register"):
    """Join as member (group 1) or guest (2); `gift_minor` is demo money that comes with it."""

    player: int
    group: int
    inviter: int | None
    name_commitment: str
    bot: bool = False
    gift_minor: int = 0


class ApproveDeposit(Struct, frozen=True, gc=False, array_like=True, tag="deposit"):
    """Staff have seen `amount_minor` arrive over `channel` (bank, usdt or demo)."""

    player: int
    deposit: str
    channel: str
    amount_minor: int
    reference_commitment: str


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


PlayerCommand = RegisterPlayer | ApproveDeposit | PlaceBet | RecallBets
