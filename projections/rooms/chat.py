"""The chat of the halls: all messages, who removed which, and which players are muted.

The texts are in the vault, by message id.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec import Struct, field
from psycopg import Cursor

from engine.chat.facts import ChatFact, ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.facts import RecordedFact, player_of
from projections.runner.bulk_sql import execute_rows, insert, unnest_select
from projections.runner.projection import filter_kinds

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
_MESSAGES = insert("feed_chat", "position, message, player, plan, at")
_REMOVED = (
    f"WITH gone AS ({unnest_select('message, player, position, at, by')})"
    " UPDATE feed_chat AS said SET removed_position = gone.position, removed_at = gone.at,"
    " removed_by = gone.by FROM gone"
    " WHERE said.message = gone.message AND said.player = gone.player"
)
_MUTES = insert(
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
    execute_rows(cursor, _MESSAGES, "itiii", changes.messages)
    execute_rows(cursor, _REMOVED, "tiiit", changes.removed)
    execute_rows(cursor, _MUTES, "iii", list(changes.mutes.values()))
