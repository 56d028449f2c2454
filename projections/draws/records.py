"""A round and a day as the draw board shows them, folded from their facts."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import RecordedFact
from engine.house.facts import DayOpened
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    Status,
    VoidRuled,
)

NO_TOTAL = -1


class RoundDocument(Struct, frozen=True):
    """The public record of a round, in minor units, µs since 1970 and lower-case hex.

    `phase` is open, closed, drawn, settled or voided. Fields of later phases are "" or 0, the
    digits None and their `total` -1. `void_status` is attested, unattested or breach, and
    `void_answer` the witness's reason for not releasing its link.
    """

    game: int
    issue: str
    day: str
    index: int
    opens_at: int
    closes_at: int
    draws_at: int
    odds_table: str
    opened_position: int
    phase: str = "open"
    count: int = 0
    stake: int = 0
    stakes: dict[str, int] = {}
    bets_head: str = ""
    prev: str = ""
    frozen: str = ""
    signature: str = ""
    closed_at: int = 0
    digits: tuple[int, int, int] | None = None
    total: int = NO_TOTAL
    operator_secret: str = ""
    witness_secret: str = ""
    operator_signature: str = ""
    witness_signature: str = ""
    drawn_at: int = 0
    drawn_position: int = 0
    payout: int = 0
    settled_at: int = 0
    void_status: str = ""
    void_answer: str = ""
    void_reason: str = ""
    void_signature: str = ""
    voided_at: int = 0


class Skipped(Struct, frozen=True):
    """Rounds `first` to `last`, missed because the server was not running."""

    first: int
    last: int
    operator_secret: str
    witness_secret: str
    position: int
    at: int


class DayDocument(Struct, frozen=True):
    """A game's day or segment: both parties' commitments, and the rounds it missed."""

    opened: DayOpened
    position: int
    opened_at: int
    skipped: tuple[Skipped, ...] = ()


def opened(recorded: RecordedFact, fact: RoundOpened) -> RoundDocument:
    """Returns the record of a round that has just opened."""
    return RoundDocument(
        game=fact.game,
        issue=fact.issue,
        day=fact.day,
        index=fact.index,
        opens_at=fact.opens_at,
        closes_at=fact.closes_at,
        draws_at=fact.draws_at,
        odds_table=fact.odds_table,
        opened_position=recorded.position,
    )


def evolve(
    before: RoundDocument,
    recorded: RecordedFact,
    fact: RoundClosed | RoundDrawn | RoundSettled | RoundVoided | VoidRuled | StakesReturned,
) -> RoundDocument:
    """Returns the round after this fact."""
    match fact:
        case RoundClosed():
            return _closed(before, recorded.at, fact)
        case RoundDrawn():
            return _drawn(before, recorded, fact)
        case RoundSettled(payout_minor=payout):
            return replace(before, phase="settled", payout=payout, settled_at=recorded.at)
        case RoundVoided():
            return replace(
                before,
                phase="voided",
                void_status=Status.ATTESTED,
                operator_secret=fact.operator_secret,
                witness_secret=fact.witness_secret,
                void_reason=fact.reason,
                void_signature=fact.witness_signature,
                voided_at=recorded.at,
            )
        case VoidRuled():
            return _ruled(before, fact)
        case StakesReturned():
            return replace(before, phase="voided", voided_at=recorded.at)
        case _ as never:
            assert_never(never)


def _closed(before: RoundDocument, at: int, fact: RoundClosed) -> RoundDocument:
    return replace(
        before,
        phase="closed",
        count=fact.count,
        stake=fact.stake_minor,
        stakes=fact.stakes,
        bets_head=fact.bets,
        prev=fact.prev,
        frozen=fact.frozen,
        signature=fact.signature,
        closed_at=at,
    )


def _ruled(before: RoundDocument, fact: VoidRuled) -> RoundDocument:
    return replace(
        before,
        operator_secret=fact.operator_secret,
        witness_secret=fact.witness_secret,
        void_status=fact.status,
        void_answer=fact.answer,
        void_reason=fact.reason,
        void_signature=fact.witness_signature,
    )


def _drawn(before: RoundDocument, recorded: RecordedFact, fact: RoundDrawn) -> RoundDocument:
    return replace(
        before,
        phase="drawn",
        digits=fact.digits,
        total=fact.total,
        operator_secret=fact.operator_secret,
        witness_secret=fact.witness_secret,
        operator_signature=fact.operator_signature,
        witness_signature=fact.witness_signature,
        drawn_at=recorded.at,
        drawn_position=recorded.position,
    )
