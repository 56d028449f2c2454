"""The chat of the halls: all messages, who removed which, and which players are muted.

The texts are in the vault, by message id. `winners.py` owns the tables. Times are
microseconds since 1970.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec import Struct, field
from psycopg import Connection, Cursor

from engine.catalogue import PLANS
from engine.chat.facts import ChatFact, ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.facts import RecordedFact, player_of
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import execute_rows, filter_kinds, insert, unnest_select

FOR_GOOD: Final = 1 << 62
""""Never ends", in microseconds since 1970."""

TABLES: Final = ("feed_chat", "feed_mutes")
SCHEMA: Final = """
CREATE TABLE feed_chat (
    position bigint PRIMARY KEY,
    message text COLLATE "C" NOT NULL,
    player bigint NOT NULL,
    plan bigint NOT NULL,
    at bigint NOT NULL,
    removed_position bigint NOT NULL DEFAULT 0,
    removed_at bigint NOT NULL DEFAULT 0,
    removed_by text NOT NULL DEFAULT ''
);
CREATE INDEX feed_chat_plan ON feed_chat (plan, position);
CREATE INDEX feed_chat_message ON feed_chat (message);
CREATE TABLE feed_mutes (
    player bigint PRIMARY KEY,
    position bigint NOT NULL,
    until bigint NOT NULL
);
"""
_SAVE_MESSAGES = insert("feed_chat", "position, message, player, plan, at")
_SAVE_REMOVALS = (
    f"WITH gone AS ({unnest_select('message, player, position, at, by')})"
    " UPDATE feed_chat AS said SET removed_position = gone.position, removed_at = gone.at,"
    " removed_by = gone.by FROM gone"
    " WHERE said.message = gone.message AND said.player = gone.player"
)
_SAVE_MUTES = insert(
    "feed_mutes",
    "player, position, until",
    then="ON CONFLICT (player) DO UPDATE SET position = excluded.position, until = excluded.until",
)
_KINDS: Final = frozenset(get_args(ChatFact))


class _PageChanges(Struct):
    """The chat changes of a page; of a player's mutes only the last one counts."""

    messages: list[tuple[Any, ...]] = field(default_factory=list)
    removed: list[tuple[Any, ...]] = field(default_factory=list)
    mutes: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def take(self, it: RecordedFact) -> None:
        player = player_of(it.stream)
        match it.fact:
            case ChatSaid(message=message, plan=plan):
                self.messages.append((it.position, message, player, plan, it.at))
            case ChatRemoved(message=message, by=by):
                self.removed.append((message, player, it.position, it.at, by))
            case ChatMuted(until=until):
                ends = FOR_GOOD if until is None else until
                self.mutes[player] = (player, it.position, ends)
            case ChatUnmuted():
                self.mutes[player] = (player, it.position, 0)
            case _:
                pass


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page."""
    facts = filter_kinds(page, _KINDS)
    if not facts:
        return
    changes = _PageChanges()
    for it in facts:
        changes.take(it)
    execute_rows(cursor, _SAVE_MESSAGES, "itiii", changes.messages)
    execute_rows(cursor, _SAVE_REMOVALS, "tiiit", changes.removed)
    execute_rows(cursor, _SAVE_MUTES, "iii", list(changes.mutes.values()))


_MESSAGES = (
    "SELECT message, player, plan, at, position, removed_position, removed_at, removed_by"
    " FROM views.feed_chat"
)
_NEWEST = (
    "SELECT newest.* FROM unnest(%(plans)s::bigint[]) AS hall (plan) CROSS JOIN LATERAL"
    f" ({_MESSAGES} WHERE plan = hall.plan ORDER BY position DESC LIMIT %(limit)s) AS newest"
    " ORDER BY position"
)
_BEFORE = (
    f"{_MESSAGES} WHERE position < %(position)s AND (%(plan)s::bigint IS NULL OR plan = %(plan)s)"
    " ORDER BY position DESC LIMIT %(limit)s"
)
_MESSAGE = f"{_MESSAGES} WHERE message = %s ORDER BY position DESC LIMIT 1"
_MUTED = "SELECT until FROM views.feed_mutes WHERE player = %s"


class ChatMessageRow(Struct, frozen=True, gc=False):
    """A message in a hall's chat; `removed_*` are 0 and empty unless staff removed it."""

    message: str
    player: int
    plan: int
    at: int
    position: int
    removed_position: int = 0
    removed_at: int = 0
    removed_by: str = ""


def newest_messages(connection: Connection[Any], limit: int = 200) -> tuple[ChatMessageRow, ...]:
    """Returns the newest messages of every hall, removed ones included, oldest first."""
    values = {"plans": list(PLANS), "limit": limit}
    return tuple(ChatMessageRow(*row) for row in fetch_rows(connection, _NEWEST, values))


def messages_before(
    connection: Connection[Any],
    plan: int | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ChatMessageRow]:
    """Returns the messages of one hall or of all, newest first.

    Raises ValueError if the cursor is invalid.
    """
    values = {"plan": plan, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = fetch_rows(connection, _BEFORE, values)
    return paginate(found, limit, lambda row: ChatMessageRow(*row), lambda it: (it.at, it.position))


def find_message(connection: Connection[Any], message: str) -> ChatMessageRow | None:
    """Returns the message with this id."""
    found = fetch_rows(connection, _MESSAGE, (message,))
    return ChatMessageRow(*found[0]) if found else None


def muted_until(connection: Connection[Any], player: int) -> int:
    """Returns until when a player is muted: a past time if not, or `FOR_GOOD`."""
    found = fetch_rows(connection, _MUTED, (player,))
    return int(found[0][0]) if found else 0
