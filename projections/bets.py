"""The read model of bets: one row per bet, placed, then settled, recalled or voided.

It owns the statistics (`statistics.py`) too, because a settled round is summed up from its bets.
The bets of the rounds on sale are what the rooms show (`live`, `recalled`).
Amounts are minor units, odds thousandths, times microseconds since 1970.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.facts import RecordedFact, player_of
from projections import statistics
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import copy, copy_rows, execute_rows, unnest_select

SETTLED: Final = 1
RECALLED: Final = 2
VOIDED: Final = 3
NO_TOTAL: Final = -1

# Half of each page stays free. A bet's answer then fits on the same page as its first version (a
# HOT update), so no index changes.
_SCHEMA = """
CREATE TABLE bets (
    player bigint,
    placed_at bigint,
    position bigint,
    bet text COLLATE "C" NOT NULL,
    game smallint NOT NULL,
    issue text COLLATE "C" NOT NULL,
    plan smallint NOT NULL,
    kind text NOT NULL,
    stake bigint NOT NULL,
    bonus bigint NOT NULL,
    odds bigint NOT NULL,
    odds_table text NOT NULL,
    status smallint NOT NULL DEFAULT 0,
    payout bigint NOT NULL DEFAULT 0,
    total smallint NOT NULL DEFAULT -1,
    answered_at bigint NOT NULL DEFAULT 0,
    answered_position bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (player, placed_at, position)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX bets_bet ON bets (bet);
CREATE INDEX bets_round ON bets (issue, player);
"""
_PLACE = copy(
    "bets",
    "player, placed_at, position, bet, game, issue, plan, kind, stake, bonus, odds, odds_table",
)
_ANSWER = (
    "UPDATE bets SET status = answer.status, payout = answer.payout, total = answer.total,"
    " answered_at = answer.at, answered_position = answer.position"
    f" FROM ({unnest_select('bet, status, payout, total, at, position')}) AS answer"
    " WHERE bets.bet = answer.bet AND bets.status = 0"
)


class BetProjection:
    """The read model."""

    name = "bets"
    version = 2
    tables = ("bets", *statistics.TABLES)
    schema = _SCHEMA + statistics.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for an answer to a bet that is not open."""
        placed: list[tuple[Any, ...]] = []
        answers: list[tuple[Any, ...]] = []
        for it in page:
            fact = it.fact
            if isinstance(fact, BetPlaced):
                placed.append(_placed(it, fact))
            elif isinstance(fact, BetSettled):
                answers.append(_answer(it, fact.bet, SETTLED, fact.payout_minor, fact.total))
            elif isinstance(fact, BetRecalled):
                answers.append(_answer(it, fact.bet, RECALLED))
            elif isinstance(fact, BetVoided):
                answers.append(_answer(it, fact.bet, VOIDED))
        copy_rows(cursor, _PLACE, "iiitststiiit", placed)
        execute_rows(cursor, _ANSWER, "tiiiii", answers)
        if answers and cursor.rowcount != len(answers):
            raise LookupError(f"{len(answers) - cursor.rowcount} bets are not open")
        statistics.apply(cursor, page)


def _placed(it: RecordedFact, fact: BetPlaced) -> tuple[Any, ...]:
    return (
        player_of(it.stream),
        it.at,
        it.position,
        fact.bet,
        fact.game,
        fact.issue,
        fact.plan,
        fact.kind,
        fact.stake_minor,
        fact.bonus_minor,
        fact.odds_milli,
        fact.odds_table,
    )


def _answer(
    it: RecordedFact, bet: str, status: int, payout: int = 0, total: int = NO_TOTAL
) -> tuple[Any, ...]:
    return (bet, status, payout, total, it.at, it.position)


_BET = (
    "SELECT bet, player, game, issue, plan, kind, stake, bonus, odds, odds_table, placed_at,"
    " status, payout, total, position, answered_position FROM views.bets"
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

    `total` is the sum drawn, -1 until settled; `answered_position` is 0 while the bet is open.
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
    found = fetch_rows(connection, _BETS, values)
    return paginate(found, limit, lambda row: BetRow(*row), lambda it: (it.placed_at, it.position))


def in_round(
    connection: Connection[Any], player: int, game: int, issue: str, *, only_open: bool = False
) -> tuple[BetRow, ...]:
    """Returns a player's bets of a round, newest first."""
    values = {"player": player, "game": game, "issue": issue, "only_open": only_open}
    return tuple(BetRow(*row) for row in fetch_rows(connection, _IN_ROUND, values))


def of_players(
    connection: Connection[Any], players: Collection[int], game: int, issue: str
) -> dict[int, list[BetRow]]:
    """Returns the bets of these players in a round, newest first."""
    values = {"players": list(players), "game": game, "issue": issue}
    found: defaultdict[int, list[BetRow]] = defaultdict(list)
    for row in fetch_rows(connection, _OF_PLAYERS, values):
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
    issues = [issue for (issue,) in fetch_rows(connection, _NEWEST_SETTLED, values)]
    return tuple(in_round(connection, player, game, issue) for issue in issues)


# The rounds of all games at once: they have the same issues, of which the index has no games.
_IN_ROUNDS = (
    "FROM views.bets WHERE issue = ANY(%(issues)s) AND game || '/' || issue = ANY(%(rounds)s)"
)
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


def live(
    connection: Connection[Any], rounds: Mapping[int, Sequence[str]], limit: int = 300
) -> dict[int, list[FeedBet]]:
    """Returns the newest bets by hall, oldest first, recalled ones included.

    `rounds` are the issues by game.
    """
    found: defaultdict[int, list[FeedBet]] = defaultdict(list)
    for row in fetch_rows(connection, _LIVE, {**_rounds_of(rounds), "limit": limit}):
        bet = FeedBet(*row)
        found[bet.plan].append(bet)
    return dict(found)


def recalled(
    connection: Connection[Any], rounds: Mapping[int, Sequence[str]]
) -> dict[int, list[FeedRecall]]:
    """Returns the recalled bets by hall, in the order of the recalls.

    `rounds` are the issues by game.
    """
    found: defaultdict[int, list[FeedRecall]] = defaultdict(list)
    for plan, *recall in fetch_rows(connection, _RECALLED, _rounds_of(rounds)):
        found[plan].append(FeedRecall(*recall))
    return dict(found)


def _rounds_of(rounds: Mapping[int, Sequence[str]]) -> dict[str, list[str]]:
    issues = sorted({issue for each in rounds.values() for issue in each})
    return {
        "issues": issues,
        "rounds": [f"{game}/{issue}" for game, each in rounds.items() for issue in each],
    }
