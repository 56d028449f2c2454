"""What was published or sent, and the notifications about a member's money.

There is one row for everything ever published or sent: its current state, and who last changed it.
The texts are stored elsewhere. A fact has the hash of published content, or a commitment to a
message to one member; these are the keys to the texts.

Notifications are generated: one row per decision on a member's money or security code.
"""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Cursor

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
from engine.content.published_content import ContentPublished, ContentWithdrawn
from engine.facts import RecordedFact, player_of
from engine.players.facts import MessageSent, MessageWithdrawn, PasswordReset, SecurityCodeLifted
from projections.runner.bulk_sql import execute_rows, insert
from projections.runner.projection import filter_kinds

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
_SAVE_NOTES: Final = insert("money_notes", "player, position, at, kind, amount, request")
_NOTE_TYPES: Final = "iiitit"
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


def notification_for(it: RecordedFact) -> tuple[Any, ...] | None:
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


class ContentProjection:
    """The read model."""

    name = "contents"
    version = 1
    tables = ("contents", "money_notes")
    schema = _SCHEMA + _NOTES_SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a withdrawal of content that was never published."""
        about_money = map(notification_for, filter_kinds(page, _NOTE_KINDS))
        execute_rows(cursor, _SAVE_NOTES, _NOTE_TYPES, [row for row in about_money if row])
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
