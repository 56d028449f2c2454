"""One row per bet: placed, then settled, recalled or voided."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Cursor

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.facts import RecordedFact, player_of
from projections.runner.bulk_sql import copy, copy_rows, execute_rows, unnest_select

ACCEPTED: Final = 0
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
    version = 1
    tables = ("bets",)
    schema = _SCHEMA

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
