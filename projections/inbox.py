"""A member's inbox: content for all members, messages of staff to them, and notifications.

A notification is generated: one for each decision on a member's money or security code. Each item
has its own position in the log. The content read model owns the table. Amounts are minor units,
times microseconds since 1970.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.cashier.facts import (
    AdjustmentApproved,
    CorrectionApproved,
    DepositApproved,
    DepositRejected,
    GiftGranted,
    WithdrawalApproved,
    WithdrawalPaid,
    WithdrawalRejected,
)
from engine.facts import RecordedFact, player_of
from engine.players.facts import PasswordReset, SecurityCodeLifted
from projections.pagination import CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import execute_rows, filter_kinds, insert

PAGE: Final = 50
_REFUSED: Final = "refused"
_REPLACED: Final = "replaced"
_PLAY_MONEY: Final = "demo"
_KINDS: Final = frozenset(
    {
        *(DepositApproved, DepositRejected, WithdrawalApproved, WithdrawalPaid),
        *(WithdrawalRejected, GiftGranted, AdjustmentApproved, SecurityCodeLifted),
        *(CorrectionApproved, PasswordReset),
    }
)
SCHEMA: Final = """
CREATE TABLE money_notes (
    player bigint,
    position bigint,
    at bigint NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    request text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, position)
);
"""
_SAVE: Final = insert("money_notes", "player, position, at, kind, amount, request")
_TYPES: Final = "iiitit"


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Add the notifications of a page."""
    notifications = map(_notification, filter_kinds(page, _KINDS))
    execute_rows(cursor, _SAVE, _TYPES, [row for row in notifications if row])


def _notification(it: RecordedFact) -> tuple[Any, ...] | None:
    """Returns the row for this fact; None if it needs no notification.

    `amount` is in minor units, 0 where the fact has none.
    """
    fields = _fields_of(it.fact)
    return None if fields is None else (player_of(it.stream), it.position, it.at, *fields)


def _fields_of(fact: object) -> tuple[str, int, str] | None:
    match fact:
        case DepositApproved(channel=channel):
            fields = ("deposit_approved", fact.amount_minor, fact.deposit)
            return None if channel == _PLAY_MONEY else fields
        case DepositRejected(cause=cause) if cause == _REPLACED:
            return None
        case DepositRejected(cause=cause):
            kind = "deposit_rejected" if cause == _REFUSED else "deposit_returned"
            return kind, fact.amount_minor, fact.deposit
        case WithdrawalApproved():
            return "withdrawal_approved", 0, fact.withdrawal
        case WithdrawalPaid():
            return "withdrawal_paid", fact.amount_minor, fact.withdrawal
        case WithdrawalRejected():
            return "withdrawal_rejected", fact.amount_minor, fact.withdrawal
        case GiftGranted():
            return "gift_granted", fact.amount_minor, fact.gift
        case AdjustmentApproved() | CorrectionApproved():
            return "adjustment_approved", fact.amount_minor, fact.adjustment
        case SecurityCodeLifted():
            return "security_code_lifted", 0, ""
        case PasswordReset():
            return "password_reset", 0, ""
        case _:
            return None


_INBOX: Final = (
    "(SELECT position, at, id, kind, digest, player, 0::bigint AS amount, '' AS request"
    " FROM views.contents WHERE player IN (0, %(player)s) AND shown = 1"
    " AND kind IN ('announcement', 'message')"
    " UNION ALL SELECT position, at, 'note-' || position, kind, '', player, amount, request"
    " FROM views.money_notes WHERE player = %(player)s) AS inbox"
)
_PAGE: Final = (
    f"SELECT * FROM {_INBOX} WHERE position < %(position)s ORDER BY position DESC LIMIT %(limit)s"
)
_ONE: Final = f"SELECT * FROM {_INBOX} WHERE id = %(id)s"
_NEWEST: Final = f"SELECT coalesce(max(position), 0) FROM {_INBOX}"
_UNREAD: Final = (
    f"SELECT count(*) FROM {_INBOX} WHERE position > %(until)s AND NOT id = ANY(%(read)s)"
)


class InboxRow(Struct, frozen=True, gc=False):
    """A message; `digest` is the key of the text of one to all members (`player` 0).

    The vault has the text of a message from staff to the member under `id`. A notification about
    the member's money has no text: `kind` says what happened, to which `request`, and for which
    `amount`.
    """

    position: int
    at: int
    id: str
    kind: str
    digest: str
    player: int
    amount: int
    request: str

    @property
    def is_notification(self) -> bool:
        """Whether the server generated it, so that it has no author."""
        return not self.digest


def messages(
    connection: Connection[Any], player: int, cursor: str | None = None, limit: int = PAGE
) -> CursorPage[InboxRow]:
    """Returns a member's messages, newest first; raises ValueError if the cursor is invalid."""
    values = {"player": player, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = fetch_rows(connection, _PAGE, values)
    return paginate(found, limit, lambda row: InboxRow(*row), lambda it: (it.at, it.position))


def message(connection: Connection[Any], player: int, message_id: str) -> InboxRow | None:
    """Returns a message of the member; None if it is another member's or does not exist."""
    found = fetch_rows(connection, _ONE, {"player": player, "id": message_id})
    return InboxRow(*found[0]) if found else None


def newest(connection: Connection[Any], player: int) -> int:
    """Returns the position of the member's newest message, 0 without any."""
    position: int = fetch_rows(connection, _NEWEST, {"player": player})[0][0]
    return position


def unread(connection: Connection[Any], player: int, until: int, read: Collection[str]) -> int:
    """Returns the number of messages after a position that are not among those read."""
    values = {"player": player, "until": until, "read": list(read)}
    count: int = fetch_rows(connection, _UNREAD, values)[0][0]
    return count
