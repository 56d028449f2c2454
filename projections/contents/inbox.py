"""A member's messages: what everybody is told, what staff told them, what became of their money.

Each stands at its own position of the log. Amounts are minor units, times microseconds since 1970.
"""

from collections.abc import Collection
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection

from projections.listing import CursorPage, paginate, parse_cursor, rows

PAGE: Final = 50
_ALL: Final = (
    "(SELECT position, at, id, kind, digest, player, 0::bigint AS amount, '' AS request"
    " FROM views.contents WHERE player IN (0, %(player)s) AND shown = 1"
    " AND kind IN ('announcement', 'message')"
    " UNION ALL SELECT position, at, 'note-' || position, kind, '', player, amount, request"
    " FROM views.money_notes WHERE player = %(player)s) AS told"
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
    """A message; `digest` finds the words of what everybody is told (`player` 0).

    Those of staff to the member are in the vault under `id`. What became of the member's money
    has no words: `kind` says what happened, to which `request`, and about which `amount`.
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
        """Whether nobody wrote it."""
        return not self.digest


def messages(
    connection: Connection[Any], player: int, cursor: str | None = None, limit: int = PAGE
) -> CursorPage[InboxRow]:
    """A member's messages, newest first; a ValueError for a foreign cursor."""
    values = {"player": player, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = rows(connection, _PAGE, values)
    return paginate(found, limit, lambda row: InboxRow(*row), lambda it: (it.at, it.position))


def message(connection: Connection[Any], player: int, message_id: str) -> InboxRow | None:
    """A message of the member's; None for another's, as for one that there is not."""
    found = rows(connection, _ONE, {"player": player, "id": message_id})
    return InboxRow(*found[0]) if found else None


def newest(connection: Connection[Any], player: int) -> int:
    """The position of the member's newest message, 0 without any."""
    position: int = rows(connection, _NEWEST, {"player": player})[0][0]
    return position


def unread(connection: Connection[Any], player: int, until: int, read: Collection[str]) -> int:
    """How many messages stand behind a position and are not among those read."""
    values = {"player": player, "until": until, "read": list(read)}
    count: int = rows(connection, _UNREAD, values)[0][0]
    return count
