"""Facts about bets. Stream: `player-<id>`.

Amounts are integer minor units, odds integer thousandths, times microseconds since 1970. Each fact
repeats the bet's stake and bonus share, so that its postings follow from that fact alone.
"""

from typing import ClassVar

from msgspec import Struct


class BetPlaced(Struct, frozen=True, gc=False):
    """A stake left the player's balance for an open round, at odds frozen here.

    `bonus_minor` is the part of `stake_minor` that came from the bonus account. `salt` (hex of 16
    bytes) hides the owner in the public receipt.
    """

    topic: ClassVar = "bet-placed.1"
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
    """The player recalled an open bet; each part of the stake returned to its account."""

    topic: ClassVar = "bet-recalled.1"
    bet: str
    game: int
    issue: str
    stake_minor: int
    bonus_minor: int


class BetSettled(Struct, frozen=True, gc=False):
    """The round's draw settled the bet; `payout_minor` is gross, 0 for a losing bet."""

    topic: ClassVar = "bet-settled.1"
    bet: str
    game: int
    issue: str
    total: int
    stake_minor: int
    bonus_minor: int
    payout_minor: int
    payout_bonus_minor: int


class BetVoided(Struct, frozen=True, gc=False):
    """The house returned the stake, because the round was voided."""

    topic: ClassVar = "bet-voided.1"
    bet: str
    game: int
    issue: str
    stake_minor: int
    bonus_minor: int
