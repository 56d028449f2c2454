"""The writer's state of a game's open day: commitments, and how far its chains are revealed."""

from typing import assert_never

from msgspec import Struct

from engine.fairness.records import DayRecord, record_hash
from engine.house.facts import DayFact, DayOpened, RoundsCarried, RoundsSkipped, SegmentLeft
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    VoidRuled,
)
from engine.schedule import Slot, issue


class GameDay(Struct):
    """`last_index` is the newest round opened or skipped, `prev` the newest frozen record.

    `revealed` is the newest index whose links are public, and both links in hex. `left` is the
    reason why the open segment sells no further round; empty while it sells.
    """

    game: int
    version: int = 0
    opened: DayOpened | None = None
    last_index: int = 0
    prev: str = ""
    revealed: tuple[int, str, str] = (0, "", "")
    left_cause: str = ""

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
        )


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
        case RoundSettled() | VoidRuled() | StakesReturned():
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
