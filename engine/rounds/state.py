"""The writer's state of a round: its stream, its open bets, and its exposure.

The exposure is what the worst outcome would pay. A bet that would take it above the cap is refused.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import assert_never

from msgspec import Struct, field

from engine.bets.facts import BetPlaced
from engine.catalogue import SUMS, SUMS_OF
from engine.cow_map import CopyOnWriteMap
from engine.fairness.records import FrozenRecord
from engine.house.facts import DayOpened
from engine.money import units
from engine.odds import OddsTable, payout_minor
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    Statement,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)

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


class Phase(IntEnum):
    """How far a round has come; it never goes back."""

    OPEN = 1
    CLOSED = 2
    DRAWN = 3
    SETTLED = 4
    VOIDED = 5


class Round(Struct):
    """One round; `count`, `stake_minor` and `paid_minor` sum up the settled or voided bets.

    `segment` is the day or segment it belongs to, which need not be its game's open one.
    """

    opened: RoundOpened
    odds: OddsTable
    version: int = 0
    phase: Phase = Phase.OPEN
    book: BetBook = field(default_factory=BetBook)
    closed: RoundClosed | None = None
    drawn: RoundDrawn | None = None
    count: int = 0
    stake_minor: int = 0
    paid_minor: int = 0
    segment: DayOpened | None = None
    ruled: VoidRuled | None = None
    late: WitnessAnsweredLate | None = None

    @property
    def issue(self) -> str:
        """The public number."""
        return self.opened.issue

    @property
    def closes_at(self) -> int:
        """When sales end, in microseconds."""
        return self.opened.closes_at

    @property
    def finished(self) -> bool:
        """Whether every bet is settled or every stake returned."""
        return self.phase >= Phase.SETTLED

    @property
    def awaits_statement(self) -> bool:
        """Whether it was voided as unattested, and its witness has not stated what was true."""
        if self.ruled is None or self.ruled.status != Status.UNATTESTED:
            return False
        return self.late is None or self.late.statement == Statement.UNKNOWN

    def sells_at(self, now: int) -> bool:
        """Whether the round accepts bets at this time, in microseconds."""
        return self.phase == Phase.OPEN and now < self.opened.closes_at

    def is_undrawn_at(self, now: int) -> bool:
        """Whether the draw is due at this time, in microseconds, and neither made nor voided."""
        overdue = self.phase == Phase.CLOSED and now >= self.opened.draws_at
        return overdue and self.ruled is None

    def has_room_for(self, kind: str, payout: int) -> bool:
        """Whether the worst of the sums stays within the cap with this payout added."""
        return self.book.has_room_for(kind, payout)

    def fork(self) -> "Round":
        """A copy to decide on, which may be discarded."""
        return Round(
            self.opened,
            self.odds,
            self.version,
            self.phase,
            self.book.fork(),
            self.closed,
            self.drawn,
            self.count,
            self.stake_minor,
            self.paid_minor,
            self.segment,
            self.ruled,
            self.late,
        )


def evolve(open_round: Round, fact: RoundFact) -> Round:
    """Apply a fact of the round's stream in place and return the round; never refuses."""
    open_round.version += 1
    match fact:
        case RoundOpened():
            pass
        case RoundClosed():
            open_round.phase = Phase.CLOSED
            open_round.closed = fact
        case RoundDrawn():
            open_round.phase = Phase.DRAWN
            open_round.drawn = fact
        case RoundSettled():
            open_round.phase = Phase.SETTLED
        case VoidRuled():
            open_round.ruled = fact
        case RoundVoided() | StakesReturned():
            open_round.phase = Phase.VOIDED
        case WitnessAnsweredLate():
            open_round.late = fact
        case _ as never:
            assert_never(never)
    return open_round


def record_bet_result(open_round: Round, bet_id: str, stake_minor: int, payout: int) -> None:
    """Record that a bet of the frozen set was settled or voided."""
    if open_round.phase == Phase.DRAWN:
        open_round.book.settle(bet_id)
    else:
        open_round.book.remove(bet_id)
    open_round.count += 1
    open_round.stake_minor += stake_minor
    open_round.paid_minor += payout


def record_of(closed: RoundClosed) -> FrozenRecord:
    """The frozen record of a closed round, from its fact; its hash is the f_i of the draw."""
    return FrozenRecord(
        bets=closed.bets,
        closes_at=closed.closes_at,
        count=closed.count,
        day=closed.day,
        game=str(closed.game),
        i=closed.index,
        issue=closed.issue,
        prev=closed.prev,
        stake_minor=closed.stake_minor,
        stakes=closed.stakes,
    )
