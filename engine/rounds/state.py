"""The writer's state of a round: its stream. Its open bets are in `exposure.py`."""

from enum import IntEnum
from typing import assert_never

from msgspec import Struct, field

from engine.fairness.records import FrozenRecord
from engine.house.facts import DayOpened
from engine.odds import OddsTable
from engine.rounds.exposure import BetBook
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
        """Whether the draw was due before this time, in microseconds, and has not happened."""
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
