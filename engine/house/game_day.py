"""A game's open day: the writer's state of it, and the decisions on it.

The state has the commitments, and how far the day's chains are revealed.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, assert_never

from msgspec import Struct

from engine.answers import Refused
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, link
from engine.fairness.records import DayRecord, day_parts, record_hash
from engine.fairness.signing import DAY, verify
from engine.house.commands import LeaveSegment, OpenDay, SkipRounds
from engine.house.facts import DayFact, DayOpened, RoundsCarried, RoundsSkipped, SegmentLeft
from engine.odds import TABLES, table_hash
from engine.refusals import Refusal
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    VoidRuled,
    WitnessAnsweredLate,
)
from engine.schedule import Slot, issue

DATES_ASKED: Final = 30
"""On how many dates, its own included, a voided round's witness is asked what was true.

A witness that still signs the game's days forgets a date after two of them. One that was replaced
keeps it, and may come back from a repair.
"""


class GameDay(Struct):
    """`last_index` is the newest round opened or skipped, `prev` the newest frozen record.

    `revealed` is the newest index whose links are public, and both links in hex. `left_cause` is
    the reason why the open segment sells no further round; empty while it sells. `dates` are the
    newest dates that were opened, oldest first, at most `DATES_ASKED`.
    """

    game: int
    version: int = 0
    opened: DayOpened | None = None
    last_index: int = 0
    prev: str = ""
    revealed: tuple[int, str, str] = (0, "", "")
    left_cause: str = ""
    dates: tuple[str, ...] = ()

    @property
    def day(self) -> str:
        """The name of the open day or segment in the chains; empty before the first."""
        return self.opened.day if self.opened else ""

    @property
    def odds_table(self) -> str:
        """The id of the odds table of the day."""
        return self._opened.odds_table

    @property
    def witness_key(self) -> str:
        """The witness's public key, hex."""
        return self._opened.witness_key

    @property
    def beacon(self) -> str:
        """The beacon mode of its draws: "off", or a network's chain hash."""
        return self._opened.beacon

    @property
    def _opened(self) -> DayOpened:
        assert self.opened is not None
        return self.opened

    def issue_of(self, index: int) -> str:
        """The public number of the day's round `index`."""
        day = self._opened
        return issue(day.schedule, day.date, index)

    def fork(self) -> "GameDay":
        """A copy to decide on, which may be discarded."""
        return GameDay(
            self.game,
            self.version,
            self.opened,
            self.last_index,
            self.prev,
            self.revealed,
            self.left_cause,
            self.dates,
        )

    def asks_about(self, day: str) -> bool:
        """Whether the witness is still asked about the voided rounds of this day or segment."""
        return day_parts(day)[0] in self.dates


def record_of(day: DayOpened) -> DayRecord:
    """The record that both parties signed."""
    return DayRecord(
        beacon=day.beacon,
        c_0=day.operator_commitment,
        day=day.day,
        first=day.first,
        game=str(day.game),
        odds_table=day.odds_hash,
        operator_key=day.operator_key,
        program=day.program_hash,
        rounds=day.rounds,
        rules=day.rules_hash,
        schedule=day.schedule,
        shift=day.shift,
        w_0=day.witness_commitment,
        witness_key=day.witness_key,
    )


def evolve(game: GameDay, fact: DayFact) -> GameDay:
    """Apply a fact of the game's stream in place and return the game; never refuses."""
    game.version += 1
    match fact:
        case DayOpened():
            game.opened = fact
            game.last_index = fact.first - 1
            game.prev = record_hash(record_of(fact)).hex()
            game.revealed = (0, fact.operator_commitment, fact.witness_commitment)
            game.left_cause = ""
            if fact.date not in game.dates:
                game.dates = (*game.dates, fact.date)[-DATES_ASKED:]
        case SegmentLeft(cause=cause):
            game.left_cause = cause
        case RoundsCarried():
            pass
        case RoundsSkipped():
            game.last_index = fact.last
            game.revealed = (fact.last, fact.operator_secret, fact.witness_secret)
        case _ as never:
            assert_never(never)
    return game


def track_round(game: GameDay, fact: RoundFact, day: str = "") -> None:
    """Update what later rounds of the day build on: the newest index, record and links.

    `day` is the round's segment. A fact about a round of an earlier segment changes nothing for the
    open one.
    """
    if day and day != game.day:
        return
    match fact:
        case RoundOpened(index=index):
            game.last_index = index
        case RoundClosed(frozen=frozen):
            game.prev = frozen
        case RoundDrawn() | RoundVoided():
            game.revealed = (fact.index, fact.operator_secret, fact.witness_secret)
        case RoundSettled() | VoidRuled() | StakesReturned() | WitnessAnsweredLate():
            pass
        case _ as never:
            assert_never(never)


def next_segment(game: GameDay, slot: Slot) -> int:
    """The number of the segment that begins with this slot; 0 is the day itself.

    A start after the day's first round begins a segment: the day itself begins with its first.
    """
    day = game.opened
    if day is not None and day.date == slot.date:
        return day.segment + 1
    return int(slot.index > 1)


def index_offset(game: GameDay, date: str, place: int, consumed: int = 0) -> int:
    """The offset of indices from the schedule's places, so that no index is used twice.

    `consumed` is the last index of the date that the witness released or cancelled.
    """
    day = game.opened
    used = game.last_index if day is not None and day.date == date else 0
    return max(0, max(used, consumed) + 1 - place)


def segment_name(date: str, segment: int) -> str:
    """A day's or segment's name in the chains."""
    return f"{date}/{segment}" if segment else date


class Cause(StrEnum):
    """Why a segment is left when the log, the chains and the witness's records disagree.

    Or because all of them were restored from a backup: then they may agree.
    """

    CHAIN_LOST = "chain_lost"
    WITNESS_UNKNOWING = "witness_unknowing"
    WITNESS_BEHIND = "witness_behind"
    WITNESS_AHEAD = "witness_ahead"
    # Its link or its signature does not fit what it committed to.
    WITNESS_CONTRADICTS = "witness_contradicts"
    RESTORED = "restored"


def open_day(
    command: OpenDay, game: GameDay, *, selling: bool, carried: Sequence[str] = ()
) -> list[DayFact] | Refused:
    """Commit to a day's chains; not while a round of the game is on sale.

    `carried` are the closed rounds of earlier segments that are neither drawn nor voided. Refuses a
    day that lacks a party's signature, or whose record names other odds than it sells.
    """
    record = command.record
    if record.day == game.day:
        return []
    if selling:
        return Refused(Refusal.ROUND_OWED)
    if not _signed(command) or record.odds_table != table_hash(TABLES[command.odds_table]).hex():
        return Refused(Refusal.SECRET_WRONG)
    opened = _opened(command, record)
    if not carried:
        return [opened]
    return [RoundsCarried(command.game, record.day, tuple(carried)), opened]


def _signed(command: OpenDay) -> bool:
    content = canonical(command.record)
    keys = (command.record.operator_key, command.record.witness_key)
    signatures = (command.operator_signature, command.witness_signature)
    return all(
        verify(bytes.fromhex(key), DAY, content, bytes.fromhex(signature))
        for key, signature in zip(keys, signatures, strict=True)
    )


def _opened(command: OpenDay, record: DayRecord) -> DayOpened:
    date, segment = day_parts(record.day)
    return DayOpened(
        game=command.game,
        day=record.day,
        date=date,
        segment=segment,
        first=record.first,
        rounds=record.rounds,
        shift=record.shift,
        schedule=record.schedule,
        odds_table=command.odds_table,
        odds_hash=record.odds_table,
        rules_hash=record.rules,
        program_hash=record.program,
        beacon=record.beacon,
        operator_commitment=record.c_0,
        witness_commitment=record.w_0,
        operator_key=record.operator_key,
        witness_key=record.witness_key,
        operator_signature=command.operator_signature,
        witness_signature=command.witness_signature,
    )


def leave_segment(command: LeaveSegment, game: GameDay) -> list[DayFact]:
    """Stop selling rounds in the open segment; leaving it twice yields no facts."""
    if command.day != game.day or game.left_cause:
        return []
    return [SegmentLeft(command.game, command.day, command.cause)]


def skip_rounds(command: SkipRounds, game: GameDay, *, unfinished: bool) -> list[DayFact] | Refused:
    """Reveal the links of rounds that were never sold; they would reveal an unfinished round's.

    `unfinished` means that a round of the segment is neither drawn nor voided: then this refuses.
    """
    if command.last <= game.last_index:
        return []
    if unfinished:
        return Refused(Refusal.ROUND_OWED)
    if not _links_valid(command, game):
        return Refused(Refusal.SECRET_WRONG)
    return [
        RoundsSkipped(
            command.game,
            game.day,
            game.last_index + 1,
            command.last,
            command.operator_secret,
            command.witness_secret,
        )
    ]


def _links_valid(command: SkipRounds, game: GameDay) -> bool:
    index, expected_operator, expected_witness = game.revealed
    operator, witness = (
        bytes.fromhex(command.operator_secret),
        bytes.fromhex(command.witness_secret),
    )
    for step in reversed(range(index, command.last)):
        operator = link(OPERATOR, str(command.game), game.day, step, operator)
        witness = link(WITNESS, str(command.game), game.day, step, witness)
    return (operator.hex(), witness.hex()) == (expected_operator, expected_witness)
