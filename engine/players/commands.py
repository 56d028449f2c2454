"""What may be asked on a player's behalf. Commands carry no personal data and no secrets.

Their fields are what a repeated id is compared by.
"""

from typing import Final

from msgspec import Struct

from engine.money import units
from engine.players.chat_commands import ChatCommand
from engine.players.money_commands import MoneyCommand
from engine.players.standing_commands import ProfileCommand

MEMBER: Final = 1
GUEST: Final = 2
MAX_STAKE_MINOR: Final = units(50_000)


class RegisterPlayer(Struct, frozen=True, gc=False, array_like=True, tag="register"):
    """Join as member (group 1) or guest (2); `gift_minor` is demo money that comes with it."""

    player: int
    group: int
    inviter: int | None
    name_commitment: str
    bot: bool = False
    gift_minor: int = 0


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


PlayerCommand = RegisterPlayer | PlaceBet | RecallBets | MoneyCommand | ProfileCommand | ChatCommand
