"""What can have happened to a player. Stream: `player-<id>`.

Facts carry no personal data: names live in the vault, and a fact holds a keyed commitment to
them. Amounts are integer minor units, odds integer thousandths, times microseconds since 1970.
A bet's facts repeat its stake and bonus share, so that the postings of a fact follow from that
fact alone.
"""

from msgspec import Struct

from engine.players.chat_facts import ChatFact
from engine.players.money_facts import MoneyFact
from engine.players.standing_facts import ProfileFact


class PlayerRegistered(Struct, frozen=True, gc=False):
    """A player joined; `group` is 1 for a member and 2 for a guest."""

    group: int
    inviter: int | None
    bot: bool
    name_commitment: str


class BetPlaced(Struct, frozen=True, gc=False):
    """A stake left the player's balance for an open round, at odds frozen here.

    `bonus_minor` is the part of `stake_minor` that came from the bonus account; `salt` (hex of
    16 bytes) hides the owner in the public receipt.
    """

    bet: str
    game: int
    issue: str
    plan: int
    kind: str
    stake_minor: int
    bonus_minor: int
    odds_milli: int
    odds_table: str
    closes_at: int
    salt: str


class BetRecalled(Struct, frozen=True, gc=False):
    """The player took an open bet back; each part of the stake returned where it came from."""

    bet: str
    game: int
    issue: str
    stake_minor: int
    bonus_minor: int


class BetSettled(Struct, frozen=True, gc=False):
    """The round's draw answered the bet; `payout_minor` is gross, 0 for a losing bet."""

    bet: str
    game: int
    issue: str
    total: int
    stake_minor: int
    bonus_minor: int
    payout_minor: int
    payout_bonus_minor: int


class BetVoided(Struct, frozen=True, gc=False):
    """The house returned the stake, because the round was voided before any secret was out."""

    bet: str
    game: int
    issue: str
    stake_minor: int
    bonus_minor: int


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
