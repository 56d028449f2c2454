"""One row a request, and how facts change it. The accounts' model keeps the table.

A statement and the requests that it tells of are never at different positions that way.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import Recorded
from engine.players.money_facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.runtime.arrays import integers
from projections.columns import insert, write

DEPOSIT: Final = "deposit"
WITHDRAWAL: Final = "withdrawal"
ADJUSTMENT: Final = "adjustment"

REQUESTED: Final = "requested"
ENDORSED: Final = "endorsed"
APPROVED: Final = "approved"
PAID: Final = "paid"
REJECTED: Final = "rejected"
RETURNED: Final = "returned"

NO_METHOD: Final = -1
_REFUSED: Final = "refused"

# An id that a client used twice makes two rows: what was asked for is never written over.
SCHEMA: Final = """
CREATE TABLE requests (
    player bigint,
    position bigint,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    open smallint NOT NULL,
    status text NOT NULL,
    amount bigint NOT NULL,
    channel text NOT NULL,
    method smallint NOT NULL,
    account text NOT NULL,
    asked_at bigint NOT NULL,
    asked_by text NOT NULL,
    endorsed_by text NOT NULL,
    decided_at bigint NOT NULL,
    decided_by text NOT NULL,
    paid_at bigint NOT NULL,
    paid_by text NOT NULL,
    cause text NOT NULL,
    reason_commitment text NOT NULL,
    reference_commitment text NOT NULL,
    PRIMARY KEY (player, position)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX requests_position ON requests (position);
CREATE INDEX requests_id ON requests (id);
CREATE INDEX requests_open ON requests (position) WHERE open = 1;
CREATE INDEX requests_open_player ON requests (player) WHERE open = 1;
"""
_TYPES: Final = "iittitititittititttt"
_COLUMNS: Final = (
    "player, position, kind, id, open, status, amount, channel, method, account, asked_at,"
    " asked_by, endorsed_by, decided_at, decided_by, paid_at, paid_by, cause, reason_commitment,"
    " reference_commitment"
)
_LOAD: Final = f"SELECT {_COLUMNS} FROM requests WHERE open = 1 AND player = ANY(%s)"
_CHANGED: Final = (
    *("open", "status", "channel", "endorsed_by", "decided_at", "decided_by", "paid_at"),
    *("paid_by", "cause", "reason_commitment", "reference_commitment"),
)
_SAVE: Final = insert(
    "requests",
    _COLUMNS,
    then="ON CONFLICT (player, position) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _CHANGED),
)

DepositFact = DepositRequested | DepositEndorsed | DepositApproved | DepositRejected
WithdrawalFact = (
    WithdrawalRequested
    | WithdrawalEndorsed
    | WithdrawalApproved
    | WithdrawalPaid
    | WithdrawalRejected
)
AdjustmentFact = AdjustmentProposed | AdjustmentApproved | AdjustmentRejected
RequestFact = DepositFact | WithdrawalFact | AdjustmentFact


class Row(Struct):
    """A row of `requests`; `position` is where it was asked for, 0 a time that has not come."""

    player: int
    position: int
    kind: str
    id: str
    open: int
    status: str
    amount: int
    channel: str
    method: int
    account: str
    asked_at: int
    asked_by: str
    endorsed_by: str = ""
    decided_at: int = 0
    decided_by: str = ""
    paid_at: int = 0
    paid_by: str = ""
    cause: str = ""
    reason_commitment: str = ""
    reference_commitment: str = ""

    def ends(self, status: str) -> None:
        """Nothing more is to happen to it."""
        self.status, self.open = status, 0

    def decided(self, it: Recorded, by: str) -> None:
        """Somebody decided it; without a name it is whoever the command came from."""
        self.decided_at, self.decided_by = it.at, by or it.actor


class Requests:
    """The open requests of the players of a page, as they change along it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._open = {(row.player, row.kind, row.id): row for row in rows}
        self._changed: dict[int, Row] = {}

    def take(self, player: int, it: Recorded) -> Row | None:
        """The request that a fact is about, after it; None if it is about none.

        A LookupError for a fact about a request that is not open.
        """
        fact = it.fact
        if isinstance(fact, DepositFact):
            row = self._deposit(player, it, fact)
        elif isinstance(fact, WithdrawalFact):
            row = self._withdrawal(player, it, fact)
        elif isinstance(fact, AdjustmentFact):
            row = self._adjustment(player, it, fact)
        else:
            return None
        self._changed[row.position] = row
        if not row.open:
            self._open.pop((row.player, row.kind, row.id), None)
        return row

    def _asked(self, row: Row) -> Row:
        self._open[row.player, row.kind, row.id] = row
        return row

    def _known(self, player: int, kind: str, request: str) -> Row:
        row = self._open.get((player, kind, request))
        if row is None:
            raise LookupError(f"player {player} has no open {kind} {request}")
        return row

    def _deposit(self, player: int, it: Recorded, fact: DepositFact) -> Row:
        if isinstance(fact, DepositRequested):
            return self._asked(_deposit(player, it, fact))
        if isinstance(fact, DepositEndorsed):
            row = self._known(player, DEPOSIT, fact.deposit)
            row.status, row.endorsed_by = ENDORSED, fact.by
            return row
        # Staff may enter money that nobody announced: asked for and decided in one.
        row = self._open.get((player, DEPOSIT, fact.deposit)) or _deposit(player, it, fact)
        row.decided(it, "")
        if isinstance(fact, DepositApproved):
            row.ends(APPROVED)
            row.reference_commitment = fact.reference_commitment
        else:
            row.ends(REJECTED if fact.cause == _REFUSED else RETURNED)
            row.cause, row.reason_commitment = fact.cause, fact.reason_commitment
        return row

    def _withdrawal(self, player: int, it: Recorded, fact: WithdrawalFact) -> Row:
        if isinstance(fact, WithdrawalRequested):
            return self._asked(_withdrawal(player, it, fact))
        row = self._known(player, WITHDRAWAL, fact.withdrawal)
        match fact:
            case WithdrawalEndorsed(by=by):
                row.status, row.endorsed_by = ENDORSED, by
            case WithdrawalApproved(by=by):
                row.status = APPROVED
                row.decided(it, by)
            case WithdrawalPaid(channel=channel, reference_commitment=reference):
                row.ends(PAID)
                row.channel, row.reference_commitment = channel, reference
                row.paid_at, row.paid_by = it.at, it.actor
            case WithdrawalRejected(reason_commitment=reason):
                row.ends(REJECTED)
                row.decided(it, "")
                row.reason_commitment = reason
        return row

    def _adjustment(self, player: int, it: Recorded, fact: AdjustmentFact) -> Row:
        if isinstance(fact, AdjustmentProposed):
            return self._asked(_adjustment(player, it, fact))
        row = self._known(player, ADJUSTMENT, fact.adjustment)
        row.decided(it, fact.by)
        row.ends(APPROVED if isinstance(fact, AdjustmentApproved) else REJECTED)
        return row

    def save(self, cursor: Cursor[Any]) -> None:
        """Write what changed."""
        write(cursor, _SAVE, _TYPES, [astuple(row) for row in self._changed.values()])


def load(cursor: Cursor[Any], page: Iterable[tuple[int, Recorded]]) -> Requests:
    """The open requests of all players about whose requests a page tells something."""
    players = {player for player, it in page if isinstance(it.fact, RequestFact)}
    if not players:
        return Requests(())
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return Requests(Row(*row) for row in rows)


def _deposit(
    player: int, it: Recorded, fact: DepositRequested | DepositApproved | DepositRejected
) -> Row:
    row = _row(player, it, DEPOSIT, fact.deposit, fact.amount_minor)
    row.channel = fact.channel
    if isinstance(fact, DepositRequested):
        row.reference_commitment = fact.reference_commitment
    return row


def _withdrawal(player: int, it: Recorded, fact: WithdrawalRequested) -> Row:
    row = _row(player, it, WITHDRAWAL, fact.withdrawal, fact.amount_minor)
    row.method, row.account = fact.method, fact.account
    return row


def _adjustment(player: int, it: Recorded, fact: AdjustmentProposed) -> Row:
    row = _row(player, it, ADJUSTMENT, fact.adjustment, fact.amount_minor)
    row.asked_by, row.reason_commitment = fact.by, fact.reason_commitment
    return row


def _row(player: int, it: Recorded, kind: str, request: str, amount_minor: int) -> Row:
    return Row(
        player, it.position, kind, request, 1, REQUESTED, amount_minor, "", NO_METHOD, "",
        it.at, it.actor,
    )  # fmt: skip
