"""The tables of a Parquet export, as rows made from the log. Pure.

A row is made once it is final: a bet's with its result, a round's with its end. Only the bets and
rounds that are still open, and the numbers of the bots, are in memory.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, assert_never

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.facts import RecordedFact, player_of
from engine.house.facts import DayOpened
from engine.players.facts import PlayerRegistered
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    Statement,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)
from scripts.audit_tool import FindingError
from scripts.audit_tool.accounts import balanced_postings
from scripts.audit_tool.facts import StoredFact

Row = tuple[Any, ...]
_BET_RESULTS = BetSettled | BetRecalled | BetVoided


class ColumnKind(Enum):
    """The type of a column, as Parquet and Arrow call it."""

    NUMBER = "int64"
    SMALL = "int32"
    TEXT = "string"
    NAME = "dictionary of string"
    TIME = "timestamp in microseconds, UTC"
    FLAG = "bool"
    DIGITS = "list of int8"


class AnalysisTable(Struct, frozen=True):
    """A table: the kinds of its columns, in their order. A missing value is None."""

    name: str
    columns: dict[str, ColumnKind]


_K = ColumnKind
FACTS: Final = AnalysisTable(
    "facts",
    {
        "position": _K.NUMBER,
        "stream": _K.TEXT,
        "version": _K.NUMBER,
        "recorded_at": _K.TIME,
        "topic": _K.NAME,
        "player": _K.NUMBER,  # None in a stream that is not a player's
        "command_id": _K.TEXT,
        "actor": _K.TEXT,
        "fact": _K.TEXT,  # JSON, as it is stored
    },
)
POSTINGS: Final = AnalysisTable(
    "postings",
    {
        "position": _K.NUMBER,
        "recorded_at": _K.TIME,
        "topic": _K.NAME,
        "bot": _K.FLAG,
        "account": _K.TEXT,  # as in the ledger: player:10001:available
        "chart_account": _K.NAME,  # as in the chart of accounts: player:available
        "player": _K.NUMBER,
        "amount_minor": _K.NUMBER,
    },
)
BETS: Final = AnalysisTable(
    "bets",
    {
        "bet": _K.TEXT,
        "player": _K.NUMBER,
        "bot": _K.FLAG,
        "game": _K.SMALL,
        "issue": _K.TEXT,
        "plan": _K.SMALL,
        "kind": _K.NAME,
        "stake_minor": _K.NUMBER,
        "bonus_minor": _K.NUMBER,
        "odds_milli": _K.SMALL,
        "odds_table": _K.NAME,
        "placed_at": _K.TIME,
        "placed_position": _K.NUMBER,
        "state": _K.NAME,  # open, settled, recalled, voided
        "ended_at": _K.TIME,
        "ended_position": _K.NUMBER,
        "total": _K.SMALL,
        "payout_minor": _K.NUMBER,
        "payout_bonus_minor": _K.NUMBER,
    },
)
ROUNDS: Final = AnalysisTable(
    "rounds",
    {
        "game": _K.SMALL,
        "issue": _K.TEXT,
        "day": _K.TEXT,
        "index": _K.SMALL,
        "state": _K.NAME,  # open, closed, drawn, settled, voided
        "odds_table": _K.NAME,
        "opens_at": _K.TIME,
        "closes_at": _K.TIME,
        "draws_at": _K.TIME,
        "opened_at": _K.TIME,
        "closed_at": _K.TIME,
        "drawn_at": _K.TIME,
        "ended_at": _K.TIME,
        "operator_commitment": _K.TEXT,
        "witness_commitment": _K.TEXT,
        "frozen": _K.TEXT,
        "operator_secret": _K.TEXT,
        "witness_secret": _K.TEXT,
        "digits": _K.DIGITS,
        "total": _K.SMALL,
        "bets": _K.NUMBER,
        "stake_minor": _K.NUMBER,
        "payout_minor": _K.NUMBER,
        "void_status": _K.NAME,
        "witness_statement": _K.NAME,
    },
)
TABLES: Final = (FACTS, POSTINGS, BETS, ROUNDS)


class _RoundSoFar(Struct):
    """The facts of a round that may still get further ones; `*_at` are when they were recorded."""

    opened: RoundOpened
    opened_at: int
    day: DayOpened | None
    closed: RoundClosed | None = None
    closed_at: int | None = None
    drawn: RoundDrawn | None = None
    drawn_at: int | None = None
    settled: RoundSettled | None = None
    voided: RoundVoided | VoidRuled | None = None
    ended_at: int | None = None
    late: WitnessAnsweredLate | None = None

    @property
    def state(self) -> str:
        if self.ended_at is not None:
            return "settled" if self.settled else "voided"
        if self.drawn:
            return "drawn"
        return "closed" if self.closed else "open"

    @property
    def is_final(self) -> bool:
        """Whether no fact can follow: the witness of an unattested void may answer late."""
        if self.ended_at is None:
            return False
        if not isinstance(self.voided, VoidRuled) or self.voided.status != Status.UNATTESTED:
            return True
        return self.late is not None and self.late.statement != Statement.UNKNOWN


class RowMaker:
    """Makes the rows of all tables from the facts, in the order of the log."""

    def __init__(self) -> None:
        """Initially before the first fact."""
        self._bots: set[str] = set()
        self._bets: dict[str, tuple[RecordedFact, BetPlaced]] = {}
        self._rounds: dict[str, _RoundSoFar] = {}
        self._days: dict[int, DayOpened] = {}

    def rows_of(self, stored: StoredFact) -> Iterator[tuple[AnalysisTable, Row]]:
        """Yields the rows that this fact makes final, each with its table.

        Raises:
            FindingError: the fact cannot be read, or does not follow from those before it.
        """
        recorded = stored.recorded()
        fact = recorded.fact
        if isinstance(fact, PlayerRegistered) and fact.bot:
            self._bots.add(recorded.stream)
        yield FACTS, _fact_row(stored)
        for posting in balanced_postings(recorded):
            yield POSTINGS, self._posting_row(stored, posting.account, posting.amount_minor)
        if isinstance(fact, BetPlaced):
            self._bets[fact.bet] = (recorded, fact)
        elif isinstance(fact, _BET_RESULTS):
            yield BETS, self._ended_bet(recorded, fact)
        elif isinstance(fact, DayOpened):
            self._days[fact.game] = fact
        elif isinstance(fact, RoundFact):
            yield from self._round_rows(recorded.stream, recorded.at, recorded.position, fact)

    def rest(self) -> Iterator[tuple[AnalysisTable, Row]]:
        """Yields the rows of the bets and rounds that are open at the end of the log."""
        for recorded, placed in self._bets.values():
            yield BETS, self._bet_row(recorded, placed, "open")
        for each in self._rounds.values():
            yield ROUNDS, _round_row(each)

    def _posting_row(self, stored: StoredFact, account: str, amount_minor: int) -> Row:
        kind, _, name = account.partition(":")
        player, _, part = name.partition(":")
        is_player = kind == "player"
        return (
            stored.position,
            stored.at,
            stored.topic,
            stored.stream in self._bots,
            account,
            f"{kind}:{part}" if is_player else account,
            int(player) if is_player else None,
            amount_minor,
        )

    def _ended_bet(self, recorded: RecordedFact, fact: _BET_RESULTS) -> Row:
        placed = self._bets.pop(fact.bet, None)
        if placed is None:
            raise FindingError(f"position {recorded.position}: the bet {fact.bet} is not open")
        end = (recorded.at, recorded.position)
        if isinstance(fact, BetSettled):
            paid = (fact.total, fact.payout_minor, fact.payout_bonus_minor)
            return self._bet_row(*placed, "settled", end, paid)
        return self._bet_row(
            *placed, "recalled" if isinstance(fact, BetRecalled) else "voided", end
        )

    def _bet_row(
        self,
        recorded: RecordedFact,
        placed: BetPlaced,
        state: str,
        end: tuple[int | None, int | None] = (None, None),
        paid: tuple[int | None, int | None, int | None] = (None, None, None),
    ) -> Row:
        return (
            placed.bet,
            player_of(recorded.stream),
            recorded.stream in self._bots,
            placed.game,
            placed.issue,
            placed.plan,
            placed.kind,
            placed.stake_minor,
            placed.bonus_minor,
            placed.odds_milli,
            placed.odds_table,
            recorded.at,
            recorded.position,
            state,
            *end,
            *paid,
        )

    def _round_rows(
        self, stream: str, at: int, position: int, fact: RoundFact
    ) -> Iterator[tuple[AnalysisTable, Row]]:
        if isinstance(fact, RoundOpened):
            day = self._days.get(fact.game)
            committed = day if day and day.day == fact.day else None
            self._rounds[stream] = _RoundSoFar(fact, at, committed)
            return
        each = self._rounds.get(stream)
        if each is None:
            raise FindingError(f"position {position}: {stream} is not open")
        _apply(each, fact, at)
        if each.is_final:
            del self._rounds[stream]
            yield ROUNDS, _round_row(each)


def _fact_row(stored: StoredFact) -> Row:
    is_player = stored.stream.startswith("player-")
    return (
        stored.position,
        stored.stream,
        stored.version,
        stored.at,
        stored.topic,
        player_of(stored.stream) if is_player else None,
        stored.command_id,
        stored.actor,
        bytes(stored.state).decode(),
    )


def _apply(each: _RoundSoFar, fact: RoundFact, at: int) -> None:
    match fact:
        case RoundOpened():
            pass  # made the record
        case RoundClosed():
            each.closed, each.closed_at = fact, at
        case RoundDrawn():
            each.drawn, each.drawn_at = fact, at
        case RoundSettled():
            each.settled, each.ended_at = fact, at
        case RoundVoided():
            each.voided, each.ended_at = fact, at
        case VoidRuled():
            each.voided = fact
        case StakesReturned():
            each.ended_at = at
        case WitnessAnsweredLate():
            each.late = fact
        case _ as never:
            assert_never(never)


def _round_row(each: _RoundSoFar) -> Row:
    opened, day, closed, drawn = each.opened, each.day, each.closed, each.drawn
    revealed = drawn or each.voided
    ruled = each.voided if isinstance(each.voided, VoidRuled) else None
    return (
        opened.game,
        opened.issue,
        opened.day,
        opened.index,
        each.state,
        opened.odds_table,
        opened.opens_at,
        opened.closes_at,
        opened.draws_at,
        each.opened_at,
        each.closed_at,
        each.drawn_at,
        each.ended_at,
        day and day.operator_commitment,
        day and day.witness_commitment,
        closed and closed.frozen,
        revealed and (revealed.operator_secret or None),
        revealed and (revealed.witness_secret or None),
        drawn and drawn.digits,
        drawn and drawn.total,
        closed and closed.count,
        closed and closed.stake_minor,
        each.settled and each.settled.payout_minor,
        ruled.status if ruled else (each.voided and Status.ATTESTED),
        each.late and each.late.statement,
    )
