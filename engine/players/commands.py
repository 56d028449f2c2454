"""Commands on a player's behalf. They carry no personal data and no secrets.

A repeated command id is compared by their fields.
"""

from typing import Final

from msgspec import Struct

from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.commands import MoneyCommand
from engine.chat.commands import ChatCommand
from engine.players.profile_commands import ProfileCommand

MEMBER: Final = 1
GUEST: Final = 2


class RegisterPlayer(Struct, frozen=True, gc=False, array_like=True, tag="register"):
    """Join as member (group 1) or guest (2); `gift_minor` is demo money that comes with it."""

    player: int
    group: int
    inviter: int | None
    name_commitment: str
    bot: bool = False
    gift_minor: int = 0


PlayerCommand = RegisterPlayer | PlaceBet | RecallBets | MoneyCommand | ProfileCommand | ChatCommand
