"""What may be asked about the rooms. Amounts are minor units, times microseconds since 1970."""

from collections import defaultdict
from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.bets.model import RECALLED
from projections.listing import rows

_IN_ROUND = "FROM views.bets WHERE issue = %(issue)s AND game = %(game)s AND status"
_LIVE = (
    "SELECT bet, player, game, plan, issue, kind, stake,"
    " EXISTS (SELECT FROM views.feed_bots AS bot WHERE bot.player = newest.player),"
    " placed_at, position"
    " FROM (SELECT *, row_number() OVER (PARTITION BY plan ORDER BY position DESC) AS place"
    f" {_IN_ROUND} <> {RECALLED}) AS newest"
    " WHERE place <= %(limit)s ORDER BY position"
)
_RECALLED = f"SELECT plan, bet {_IN_ROUND} = {RECALLED} ORDER BY position"
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
    connection: Connection[Any], game: int, issue: str, limit: int = 300
) -> dict[int, list[FeedBet]]:
    """The newest bets of a round that were not recalled, by hall, oldest first."""
    values = {"game": game, "issue": issue, "limit": limit}
    found: defaultdict[int, list[FeedBet]] = defaultdict(list)
    for row in rows(connection, _LIVE, values):
        bet = FeedBet(*row)
        found[bet.plan].append(bet)
    return dict(found)


def recalled(connection: Connection[Any], game: int, issue: str) -> dict[int, list[str]]:
    """The ids of a round's bets that were recalled, by hall, in the order of their placing."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for plan, bet in rows(connection, _RECALLED, {"game": game, "issue": issue}):
        found[plan].append(bet)
    return dict(found)


def winners(connection: Connection[Any], limit: int, game: int | None = None) -> tuple[Winner, ...]:
    """The winners of the rounds settled last, in a round the greatest profit first."""
    query = _WINNERS if game is None else _WINNERS_OF_GAME
    values = {"game": game, "limit": limit}
    return tuple(Winner(*row) for row in rows(connection, query, values))
