"""Bets of each game's current and previous round, and the winners of all rounds.

A player's bets of a round are answered in several pages, so their sums wait in `feed_results`
until the round is settled; then those who won more than they staked become winners.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from psycopg import Cursor

from engine.facts import Recorded, player_of
from engine.players.facts import BetPlaced, BetRecalled, BetSettled, PlayerRegistered
from engine.rounds.facts import RoundOpened, RoundSettled
from projections.columns import insert, write

_SCHEMA = """
CREATE TABLE feed_bets (
    game bigint,
    issue text COLLATE "C",
    plan bigint,
    position bigint,
    bet text COLLATE "C" NOT NULL,
    player bigint NOT NULL,
    kind text NOT NULL,
    stake bigint NOT NULL,
    bot bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (game, issue, plan, position)
);
CREATE TABLE feed_recalls (
    game bigint,
    issue text COLLATE "C",
    bet text COLLATE "C",
    PRIMARY KEY (game, issue, bet)
);
CREATE TABLE feed_rounds (
    game bigint,
    position bigint,
    issue text NOT NULL,
    PRIMARY KEY (game, position)
);
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
_BETS = insert("feed_bets", "game, issue, plan, position, bet, player, kind, stake, bot, at")
_RECALLS = insert("feed_recalls", "game, issue, bet")
_ROUNDS = insert("feed_rounds", "game, position, issue")
_BOTS = insert("feed_bots", "player")
_RESULTS = insert(
    "feed_results",
    "game, issue, player, stake, payout",
    then="ON CONFLICT (game, issue, player) DO UPDATE SET"
    " stake = feed_results.stake + excluded.stake, payout = feed_results.payout + excluded.payout",
)
_FORGET_ROUNDS = (
    "DELETE FROM feed_rounds WHERE game = %s AND position < (SELECT position"
    " FROM feed_rounds WHERE game = %s ORDER BY position DESC OFFSET 1 LIMIT 1)"
    " RETURNING issue"
)
_FORGET_BETS = "DELETE FROM feed_bets WHERE game = %s AND issue = ANY(%s)"
_FORGET_RECALLS = "DELETE FROM feed_recalls WHERE game = %s AND issue = ANY(%s)"
_WINNERS = (
    "WITH ended AS (SELECT * FROM unnest(%s, %s, %s, %s) AS ended (game, issue, position, at)),"
    " gone AS (DELETE FROM feed_results AS result USING ended"
    "  WHERE result.game = ended.game AND result.issue = ended.issue"
    "  RETURNING ended.position, player, ended.game, ended.issue, stake, payout, ended.at)"
    " INSERT INTO feed_winners (position, player, game, issue, stake, payout, at)"
    " SELECT * FROM gone WHERE payout > stake"
)

_Rows = list[tuple[Any, ...]]


class Feed:
    """The model."""

    name = "feed"
    version = 1
    tables = (
        "feed_bets",
        "feed_recalls",
        "feed_rounds",
        "feed_bots",
        "feed_results",
        "feed_winners",
    )
    schema = _SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[Recorded]) -> None:
        """Take in a page."""
        bots = {player for (player,) in cursor.execute("SELECT player FROM feed_bots")}
        news = _News()
        for it in page:
            news.take(it, bots)
        write(cursor, _BOTS, "i", news.bots)
        write(cursor, _BETS, "itiititiii", news.bets)
        write(cursor, _RECALLS, "itt", news.recalls)
        write(cursor, _RESULTS, "itiii", _sums(news))
        write(cursor, _WINNERS, "itii", news.ended)
        write(cursor, _ROUNDS, "iit", news.rounds)
        for game in {row[0] for row in news.rounds}:
            _forget(cursor, game)


class _News(Struct):
    """What a page says, by the table it goes to."""

    bots: _Rows = field(default_factory=list)
    bets: _Rows = field(default_factory=list)
    recalls: _Rows = field(default_factory=list)
    rounds: _Rows = field(default_factory=list)
    ended: _Rows = field(default_factory=list)
    stakes: defaultdict[tuple[int, str, int], int] = field(default_factory=lambda: defaultdict(int))
    payouts: defaultdict[tuple[int, str, int], int] = field(
        default_factory=lambda: defaultdict(int)
    )

    def take(self, it: Recorded, bots: set[int]) -> None:
        fact = it.fact
        match fact:
            case BetPlaced():
                self._bet(it, fact, bots)
            case BetSettled():
                self._settled(player_of(it.stream), fact, bots)
            case BetRecalled():
                self.recalls.append((fact.game, fact.issue, fact.bet))
            case PlayerRegistered(bot=True):
                bots.add(player_of(it.stream))
                self.bots.append((player_of(it.stream),))
            case RoundOpened():
                self.rounds.append((fact.game, it.position, fact.issue))
            case RoundSettled():
                self.ended.append((fact.game, fact.issue, it.position, it.at))
            case _:
                pass

    def _bet(self, it: Recorded, fact: BetPlaced, bots: set[int]) -> None:
        player = player_of(it.stream)
        place = (fact.game, fact.issue, fact.plan, it.position)
        self.bets.append(
            (*place, fact.bet, player, fact.kind, fact.stake_minor, player in bots, it.at)
        )

    def _settled(self, player: int, fact: BetSettled, bots: set[int]) -> None:
        if player not in bots:
            key = (fact.game, fact.issue, player)
            self.stakes[key] += fact.stake_minor
            self.payouts[key] += fact.payout_minor


def _sums(news: _News) -> _Rows:
    return [(*key, stake, news.payouts[key]) for key, stake in news.stakes.items()]


def _forget(cursor: Cursor[Any], game: int) -> None:
    """Drop the bets of all but the game's two newest rounds."""
    issues = [issue for (issue,) in cursor.execute(_FORGET_ROUNDS, (game, game), prepare=True)]
    if issues:
        cursor.execute(_FORGET_BETS, (game, issues), prepare=True)
        cursor.execute(_FORGET_RECALLS, (game, issues), prepare=True)
