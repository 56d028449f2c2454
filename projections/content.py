"""The read model of content and of every member's inbox.

Content is what was published to all members, or sent to one. There is one row for everything ever
published or sent: its current state, and who last changed it. The texts are stored elsewhere. A
fact has the hash of published content, or a commitment to a message to one member; these are the
keys to the texts.

An inbox has content for all members, messages of staff to the member, and notifications. A
notification is generated: one for each decision on a member's money, security code or password.
Each item has its own position in the log. Amounts are minor units, times microseconds since 1970.
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
from engine.house.published_content import ContentPublished, ContentWithdrawn
from engine.players.facts import MessageSent, MessageWithdrawn, PasswordReset, SecurityCodeLifted
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import execute_rows, filter_kinds, insert

MESSAGE: Final = "message"
ALL_PLAYERS: Final = 0
_KINDS: Final = frozenset({ContentPublished, ContentWithdrawn, MessageSent, MessageWithdrawn})
_COLUMNS: Final = "id, player, kind, digest, position, at, changed_at, changed_by, shown"
_TYPES: Final = "tittiiiti"
_SCHEMA: Final = """
CREATE TABLE contents (
    id text COLLATE "C" PRIMARY KEY,
    player bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    position bigint NOT NULL,
    at bigint NOT NULL,
    changed_at bigint NOT NULL,
    changed_by text NOT NULL,
    shown smallint NOT NULL
);
CREATE INDEX contents_kind ON contents (player, kind, position);
"""
_SAVE: Final = insert(
    "contents",
    _COLUMNS,
    then="ON CONFLICT (id) DO UPDATE SET digest = excluded.digest,"
    " changed_at = excluded.changed_at, changed_by = excluded.changed_by, shown = excluded.shown",
)
_LOAD: Final = f"SELECT {_COLUMNS} FROM contents WHERE id = ANY(%s)"
_Row = tuple[Any, ...]
_NOTES_SCHEMA: Final = """
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


class ContentProjection:
    """The read model."""

    name = "contents"
    version = 1
    tables = ("contents", "money_notes")
    schema = _SCHEMA + _NOTES_SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError if what was withdrawn was never published."""
        _apply_notes(cursor, page)
        facts = filter_kinds(page, _KINDS)
        if facts:
            _apply_contents(cursor, facts)


def _apply_contents(cursor: Cursor[Any], facts: Sequence[RecordedFact]) -> None:
    rows = _load(cursor, facts)
    for it in facts:
        row = _row(it, rows)
        rows[row[0]] = row
    execute_rows(cursor, _SAVE, _TYPES, list(rows.values()))


def _load(cursor: Cursor[Any], facts: Sequence[RecordedFact]) -> dict[str, _Row]:
    gone = [
        fact.content if isinstance(fact, ContentWithdrawn) else fact.message
        for it in facts
        if isinstance(fact := it.fact, ContentWithdrawn | MessageWithdrawn)
    ]
    found = cursor.execute(_LOAD, (gone,)).fetchall() if gone else []
    return {row[0]: tuple(row) for row in found}


def _row(it: RecordedFact, rows: dict[str, _Row]) -> _Row:
    fact = it.fact
    match fact:
        case ContentPublished():
            first = (fact.content, ALL_PLAYERS, fact.kind, fact.digest)
            return (*first, *_since(rows.get(fact.content), it), it.at, fact.by, 1)
        case MessageSent():
            first = (fact.message, player_of(it.stream), MESSAGE, fact.commitment)
            return (*first, *_since(rows.get(fact.message), it), it.at, fact.by, 1)
        case ContentWithdrawn(content=gone) | MessageWithdrawn(message=gone):
            existing = rows.get(gone)
            if existing is None:
                raise LookupError(f"{gone} was never published")
            return (*existing[:6], it.at, fact.by, 0)
        case _:
            raise TypeError(fact)


def _since(existing: _Row | None, it: RecordedFact) -> tuple[int, int]:
    """Returns position and time of the first publication; an existing row keeps its own."""
    return (existing[4], existing[5]) if existing else (it.position, it.at)


_ALL = (
    "SELECT id, player, kind, digest, position, at, changed_at, changed_by, shown = 1"
    " FROM views.contents"
)
_SHOWN = (
    f"{_ALL} WHERE player = 0 AND kind = ANY(%s) AND shown = 1 ORDER BY position DESC LIMIT {LIMIT}"
)
_EVERY = (
    f"{_ALL} WHERE position < %(position)s AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    " ORDER BY position DESC LIMIT %(limit)s"
)
_ONE = f"{_ALL} WHERE id = %s"


class ContentRow(Struct, frozen=True, gc=False):
    """Content published to all (`player` 0) or sent to one member; `digest` is the key of its text.

    `at` and `position` are those of the first publication, `changed_*` those of the last change.
    """

    id: str
    player: int
    kind: str
    digest: str
    position: int
    at: int
    changed_at: int
    changed_by: str
    shown: bool


def shown(connection: Connection[Any], kinds: Sequence[str]) -> tuple[ContentRow, ...]:
    """Returns the visible content of these kinds for all members, newest first."""
    return tuple(ContentRow(*row) for row in fetch_rows(connection, _SHOWN, (list(kinds),)))


def all_content(
    connection: Connection[Any], kind: str | None = None, cursor: str | None = None
) -> CursorPage[ContentRow]:
    """Returns everything, withdrawn content and messages to one member included, newest first.

    Raises ValueError if the cursor is invalid.
    """
    values = {"kind": kind, "position": parse_cursor(cursor)[1], "limit": LIMIT + 1}
    found = fetch_rows(connection, _EVERY, values)
    return paginate(found, LIMIT, lambda row: ContentRow(*row), lambda it: (it.at, it.position))


def find_content(connection: Connection[Any], content_id: str) -> ContentRow | None:
    """Returns the content published under this id, even if it was withdrawn."""
    found = fetch_rows(connection, _ONE, (content_id,))
    return ContentRow(*found[0]) if found else None


_REFUSED: Final = "refused"
_REPLACED: Final = "replaced"
_PLAY_MONEY: Final = "demo"
_NOTE_KINDS: Final = frozenset(
    {
        *(DepositApproved, DepositRejected, WithdrawalApproved, WithdrawalPaid),
        *(WithdrawalRejected, GiftGranted, AdjustmentApproved, SecurityCodeLifted),
        *(CorrectionApproved, PasswordReset),
    }
)
_SAVE_NOTE: Final = insert("money_notes", "player, position, at, kind, amount, request")
_NOTE_TYPES: Final = "iiitit"


def _apply_notes(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Add the notifications of a page."""
    notifications = map(_notification, filter_kinds(page, _NOTE_KINDS))
    execute_rows(cursor, _SAVE_NOTE, _NOTE_TYPES, [row for row in notifications if row])


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


_INBOX_PAGE: Final = 50
_INBOX: Final = (
    "(SELECT position, at, id, kind, digest, player, 0::bigint AS amount, '' AS request"
    " FROM views.contents WHERE player IN (0, %(player)s) AND shown = 1"
    " AND kind IN ('announcement', 'message')"
    " UNION ALL SELECT position, at, 'note-' || position, kind, '', player, amount, request"
    " FROM views.money_notes WHERE player = %(player)s) AS inbox"
)
_MESSAGES: Final = (
    f"SELECT * FROM {_INBOX} WHERE position < %(position)s ORDER BY position DESC LIMIT %(limit)s"
)
_ONE_MESSAGE: Final = f"SELECT * FROM {_INBOX} WHERE id = %(id)s"
_NEWEST_MESSAGE: Final = f"SELECT coalesce(max(position), 0) FROM {_INBOX}"
_UNREAD_MESSAGES: Final = (
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
    connection: Connection[Any], player: int, cursor: str | None = None
) -> CursorPage[InboxRow]:
    """Returns a member's messages, newest first; raises ValueError if the cursor is invalid."""
    values = {"player": player, "position": parse_cursor(cursor)[1], "limit": _INBOX_PAGE + 1}
    found = fetch_rows(connection, _MESSAGES, values)
    return paginate(found, _INBOX_PAGE, lambda row: InboxRow(*row), lambda it: (it.at, it.position))


def message(connection: Connection[Any], player: int, message_id: str) -> InboxRow | None:
    """Returns a message of the member; None if it is another member's or does not exist."""
    found = fetch_rows(connection, _ONE_MESSAGE, {"player": player, "id": message_id})
    return InboxRow(*found[0]) if found else None


def newest_message(connection: Connection[Any], player: int) -> int:
    """Returns the position of the member's newest message, 0 without any."""
    position: int = fetch_rows(connection, _NEWEST_MESSAGE, {"player": player})[0][0]
    return position


def unread_messages(
    connection: Connection[Any], player: int, until: int, read: Collection[str]
) -> int:
    """Returns the number of messages after a position that are not among those read."""
    values = {"player": player, "until": until, "read": list(read)}
    count: int = fetch_rows(connection, _UNREAD_MESSAGES, values)[0][0]
    return count
