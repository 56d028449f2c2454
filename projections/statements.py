"""The statements of all players: their entries, and how they read with the requests behind them.

An entry is written once and never changed, with one exception. A requested deposit has an entry
that changes no balance. On approval that entry is replaced by one at the position of the credit, so
that the balances of consecutive entries agree. The status of a request is joined to its entry at
query time and never stored in it. The accounts read model owns the table. Amounts are minor units,
times microseconds since 1970.
"""

from typing import Any, Final, Protocol

from msgspec import Struct
from psycopg import Connection, Cursor

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
from projections.approvals import ApprovalRow
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import copy, copy_rows, unnest_select

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
        self,
        it: RecordedFact,
        now: PlayerBalance,
        was: tuple[int, int],
        request: ApprovalRow | None,
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


def _is_notice(it: RecordedFact, request: ApprovalRow | None) -> bool:
    """Whether the fact is the first one about a deposit and credits no money."""
    first = request is not None and request.position == it.position
    return first and isinstance(it.fact, DepositRequested | DepositRejected)


def _entry(
    it: RecordedFact, now: PlayerBalance, was: tuple[int, int], request: ApprovalRow | None
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


# A deposit keeps one id from its notice on; a withdrawal's return is a separate row.
_STATEMENT = (
    "SELECT CASE WHEN type = 0 AND asked > 0 THEN asked ELSE position END, player, type,"
    " CASE WHEN request IS NULL OR (type = 1 AND position <> asked) THEN 1 WHEN open = 1 THEN 0"
    " WHEN request_status IN ('approved', 'paid') THEN 1 ELSE 2 END,"
    " amount, bonus, before, after, version, at,"
    " actor, position, command_id, topic, game, issue, bet, detail, reference,"
    " CASE WHEN request IS NULL THEN actor ELSE coalesce(nullif(paid_by, ''), decided_by) END,"
    " CASE WHEN kind IN ('adjustment', 'gift') THEN asked_by ELSE coalesce(endorsed_by, '') END,"
    " coalesce(nullif(reason, ''), reason_commitment)"
    " FROM (SELECT * FROM views.entries WHERE player = %(player)s"
    " AND at >= %(since)s AND at < %(until)s AND (at, position) < (%(at)s, %(position)s)"
    " AND (%(kind)s::int IS NULL OR type = %(kind)s)"
    " ORDER BY at DESC, position DESC LIMIT %(limit)s) AS page"
    " LEFT JOIN (SELECT player AS whose, position AS request, kind, open,"
    " status AS request_status, asked_by, endorsed_by, decided_by, paid_by,"
    " reason_commitment AS reason FROM views.requests) AS requests"
    " ON asked > 0 AND whose = player AND request = asked"
    " ORDER BY page.at DESC, page.position DESC"
)


class Entry(Struct, frozen=True, gc=False):
    """A row of a statement: a change of a player's money, or a requested deposit.

    `type` is 0 deposit, 1 withdrawal, 2 purchase, 3 profit, 4 gift; `status` 0 pending, 1 passed, 2
    rejected. In rows that change money `after = before + amount - bonus`, all available money;
    `bonus` is the part of `amount` that is bonus money. A deposit changes nothing (`before` is
    `after`) until it has passed. A withdrawal changes the balance when it is requested; if it is
    rejected, a positive row returns the amount. The `amount` of released bonus money is 0.

    `at` is when the row took effect. `detail` is a deposit's channel, a purchase's kind, the sum
    drawn, or what else the row is for ("" for a recalled or voided bet). `reference` is the id of
    the deposit, withdrawal, gift or adjustment. `actor` caused the row; `handler` decided or paid
    last ("" if no one has yet); `endorsed_by` is the other of two approvers. `reason` is the
    commitment to their text.
    """

    id: int
    player: int
    type: int
    status: int
    amount: int
    bonus: int
    before: int
    after: int
    version: int
    at: int
    actor: str
    position: int
    command_id: str
    topic: str
    game: int
    issue: str
    bet: str
    detail: str
    reference: str
    handler: str
    endorsed_by: str
    reason: str

    @property
    def moved(self) -> int:
        """The change of the player's money; these sum to available plus bonus."""
        return self.after - self.before + self.bonus


def statement(
    connection: Connection[Any],
    player: int,
    since: int,
    until: int,
    *,
    kind: int | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[Entry]:
    """Returns a player's entries in [since, until), newest first.

    Raises ValueError if the cursor is invalid.
    """
    at, position = parse_cursor(cursor)
    values = {"player": player, "since": since, "until": until, "kind": kind}
    values |= {"at": at, "position": position, "limit": limit + 1}
    found = fetch_rows(connection, _STATEMENT, values)
    return paginate(found, limit, lambda row: Entry(*row), lambda it: (it.at, it.position))
