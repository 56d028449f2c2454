"""A member's inbox: messages to all members, messages of staff to them, money notifications.

Each has its own position in the log. Amounts are minor units, times microseconds since 1970.
"""

from collections.abc import Collection
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection

from projections.pagination import CursorPage, paginate, parse_cursor, rows

PAGE: Final = 50
_ALL: Final = (
    "(SELECT position, at, id, kind, digest, player, 0::bigint AS amount, '' AS request"
    " FROM views.contents WHERE player IN (0, %(player)s) AND shown = 1"
    " AND kind IN ('announcement', 'message')"
    " UNION ALL SELECT position, at, 'note-' || position, kind, '', player, amount, request"
    " FROM views.money_notes WHERE player = %(player)s) AS inbox"
)
_PAGE: Final = (
    f"SELECT * FROM {_ALL} WHERE position < %(position)s ORDER BY position DESC LIMIT %(limit)s"
)
_ONE: Final = f"SELECT * FROM {_ALL} WHERE id = %(id)s"
_NEWEST: Final = f"SELECT coalesce(max(position), 0) FROM {_ALL}"
_UNREAD: Final = (
    f"SELECT count(*) FROM {_ALL} WHERE position > %(until)s AND NOT id = ANY(%(read)s)"
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
    found = rows(connection, _PAGE, values)
    return paginate(found, limit, lambda row: InboxRow(*row), lambda it: (it.at, it.position))


def message(connection: Connection[Any], player: int, message_id: str) -> InboxRow | None:
    """Returns a message of the member; None if it is another member's or does not exist."""
    found = rows(connection, _ONE, {"player": player, "id": message_id})
    return InboxRow(*found[0]) if found else None


def newest(connection: Connection[Any], player: int) -> int:
    """Returns the position of the member's newest message, 0 without any."""
    position: int = rows(connection, _NEWEST, {"player": player})[0][0]
    return position


def unread(connection: Connection[Any], player: int, until: int, read: Collection[str]) -> int:
    """Returns the number of messages after a position that are not among those read."""
    values = {"player": player, "until": until, "read": list(read)}
    count: int = rows(connection, _UNREAD, values)[0][0]
    return count
