"""The rows of a statement: their content for each kind of fact, and when they are written.

A row is written once and never changed, with one exception. A requested deposit has a row that
changes no balance. On approval that row is replaced by one at the position of the credit, so that
the balances of consecutive rows agree. The status of a request is joined to its row at query time
and never stored in it.
"""

from typing import Any, Final, Protocol

from psycopg import Cursor

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import (
    AdjustmentApproved,
    BonusReleased,
    CorrectionApproved,
    DepositApproved,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.facts import TOPICS, Fact, RecordedFact
from engine.runtime.log.pg_arrays import integers
from projections.approvals.rows import ApprovalRow as Request
from projections.runner.bulk_sql import copy, copy_rows, unnest_select

DEPOSIT: Final = 0
WITHDRAWAL: Final = 1
PURCHASE: Final = 2
PROFIT: Final = 3
GIFT: Final = 4

SCHEMA: Final = """
CREATE TABLE entries (
    player bigint,
    at bigint,
    position bigint,
    version bigint NOT NULL,
    type smallint NOT NULL,
    amount bigint NOT NULL,
    bonus bigint NOT NULL,
    before bigint NOT NULL,
    after bigint NOT NULL,
    actor text NOT NULL,
    command_id text NOT NULL,
    topic text NOT NULL,
    game smallint NOT NULL,
    issue text NOT NULL,
    bet text NOT NULL,
    detail text NOT NULL,
    asked bigint NOT NULL,
    reference text NOT NULL,
    reason_commitment text NOT NULL,
    PRIMARY KEY (player, at, position)
);
"""
_COLUMNS: Final = (
    "player, at, position, version, type, amount, bonus, before, after, actor, command_id, topic,"
    " game, issue, bet, detail, asked, reference, reason_commitment"
)
_TYPES: Final = "iiiisiiiitttstttitt"
_COPY: Final = copy("entries", _COLUMNS)
_DELETE: Final = (
    f"DELETE FROM entries USING ({unnest_select('player, at, position')}) AS gone"
    " WHERE entries.player = gone.player AND entries.at = gone.at"
    " AND entries.position = gone.position"
)

_Mark = tuple[int, int, str, str, str]
_Key = tuple[int, int, int]


class PlayerBalance(Protocol):
    """A player's money after the fact, in minor units."""

    player: int
    available: int
    bonus: int


class Entries:
    """The rows that a page adds to statements, and those that it deletes."""

    def __init__(self) -> None:
        self._added: dict[int, tuple[Any, ...]] = {}
        self._gone: list[_Key] = []

    def take(
        self, it: RecordedFact, now: PlayerBalance, was: tuple[int, int], request: Request | None
    ) -> None:
        """Apply a fact; `was` is the available and the bonus money before it."""
        moved = was != (now.available, now.bonus)
        if moved or _is_notice(it, request):
            self._added[it.position] = _entry(it, now, was, request)
        if request and isinstance(it.fact, DepositApproved) and request.position != it.position:
            self._remove((request.player, request.requested_at, request.position))

    def _remove(self, key: _Key) -> None:
        if self._added.pop(key[2], None) is None:
            self._gone.append(key)

    def save(self, cursor: Cursor[Any]) -> None:
        """Write the changes."""
        if self._gone:
            gone = [integers(values) for values in zip(*self._gone, strict=True)]
            cursor.execute(_DELETE, gone, prepare=True)
        copy_rows(cursor, _COPY, _TYPES, list(self._added.values()))


def _is_notice(it: RecordedFact, request: Request | None) -> bool:
    """Whether the fact is the first one about a deposit and credits no money."""
    first = request is not None and request.position == it.position
    return first and isinstance(it.fact, DepositRequested | DepositRejected)


def _entry(
    it: RecordedFact, now: PlayerBalance, was: tuple[int, int], request: Request | None
) -> tuple[Any, ...]:
    """The row of a fact, in the order of `_COLUMNS`."""
    kind, game, issue, bet, detail = _mark(it.fact)
    available, bonus = was
    to_bonus = now.bonus - bonus
    amount = now.available - available + to_bonus
    if request and isinstance(it.fact, DepositRequested | DepositRejected):
        amount = it.fact.amount_minor
    reference, reason = (request.id, "") if request else _reference(it.fact)
    return (
        now.player,
        it.at,
        it.position,
        it.version,
        kind,
        amount,
        to_bonus,
        available,
        now.available,
        it.actor,
        it.command_id,
        TOPICS[type(it.fact)],
        game,
        issue,
        bet,
        detail,
        request.position if request else 0,
        reference,
        reason,
    )


def _reference(fact: Fact) -> tuple[str, str]:
    return (fact.gift, fact.reason_commitment) if isinstance(fact, GiftGranted) else ("", "")


def _mark(fact: Fact) -> _Mark:
    match fact:
        case BetPlaced():
            return PURCHASE, fact.game, fact.issue, fact.bet, fact.kind
        case BetSettled():
            return PROFIT, fact.game, fact.issue, fact.bet, str(fact.total)
        case BetRecalled() | BetVoided():
            return PURCHASE, fact.game, fact.issue, fact.bet, ""
        case DepositApproved() | DepositRequested() | DepositRejected():
            return DEPOSIT, 0, "", "", fact.channel
        case WithdrawalRequested():
            return WITHDRAWAL, 0, "", "", "withdrawal"
        case WithdrawalRejected():
            return WITHDRAWAL, 0, "", "", "returned"
        case GiftGranted():
            return GIFT, 0, "", "", fact.cause
        case BonusReleased():
            return GIFT, 0, "", "", "released"
        case AdjustmentApproved() | CorrectionApproved():
            return GIFT, 0, "", "", "adjustment"
        case _:
            raise TypeError(f"{TOPICS[type(fact)]} moves money, but has no statement entry")
