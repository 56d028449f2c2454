"""Requests that staff decide: deposits, withdrawals, gifts, corrections and account changes.

The table has one row for each, from the request to its end. The accounts read model owns it: a
statement and the requests that it refers to are then at the same position. Amounts are minor units,
times microseconds since 1970.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Connection, Cursor

from engine import lifecycle
from engine.facts import RecordedFact
from engine.lifecycle import ENDORSED, REQUESTED, STEPS, Unrequested
from engine.runtime.log.pg_arrays import integers
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import execute_rows, insert

APPROVED: Final = lifecycle.APPROVED
PAID: Final = lifecycle.PAID
REJECTED: Final = lifecycle.REJECTED

NO_METHOD: Final = -1

# An id that a client used twice makes two rows: a request is never overwritten.
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


class ApprovalRow(Struct):
    """A row of `requests`; `position` is that of the request; a time is 0 until it has come.

    The declaration of a fact (engine/lifecycle.py) sets its fields by their names; only the
    writer needs those that are missing here.
    """

    player: int
    position: int
    kind: str
    id: str
    open: int = 1
    status: str = lifecycle.REQUESTED
    amount_minor: int = 0
    channel: str = ""
    method: int = NO_METHOD
    account: str = ""
    requested_at: int = 0
    requested_by: str = ""
    endorsed_by: str = ""
    decided_at: int = 0
    decided_by: str = ""
    paid_at: int = 0
    paid_by: str = ""
    cause: str = ""
    reason_commitment: str = ""
    reference_commitment: str = ""


#: Columns that are named otherwise than their fields.
_RENAMED: Final = {"amount_minor": "amount", "requested_at": "asked_at", "requested_by": "asked_by"}
_FIELDS: Final = ApprovalRow.__struct_fields__
_TYPES: Final = "".join("t" if ApprovalRow.__annotations__[it] is str else "i" for it in _FIELDS)
_NAMES: Final = tuple(_RENAMED.get(it, it) for it in _FIELDS)
_COLUMNS: Final = ", ".join(_NAMES)
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


class ApprovalFold:
    """The open requests of the players of a page; they change as the page is applied."""

    def __init__(self, rows: Iterable[ApprovalRow]) -> None:
        self._open = {(row.player, row.kind, row.id): row for row in rows}
        self._changed: dict[int, ApprovalRow] = {}

    def take(self, player: int, it: RecordedFact) -> ApprovalRow | None:
        """Returns the request that a fact is about, as it is after the fact; None if there is none.

        Raises LookupError if the request is not open.
        """
        step = STEPS.get(type(it.fact))
        if step is None:
            return None
        key = (player, *step.item(it.fact))
        row = self._open.get(key)
        if step.status == REQUESTED or (row is None and step.unrequested is Unrequested.REQUESTS):
            row = ApprovalRow(
                player, it.position, *key[1:], requested_at=it.at, requested_by=it.actor
            )
            self._open[key] = row
        if row is None:
            if step.unrequested is Unrequested.NO_ITEM:
                return None
            raise LookupError(f"player {player} has no open {key[1]} {key[2]}")
        for name, value in step.changes(it.fact, it.actor).items():
            if name in _FIELDS:
                setattr(row, name, value)
        if step.status != ENDORSED:
            setattr(row, f"{step.role}_at", it.at)
        self._changed[row.position] = row
        if step.closes:
            row.open = 0
            del self._open[key]
        return row

    def save(self, cursor: Cursor[Any]) -> None:
        """Write the changes."""
        execute_rows(cursor, _SAVE, _TYPES, [astuple(row) for row in self._changed.values()])


def load(cursor: Cursor[Any], page: Iterable[tuple[int, RecordedFact]]) -> ApprovalFold:
    """Load the open requests of all players who have facts about requests in the page."""
    players = {player for player, it in page if type(it.fact) in STEPS}
    if not players:
        return ApprovalFold(())
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return ApprovalFold(ApprovalRow(*row) for row in rows)


_ALL = (
    f"SELECT {', '.join('open = 1' if it == 'open' else it for it in _NAMES)} FROM views.requests"
)
_OPEN = (
    f"{_ALL} WHERE open = 1 AND position > %(position)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s) ORDER BY position LIMIT %(limit)s"
)
_EVERY = (
    f"{_ALL} WHERE position < %(position)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s) ORDER BY position DESC LIMIT %(limit)s"
)
_OF_PLAYER = (
    f"{_ALL} WHERE player = %(player)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    f" AND (NOT %(open_only)s OR open = 1) ORDER BY position DESC LIMIT {LIMIT}"
)
_ENDED = f"{_ALL} WHERE kind = %s AND status = %s ORDER BY position"
_FIND = f"{_ALL} WHERE id = %s ORDER BY position DESC LIMIT {LIMIT}"


class ApprovalItem(Struct, frozen=True, gc=False):
    """A deposit, withdrawal, proposed gift, adjustment or account change, and its approvers.

    `position` is that of the request; `decided_at` and `paid_at` are 0 until then. A deposit, gift
    or adjustment ends as approved, rejected or returned (deposits that a limit or an exclusion
    forbids); a withdrawal ends as paid or rejected. `amount` of an adjustment may be below zero.
    `method` is 0 bank card, 1 wallet, -1 if it is not a withdrawal; `account` is the payout
    account's id; `cause` says why a deposit was not credited: refused, replaced, limit or excluded.
    """

    player: int
    position: int
    kind: str
    id: str
    open: bool
    status: str
    amount: int
    channel: str
    method: int
    account: str
    requested_at: int
    requested_by: str
    endorsed_by: str
    decided_at: int
    decided_by: str
    paid_at: int
    paid_by: str
    cause: str
    reason_commitment: str
    reference_commitment: str


def queue(
    connection: Connection[Any],
    kind: str | None = None,
    *,
    open_only: bool = True,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ApprovalItem]:
    """Returns the requests that wait for staff, oldest first.

    If not `open_only`, returns all requests, newest first. engine/lifecycle.py has the kinds.
    Raises ValueError if the cursor is invalid.
    """
    position = 0 if open_only and cursor is None else parse_cursor(cursor)[1]
    values = {"kind": kind, "position": position, "limit": limit + 1}
    found = fetch_rows(connection, _OPEN if open_only else _EVERY, values)
    return paginate(
        found, limit, lambda row: ApprovalItem(*row), lambda it: (it.requested_at, it.position)
    )


def of_player(
    connection: Connection[Any], player: int, kind: str | None = None, *, open_only: bool = False
) -> tuple[ApprovalItem, ...]:
    """Returns a player's newest requests, newest first."""
    values = {"player": player, "kind": kind, "open_only": open_only}
    return tuple(ApprovalItem(*row) for row in fetch_rows(connection, _OF_PLAYER, values))


def find(connection: Connection[Any], request_id: str) -> tuple[ApprovalItem, ...]:
    """Returns all players' requests with this id, newest first.

    There is more than one only if clients reused an id by mistake.
    """
    return tuple(ApprovalItem(*row) for row in fetch_rows(connection, _FIND, (request_id,)))


def ended(connection: Connection[Any], kind: str, status: str) -> list[int]:
    """Returns the players whose requests of this kind ended with this status, in log order."""
    return [ApprovalItem(*row).player for row in fetch_rows(connection, _ENDED, (kind, status))]
