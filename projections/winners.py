"""The read model `feed`: the winners of all rounds, the bots, and the chat (`chat.py`).

A player's bets of a round are settled in several pages. Their totals wait in `feed_results` until
the round is settled; then players who won more than they staked become winners. The home
page shows the newest winners; the bets' model reads the bots. Amounts are minor units, times
microseconds since 1970.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, field
from psycopg import Connection, Cursor

from engine.bets.facts import BetSettled
from engine.facts import RecordedFact, player_of
from engine.players.facts import PlayerRegistered
from engine.rounds.facts import RoundSettled
from projections import chat
from projections.pagination import fetch_rows
from projections.runner.projection import execute_rows, filter_kinds, insert, unnest_select

_KINDS: Final = frozenset({BetSettled, PlayerRegistered, RoundSettled})
# Version 1 stored every bet a second time.
_SCHEMA = """
DROP TABLE IF EXISTS feed_bets, feed_recalls, feed_rounds;
CREATE TABLE feed_bots (player bigint PRIMARY KEY);
CREATE TABLE feed_results (
    game bigint,
    issue text COLLATE "C",
    player bigint,
    stake bigint NOT NULL,
    payout bigint NOT NULL,
    PRIMARY KEY (game, issue, player)
) WITH (fillfactor = 70);
CREATE TABLE feed_winners (
    position bigint,
    player bigint,
    game bigint NOT NULL,
    issue text NOT NULL,
    stake bigint NOT NULL,
    payout bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (position, player)
);
CREATE INDEX feed_winners_game ON feed_winners (game, position);
"""
_SAVE_BOTS = insert("feed_bots", "player")
_SAVE_RESULTS = insert(
    "feed_results",
    "game, issue, player, stake, payout",
    then="ON CONFLICT (game, issue, player) DO UPDATE SET"
    " stake = feed_results.stake + excluded.stake, payout = feed_results.payout + excluded.payout",
)
_SAVE_WINNERS = (
    f"WITH ended AS ({unnest_select('game, issue, position, at')}),"
    " gone AS (DELETE FROM feed_results AS result USING ended"
    "  WHERE result.game = ended.game AND result.issue = ended.issue"
    "  RETURNING ended.position, player, ended.game, ended.issue, stake, payout, ended.at)"
    " INSERT INTO feed_winners (position, player, game, issue, stake, payout, at)"
    " SELECT * FROM gone WHERE payout > stake"
)

_Rows = list[tuple[Any, ...]]


class WinnerProjection:
    """The read model."""

    name = "feed"
    version = 3
    tables = ("feed_bots", "feed_results", "feed_winners", *chat.TABLES)
    schema = _SCHEMA + chat.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page."""
        chat.apply(cursor, page)
        facts = filter_kinds(page, _KINDS)
        if not facts:
            return
        bots = {player for (player,) in cursor.execute("SELECT player FROM feed_bots")}
        changes = _PageChanges()
        for it in facts:
            changes.take(it, bots)
        execute_rows(cursor, _SAVE_BOTS, "i", changes.bots)
        execute_rows(cursor, _SAVE_RESULTS, "itiii", _sums(changes))
        execute_rows(cursor, _SAVE_WINNERS, "itii", changes.ended)


class _PageChanges(Struct):
    """The changes of a page, by table."""

    bots: _Rows = field(default_factory=list)
    ended: _Rows = field(default_factory=list)
    stakes: defaultdict[tuple[int, str, int], int] = field(default_factory=lambda: defaultdict(int))
    payouts: defaultdict[tuple[int, str, int], int] = field(
        default_factory=lambda: defaultdict(int)
    )

    def take(self, it: RecordedFact, bots: set[int]) -> None:
        fact = it.fact
        match fact:
            case BetSettled():
                self._settled(player_of(it.stream), fact, bots)
            case PlayerRegistered(bot=True):
                bots.add(player_of(it.stream))
                self.bots.append((player_of(it.stream),))
            case RoundSettled():
                self.ended.append((fact.game, fact.issue, it.position, it.at))
            case _:
                pass

    def _settled(self, player: int, fact: BetSettled, bots: set[int]) -> None:
        if player not in bots:
            key = (fact.game, fact.issue, player)
            self.stakes[key] += fact.stake_minor
            self.payouts[key] += fact.payout_minor


def _sums(changes: _PageChanges) -> _Rows:
    return [(*key, stake, changes.payouts[key]) for key, stake in changes.stakes.items()]


_WINNER = "SELECT player, game, issue, stake, payout, at, position FROM views.feed_winners"
_NEWEST = " ORDER BY position DESC, payout - stake DESC, player LIMIT %(limit)s"
_WINNERS = _WINNER + _NEWEST
_WINNERS_OF_GAME = _WINNER + " WHERE game = %(game)s" + _NEWEST


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


def winners(connection: Connection[Any], limit: int, game: int | None = None) -> tuple[Winner, ...]:
    """Returns the winners of the rounds settled last; within a round the greatest profit first."""
    query = _WINNERS if game is None else _WINNERS_OF_GAME
    values = {"game": game, "limit": limit}
    return tuple(Winner(*row) for row in fetch_rows(connection, query, values))
