"""What may be asked about requests. Amounts are minor units, times microseconds since 1970."""

from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.listing import LIMIT, CursorPage, paginate, parse_cursor, rows

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
    """A deposit, withdrawal, proposed gift, adjustment or account change, and who took part.

    `position` is where it was asked for; `decided_at` and `paid_at` are 0 until then. A deposit,
    gift or adjustment ends as approved, rejected or (deposits that a limit or an exclusion forbids)
    returned, a withdrawal as paid or rejected. `amount` of an adjustment may be below zero.
    `method` is 0 bank card, 1 wallet, -1 for what is no withdrawal; `account` the payout
    account's id; `cause` why a deposit was not taken: refused, replaced, limit or excluded.
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
    """What waits for staff, oldest first; all that ever was, newest first, if not `open_only`.

    `kind` is one of those in rows.py. A ValueError for a foreign cursor.
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
    """A player's requests, newest first; a ValueError for a foreign cursor."""
    values = {"player": player, "kind": kind, "open_only": open_only, "limit": limit + 1}
    values["position"] = parse_cursor(cursor)[1]
    return _paginate(rows(connection, _OF_PLAYER, values), limit)


def approval_item(
    connection: Connection[Any], player: int, request_id: str, kind: str | None = None
) -> ApprovalItem | None:
    """A player's request with this id, the newest if it was used again."""
    found = rows(connection, _ONE, {"player": player, "id": request_id, "kind": kind})
    return ApprovalItem(*found[0]) if found else None


def find(connection: Connection[Any], request_id: str) -> tuple[ApprovalItem, ...]:
    """Whoever's requests with this id, newest first; more than one only by a client's mistake."""
    return tuple(ApprovalItem(*row) for row in rows(connection, _FIND, (request_id,)))


def ended(connection: Connection[Any], kind: str, status: str) -> list[int]:
    """The players whose requests of this kind ended with this status, in the log's order."""
    return [ApprovalItem(*row).player for row in rows(connection, _ENDED, (kind, status))]


def _paginate(found: list[tuple[Any, ...]], limit: int) -> CursorPage[ApprovalItem]:
    return paginate(
        found, limit, lambda row: ApprovalItem(*row), lambda it: (it.requested_at, it.position)
    )
