"""Queries on bets. Amounts are minor units, odds thousandths, times µs since 1970."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_BET = (
    "SELECT bet, player, game, issue, plan, kind, stake, bonus, odds, odds_table, placed_at,"
    " status, payout, total, answered_at, position, answered_position FROM views.bets"
    " WHERE player = %(player)s"
)
_BETS = (
    _BET + " AND placed_at >= %(since)s AND placed_at < %(until)s"
    " AND (placed_at, position) < (%(at)s, %(position)s)"
    " AND (%(game)s::int IS NULL OR game = %(game)s)"
    " AND (%(issue)s::text IS NULL OR issue = %(issue)s)"
    " AND (%(status)s::int IS NULL OR status = %(status)s)"
    " AND (%(paid)s::bool IS NULL OR (payout > 0) = %(paid)s)"
    " ORDER BY placed_at DESC, position DESC LIMIT %(limit)s"
)
_IN_ROUND = (
    _BET + " AND game = %(game)s AND issue = %(issue)s AND (status = 0 OR NOT %(only_open)s)"
    " ORDER BY position DESC"
)
_OF_PLAYERS = (
    _BET.replace("player = %(player)s", "player = ANY(%(players)s)")
    + " AND game = %(game)s AND issue = %(issue)s ORDER BY player, position DESC"
)
_NEWEST_SETTLED = (
    "SELECT issue FROM views.bets WHERE player = %(player)s AND game = %(game)s"
    " AND placed_at >= %(since)s AND status < 2"
    " GROUP BY issue HAVING bool_and(status = 1) ORDER BY max(position) DESC LIMIT %(limit)s"
)


class BetRow(Struct, frozen=True, gc=False):
    """A bet; `status` is 0 accepted, 1 settled, 2 recalled, 3 voided.

    `total` is the sum drawn, -1 until settled; the `answered_*` are 0 while the bet is open.
    """

    bet: str
    player: int
    game: int
    issue: str
    plan: int
    kind: str
    stake: int
    bonus: int
    odds: int
    odds_table: str
    placed_at: int
    status: int
    payout: int
    total: int
    answered_at: int
    position: int
    answered_position: int


def list_bets(
    connection: Connection[Any],
    player: int,
    since: int,
    until: int,
    *,
    game: int | None = None,
    issue: str | None = None,
    status: int | None = None,
    paid: bool | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[BetRow]:
    """Returns a player's bets placed in [since, until), newest first.

    `paid` selects bets with a payout, or those without one. Raises ValueError if the cursor is
    invalid.
    """
    at, position = parse_cursor(cursor)
    values = {"player": player, "since": since, "until": until, "game": game, "issue": issue}
    values |= {"status": status, "paid": paid}
    values |= {"at": at, "position": position, "limit": limit + 1}
    found = rows(connection, _BETS, values)
    return paginate(found, limit, lambda row: BetRow(*row), lambda it: (it.placed_at, it.position))


def in_round(
    connection: Connection[Any], player: int, game: int, issue: str, *, only_open: bool = False
) -> tuple[BetRow, ...]:
    """Returns a player's bets of a round, newest first."""
    values = {"player": player, "game": game, "issue": issue, "only_open": only_open}
    return tuple(BetRow(*row) for row in rows(connection, _IN_ROUND, values))


def of_players(
    connection: Connection[Any], players: Collection[int], game: int, issue: str
) -> dict[int, list[BetRow]]:
    """Returns the bets of these players in a round, newest first."""
    values = {"players": list(players), "game": game, "issue": issue}
    found: defaultdict[int, list[BetRow]] = defaultdict(list)
    for row in rows(connection, _OF_PLAYERS, values):
        bet = BetRow(*row)
        found[bet.player].append(bet)
    return dict(found)


def newest_settled(
    connection: Connection[Any], player: int, game: int, since: int, limit: int
) -> tuple[tuple[BetRow, ...], ...]:
    """Returns the player's bets by round: a game's newest rounds in which their bets are settled.

    Newest first, of the rounds with bets placed from `since` on.
    """
    values = {"player": player, "game": game, "since": since, "limit": limit}
    issues = [issue for (issue,) in rows(connection, _NEWEST_SETTLED, values)]
    return tuple(in_round(connection, player, game, issue) for issue in issues)
