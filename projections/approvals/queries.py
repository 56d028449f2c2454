"""Queries on requests. Amounts are minor units, times microseconds since 1970."""

from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_ALL = (
    "SELECT player, position, kind, id, open = 1, status, amount, channel, method, account,"
    " asked_at, asked_by, endorsed_by, decided_at, decided_by, paid_at, paid_by, cause,"
    " reason_commitment, reference_commitment FROM views.requests"
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
    f"{_ALL} WHERE player = %(player)s AND position < %(position)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    " AND (NOT %(open_only)s OR open = 1) ORDER BY position DESC LIMIT %(limit)s"
)
_ONE = (
    f"{_ALL} WHERE player = %(player)s AND id = %(id)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s) ORDER BY position DESC LIMIT 1"
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
    return _paginate(rows(connection, _OPEN if open_only else _EVERY, values), limit)


def of_player(
    connection: Connection[Any],
    player: int,
    kind: str | None = None,
    *,
    open_only: bool = False,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ApprovalItem]:
    """Returns a player's requests, newest first; raises ValueError if the cursor is invalid."""
    values = {"player": player, "kind": kind, "open_only": open_only, "limit": limit + 1}
    values["position"] = parse_cursor(cursor)[1]
    return _paginate(rows(connection, _OF_PLAYER, values), limit)


def approval_item(
    connection: Connection[Any], player: int, request_id: str, kind: str | None = None
) -> ApprovalItem | None:
    """Returns a player's request with this id, the newest if the id was reused."""
    found = rows(connection, _ONE, {"player": player, "id": request_id, "kind": kind})
    return ApprovalItem(*found[0]) if found else None


def find(connection: Connection[Any], request_id: str) -> tuple[ApprovalItem, ...]:
    """Returns all players' requests with this id, newest first.

    There is more than one only if clients reused an id by mistake.
    """
    return tuple(ApprovalItem(*row) for row in rows(connection, _FIND, (request_id,)))


def ended(connection: Connection[Any], kind: str, status: str) -> list[int]:
    """Returns the players whose requests of this kind ended with this status, in log order."""
    return [ApprovalItem(*row).player for row in rows(connection, _ENDED, (kind, status))]


def _paginate(found: list[tuple[Any, ...]], limit: int) -> CursorPage[ApprovalItem]:
    return paginate(
        found, limit, lambda row: ApprovalItem(*row), lambda it: (it.requested_at, it.position)
    )
