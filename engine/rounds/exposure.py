"""The open bets of a round, and its exposure: what the worst outcome would pay.

A bet that would take the exposure above the cap is refused.
"""

from collections.abc import Iterator

from msgspec import Struct, field

from engine.bets.facts import BetPlaced
from engine.catalogue import SUMS, SUMS_OF
from engine.cow_map import CopyOnWriteMap
from engine.money import units
from engine.odds import payout_minor

EXPOSURE_CAP_MINOR = units(1_000_000)


class BookedBet(Struct, frozen=True, gc=False):
    """An open bet, its owner, and the hash of its receipt as a leaf of the bet set."""

    player: int
    bet: BetPlaced
    leaf: bytes


class BetBook(Struct):
    """The open bets, in log order, and by kind their stakes and what they pay if they win.

    Amounts are minor units. `all_minor` is the payout if every bet won, an upper bound of what any
    sum pays. From the draw on the amounts no longer change: a settlement needs none of them.
    """

    bets: CopyOnWriteMap[BookedBet] = field(default_factory=CopyOnWriteMap)
    stakes: dict[str, int] = field(default_factory=dict)
    payouts: dict[str, int] = field(default_factory=dict)
    all_minor: int = 0

    def fork(self) -> "BetBook":
        """A copy to decide on, which may be discarded."""
        return BetBook(self.bets.fork(), self.stakes.copy(), self.payouts.copy(), self.all_minor)

    def merge(self) -> "BetBook":
        """Apply this fork's additions and removals to the shared entries."""
        self.bets.merge()
        return self

    def open_bets(self) -> Iterator[BookedBet]:
        """The open bets, in log order."""
        return self.bets.values()

    @property
    def gross_minor(self) -> list[int]:
        """What each sum would pay the round's bets. Few need it, so it is not kept up to date."""
        gross = [0 for _ in SUMS]
        for kind, payout in self.payouts.items():
            for total in SUMS_OF[kind]:
                gross[total] += payout
        return gross

    def has_room_for(self, kind: str, payout: int) -> bool:
        """Whether the worst of the sums stays within the cap with this payout added."""
        room = EXPOSURE_CAP_MINOR - payout
        if self.all_minor <= room:
            return True  # the usual case, without computing any sum
        gross = self.gross_minor
        return all(gross[total] <= room for total in SUMS_OF[kind])

    def add(self, booked: BookedBet) -> None:
        """Add a bet that was placed."""
        self.bets.add(booked.bet.bet, booked)
        self._count(booked.bet, 1)

    def remove(self, bet_id: str) -> None:
        """Remove a recalled or voided bet; raises KeyError if it is not open."""
        self._count(self.bets.remove(bet_id).bet, -1)

    def settle(self, bet_id: str) -> None:
        """Remove a settled bet; raises KeyError if it is not open."""
        self.bets.remove(bet_id)

    def _count(self, bet: BetPlaced, sign: int) -> None:
        self.stakes[bet.kind] = self.stakes.get(bet.kind, 0) + sign * bet.stake_minor
        payout = sign * payout_minor(bet.stake_minor, bet.odds_milli)
        self.payouts[bet.kind] = self.payouts.get(bet.kind, 0) + payout
        self.all_minor += payout
