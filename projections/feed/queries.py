"""What may be asked about the rooms. Amounts are minor units, times microseconds since 1970."""

from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.listing import rows

_LIVE = (
    "SELECT bet, player, game, plan, issue, kind, stake, bot <> 0, at, position"
    " FROM views.feed_bets AS placed"
    " WHERE game = %(game)s AND plan = %(plan)s AND issue = %(issue)s"
    " AND NOT EXISTS (SELECT FROM views.feed_recalls AS back WHERE back.game = placed.game"
    "  AND back.issue = placed.issue AND back.bet = placed.bet)"
    " ORDER BY position DESC LIMIT %(limit)s"
)
_RECALLED = (
    "SELECT bet FROM views.feed_bets JOIN views.feed_recalls USING (game, issue, bet)"
    " WHERE game = %s AND plan = %s AND issue = %s ORDER BY position"
)
_WINNER = "SELECT player, game, issue, stake, payout, at, position FROM views.feed_winners"
_NEWEST = " ORDER BY position DESC, payout - stake DESC, player LIMIT %(limit)s"
_WINNERS = _WINNER + _NEWEST
_WINNERS_OF_GAME = _WINNER + " WHERE game = %(game)s" + _NEWEST


class FeedBet(Struct, frozen=True, gc=False):
    """A bet as the whole room sees it; `bot` marks the house's own demo bots."""

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
        """Payout less stake, above zero."""
        return self.payout - self.stake


def live(
    connection: Connection[Any], game: int, plan: int, issue: str, limit: int = 300
) -> tuple[FeedBet, ...]:
    """The newest bets of a hall in a round that were not recalled, oldest first."""
    values = {"game": game, "plan": plan, "issue": issue, "limit": limit}
    return tuple(FeedBet(*row) for row in reversed(rows(connection, _LIVE, values)))


def recalled(connection: Connection[Any], game: int, plan: int, issue: str) -> tuple[str, ...]:
    """The ids of a hall's bets in a round that were recalled, in the order of their placing."""
    return tuple(bet for (bet,) in rows(connection, _RECALLED, (game, plan, issue)))


def winners(connection: Connection[Any], limit: int, game: int | None = None) -> tuple[Winner, ...]:
    """The winners of the rounds settled last, in a round the greatest profit first."""
    query = _WINNERS if game is None else _WINNERS_OF_GAME
    values = {"game": game, "limit": limit}
    return tuple(Winner(*row) for row in rows(connection, query, values))
