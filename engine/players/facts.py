"""Facts about a player. Stream: `player-<id>`.

Facts carry no personal data: names are in the vault, and a fact has a keyed commitment to them.
Amounts are integer minor units, odds integer thousandths, times microseconds since 1970. A bet's
facts repeat its stake and bonus share, so that the postings of a fact follow from that fact alone.
"""

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import MoneyFact
from engine.chat.facts import ChatFact
from engine.players.profile_facts import ProfileFact


class PlayerRegistered(Struct, frozen=True, gc=False):
    """A player joined; `group` is 1 for a member and 2 for a guest."""

    group: int
    inviter: int | None
    bot: bool
    name_commitment: str


PlayerFact = (
    PlayerRegistered
    | BetPlaced
    | BetRecalled
    | BetSettled
    | BetVoided
    | MoneyFact
    | ProfileFact
    | ChatFact
)
