"""What the witness of the draws is asked, what it stores, and the state that follows.

`witness_decisions.py` decides each request on this state. The witness, which is a program of its
own or part of the server (`engine/runtime/witness/`), stores a record before it answers, and after
a restart its state follows from the stored records. A *party* is the operator or the witness, an
*anchor* the published end of a party's chain, a *tail* its secret other end, `f` the hash of a
frozen record.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias, assert_never

import msgspec

from engine.fairness.draw import WITNESS, chain
from engine.fairness.records import DayRecord, day_parts, read_record


class DeclineReason(StrEnum):
    """Why the witness declines, in the order in which the conditions are checked."""

    RECORD_MALFORMED = "record_malformed"
    DAY_UNKNOWN = "day_unknown"
    DAY_FINISHED = "day_finished"
    SIGNATURE_INVALID = "signature_invalid"
    # Opening a day.
    DAY_OPENED_OTHERWISE = "day_opened_otherwise"
    DAY_WRONG = "day_wrong"
    PARTY_WRONG = "party_wrong"
    ANCHOR_WRONG = "anchor_wrong"
    SEGMENT_PASSED = "segment_passed"
    DAY_LATE = "day_late"
    # Releasing or cancelling a round.
    ROUND_CANCELLED = "round_cancelled"
    ROUND_RELEASED = "round_released"
    ROUND_FROZEN_OTHERWISE = "round_frozen_otherwise"
    ROUND_UNKNOWN = "round_unknown"
    CLOSE_WRONG = "close_wrong"
    ROUND_STILL_OPEN = "round_still_open"
    INDEX_PASSED = "index_passed"
    NOT_LOGGED = "not_logged"


class Declined(msgspec.Struct, frozen=True):
    """Nothing was signed and nothing needs to be stored."""

    reason: DeclineReason


class Signed(msgspec.Struct, frozen=True):
    """A request: a record's canonical bytes with the operator's signature (see signing)."""

    content: bytes
    signature: bytes


class TailKept(msgspec.Struct, frozen=True, tag="tail-kept.1"):
    """The secret end of the witness's chain for a day of `rounds` rounds."""

    game: str
    day: str
    rounds: int
    tail: bytes

    def __repr__(self) -> str:
        return f"TailKept({self.game!r}, {self.day!r}, rounds={self.rounds}, tail withheld)"


class DaySigned(msgspec.Struct, frozen=True, tag="day-signed.1"):
    """A day's record in canonical bytes and the witness's signature over it."""

    content: bytes
    signature: bytes


class RoundReleased(msgspec.Struct, frozen=True, tag="round-released.1"):
    """The only f for which the link of round `i` was released, signed by the witness."""

    game: str
    day: str
    i: int
    f: bytes
    signature: bytes


class RoundCancelled(msgspec.Struct, frozen=True, tag="round-cancelled.1"):
    """The witness's signed "not released, and never will be" for round `i`."""

    game: str
    day: str
    i: int
    signature: bytes


class DayFinished(msgspec.Struct, frozen=True, tag="day-finished.1"):
    """A finished day or segment as an earlier version of the program kept it, without a root."""

    game: str
    day: str
    last: int


class ReleasesSummed(msgspec.Struct, frozen=True, tag="day-finished.2"):
    """The remaining record of a finished day or segment that was signed.

    `last` is its last answered index; `released` and `root` are those of the FinishedRecord that
    `signature` is over.
    """

    game: str
    day: str
    last: int
    released: int
    root: bytes
    signature: bytes


WitnessAnswer: TypeAlias = RoundReleased | RoundCancelled
FinishedDay: TypeAlias = DayFinished | ReleasesSummed
WitnessRecord: TypeAlias = TailKept | DaySigned | WitnessAnswer | FinishedDay


class WitnessDay(msgspec.Struct, frozen=True):
    """One day or segment: its links w_0 … w_N, and what was signed for it so far."""

    links: tuple[bytes, ...]
    opened: DayRecord | None = None
    signed: DaySigned | None = None
    answers: Mapping[int, WitnessAnswer] = {}

    def __repr__(self) -> str:
        return f"WitnessDay(rounds={self.rounds}, last={self.last}, links withheld)"

    @property
    def rounds(self) -> int:
        """The length N of the chain."""
        return len(self.links) - 1

    @property
    def last(self) -> int:
        """The last index released or cancelled, 0 if none."""
        return max(self.answers, default=0)


class WitnessState(msgspec.Struct, frozen=True):
    """All stored records, by game and by day or segment.

    Of a finished one only the last index that was released or cancelled is left, and the root over
    its releases.
    """

    days: Mapping[tuple[str, str], WitnessDay] = {}
    finished: Mapping[tuple[str, str], FinishedDay] = {}

    def is_finished(self, game: str, date: str) -> bool:
        """Whether a day or segment of this date is finished: no other one is opened then."""
        return any(other == game and day_parts(day)[0] == date for other, day in self.finished)

    def records(self) -> Iterator["WitnessRecord"]:
        """The fewest records from which this state follows."""
        yield from self.finished.values()
        for (game, day), witness_day in self.days.items():
            yield TailKept(game, day, witness_day.rounds, witness_day.links[-1])
            if witness_day.signed is not None:
                yield witness_day.signed
            yield from witness_day.answers.values()

    def other_segments(self, record: DayRecord) -> Iterator[tuple[int, DayRecord, WitnessDay]]:
        """The other signed segments of a record's game and draw day, with their numbers."""
        draw_day, _ = day_parts(record.day)
        for (game, day), witness_day in self.days.items():
            other_day, segment = day_parts(day)
            same_draw_day = (game, other_day) == (record.game, draw_day)
            if same_draw_day and day != record.day and witness_day.opened is not None:
                yield segment, witness_day.opened, witness_day

    def newest_of(self, game: str, date: str) -> tuple[int, int]:
        """The highest number of a signed segment of a date, -1 if none, and the last index.

        The index is the last that was released or cancelled in any of them.
        """
        segment, last = -1, 0
        for (other_game, day), witness_day in self.days.items():
            other_date, number = day_parts(day)
            if (other_game, other_date) == (game, date) and witness_day.opened is not None:
                segment, last = max(segment, number), max(last, witness_day.last)
        for (other_game, day), finished in self.finished.items():
            other_date, number = day_parts(day)
            if (other_game, other_date) == (game, date):
                segment, last = max(segment, number), max(last, finished.last)
        return segment, last


def apply_record(state: WitnessState, record: WitnessRecord) -> WitnessState:
    """The state after a record is stored; applying the last record again changes nothing."""
    match record:
        case TailKept(game, day, rounds, tail):
            links = chain(WITNESS, game, day, tail, rounds)
            return _with(state, (game, day), state.days.get((game, day)) or WitnessDay(links))
        case DaySigned(content):
            opened = read_record(DayRecord, content)
            key = (opened.game, opened.day)
            witness_day = msgspec.structs.replace(state.days[key], opened=opened, signed=record)
            return _with(state, key, witness_day)
        case RoundReleased(game, day, i) | RoundCancelled(game, day, i):
            witness_day = state.days[game, day]
            answers = {**witness_day.answers, i: record}
            return _with(state, (game, day), msgspec.structs.replace(witness_day, answers=answers))
        case DayFinished(game, day) | ReleasesSummed(game, day):
            days = {
                key: witness_day for key, witness_day in state.days.items() if key != (game, day)
            }
            return WitnessState(days, {**state.finished, (game, day): record})
        case _:
            assert_never(record)


def _with(state: WitnessState, key: tuple[str, str], witness_day: WitnessDay) -> WitnessState:
    return WitnessState({**state.days, key: witness_day}, state.finished)
