"""Queries on rooms. Amounts are minor units, times microseconds since 1970."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection

from engine.catalogue import PLANS
from projections.bets.projection import RECALLED
from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_IN_ROUNDS = "FROM views.bets WHERE issue = ANY(%(issues)s) AND game = %(game)s"
_LIVE = (
    "SELECT bet, player, game, plan, issue, kind, stake,"
    " EXISTS (SELECT FROM views.feed_bots AS bot WHERE bot.player = newest.player),"
    " placed_at, position"
    " FROM (SELECT *, row_number() OVER (PARTITION BY plan ORDER BY position DESC) AS place"
    f" {_IN_ROUNDS}) AS newest"
    " WHERE place <= %(limit)s ORDER BY position"
)
_RECALLED = (
    f"SELECT plan, bet, issue, answered_position {_IN_ROUNDS} AND status = {RECALLED}"
    " ORDER BY answered_position"
)
_WINNER = "SELECT player, game, issue, stake, payout, at, position FROM views.feed_winners"
_NEWEST = " ORDER BY position DESC, payout - stake DESC, player LIMIT %(limit)s"
_WINNERS = _WINNER + _NEWEST
_MESSAGES = (
    "SELECT message, player, plan, at, position, removed_position, removed_at, removed_by"
    " FROM views.feed_chat"
)
_CHAT = (
    "SELECT newest.* FROM unnest(%(plans)s::bigint[]) AS hall (plan) CROSS JOIN LATERAL"
    f" ({_MESSAGES} WHERE plan = hall.plan ORDER BY position DESC LIMIT %(limit)s) AS newest"
    " ORDER BY position"
)
_CHAT_BEFORE = (
    f"{_MESSAGES} WHERE position < %(position)s AND (%(plan)s::bigint IS NULL OR plan = %(plan)s)"
    " ORDER BY position DESC LIMIT %(limit)s"
)
_MESSAGE = f"{_MESSAGES} WHERE message = %s ORDER BY position DESC LIMIT 1"
_MUTED = "SELECT until FROM views.feed_mutes WHERE player = %s"
_WINNERS_OF_GAME = _WINNER + " WHERE game = %(game)s" + _NEWEST


class FeedBet(Struct, frozen=True, gc=False):
    """A bet as the room sees it; `bot` marks the house's demo bots."""

    bet: str
    player: int
    game: int
    plan: int
    issue: str
    kind: str
    stake: int
    bot: bool
    at: int
    position: int


class FeedRecall(Struct, frozen=True, gc=False):
    """A recalled bet, and the log position of the recall."""

    bet: str
    issue: str
    position: int


class Winner(Struct, frozen=True, gc=False):
    """A player whose bets of a settled round paid more than they cost; never a bot."""

    player: int
    game: int
    issue: str
    stake: int
    payout: int
    at: int
    position: int

    @property
    def profit(self) -> int:
        """Payout less stake, always above zero."""
        return self.payout - self.stake


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


def live(
    connection: Connection[Any], game: int, issues: Sequence[str], limit: int = 300
) -> dict[int, list[FeedBet]]:
    """Returns the newest bets of these rounds by hall, oldest first, recalled ones included."""
    values = {"game": game, "issues": list(issues), "limit": limit}
    found: defaultdict[int, list[FeedBet]] = defaultdict(list)
    for row in rows(connection, _LIVE, values):
        bet = FeedBet(*row)
        found[bet.plan].append(bet)
    return dict(found)


def recalled(
    connection: Connection[Any], game: int, issues: Sequence[str]
) -> dict[int, list[FeedRecall]]:
    """Returns the recalled bets of these rounds by hall, in the order of the recalls."""
    found: defaultdict[int, list[FeedRecall]] = defaultdict(list)
    for plan, *recall in rows(connection, _RECALLED, {"game": game, "issues": list(issues)}):
        found[plan].append(FeedRecall(*recall))
    return dict(found)


def winners(connection: Connection[Any], limit: int, game: int | None = None) -> tuple[Winner, ...]:
    """Returns the winners of the rounds settled last; within a round the greatest profit first."""
    query = _WINNERS if game is None else _WINNERS_OF_GAME
    values = {"game": game, "limit": limit}
    return tuple(Winner(*row) for row in rows(connection, query, values))


def chat(connection: Connection[Any], limit: int = 200) -> tuple[ChatMessageRow, ...]:
    """Returns the newest messages of every hall, removed ones included, oldest first."""
    values = {"plans": list(PLANS), "limit": limit}
    return tuple(ChatMessageRow(*row) for row in rows(connection, _CHAT, values))


def chat_before(
    connection: Connection[Any],
    plan: int | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[ChatMessageRow]:
    """Returns the messages of one hall or of all, newest first.

    Raises ValueError if the cursor is invalid.
    """
    values = {"plan": plan, "position": parse_cursor(cursor)[1], "limit": limit + 1}
    found = rows(connection, _CHAT_BEFORE, values)
    return paginate(found, limit, lambda row: ChatMessageRow(*row), lambda it: (it.at, it.position))


def chat_message(connection: Connection[Any], message: str) -> ChatMessageRow | None:
    """Returns the message with this id."""
    found = rows(connection, _MESSAGE, (message,))
    return ChatMessageRow(*found[0]) if found else None


def muted_until(connection: Connection[Any], player: int) -> int:
    """Returns until when a player is muted: a past time if not, or `chat.FOR_GOOD`."""
    found = rows(connection, _MUTED, (player,))
    return int(found[0][0]) if found else 0
