"""The records that are signed: the day as opened, the bets as frozen, a cancel, a finished day.

They exist only as their canonical bytes: those are hashed, signed and published.
"""

import re
from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

import msgspec

from engine.fairness.beacon import BEACON_OFF
from engine.fairness.canonical import canonical
from engine.schedule import Schedule, Slot, rounds_on, slot

RECORD_VERSION = 1
MAX_ROUNDS = 86_400
"""One a second: no day has more, so no chain that another party names can be endless."""

_YEARS = range(1971, 9998)
_DAY = re.compile(r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:/(?P<segment>[1-9][0-9]{0,8}))?")


class DayRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """DayOpened's content, published before the first sale; hashes, links and keys in hex.

    `day` is a draw day or its segment ("2026-11-21/1"), `rounds` the length N of both chains,
    `first` the first index sold under this record. Round i is at place `i - shift` of the schedule,
    so that a segment with a new schedule continues counting where the previous one stopped: no
    index, and no issue, names two rounds. Every signature of the day is checked against these keys:
    a new witness needs a new segment. `beacon` is the mode of its draws, see
    `engine.fairness.beacon`.
    """

    beacon: str
    c_0: str
    day: str
    first: int
    game: str
    odds_table: str
    operator_key: str
    program: str
    rounds: int
    rules: str
    schedule: Schedule
    shift: int
    w_0: str
    witness_key: str
    v: int = RECORD_VERSION


class FrozenRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """F, a round's bet set at its close; `stakes` in minor units by kind, hashes in hex.

    `bets` is the tree head of the unrecalled bets' receipts in log order, `prev` the f of
    the round frozen before it, or the day's hash for the first.
    """

    bets: str
    closes_at: int
    count: int
    day: str
    game: str
    i: int
    issue: str
    prev: str
    stake_minor: int
    stakes: dict[str, int]
    v: int = RECORD_VERSION


class CancelRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round whose link was not released and never will be."""

    day: str
    game: str
    i: int
    v: int = RECORD_VERSION


class FinishedRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a witness released of a finished day or segment: `root` is a tree's head in hex.

    The tree's entries are H(canonical DayRecord), then u32(i) || f_i of each of the `released`
    rounds in the order of their indices. Cancelled rounds are not among them: a log cannot show
    each, because a skip that a crash interrupted is requested again for a later index.
    """

    day: str
    game: str
    released: int
    root: str
    v: int = RECORD_VERSION


Record: TypeAlias = DayRecord | FrozenRecord | CancelRecord
_R = TypeVar("_R", DayRecord, FrozenRecord, CancelRecord)
_DECODERS: Mapping[type, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (DayRecord, FrozenRecord, CancelRecord)
}


def day_parts(day: str) -> tuple[str, int]:
    """The draw day and the segment, 0 for the first, from a name "2026-11-21" or "…/1".

    Raises ValueError for any other spelling: a second name for one day would be a second chain for
    its rounds.
    """
    named = _DAY.fullmatch(day)
    if named is None or not _is_date(named["date"]):
        raise ValueError(f"{day!r} names no draw day or segment")
    return named["date"], int(named["segment"] or 0)


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).year in _YEARS
    except ValueError:
        return False


def slot_of(record: DayRecord, index: int) -> Slot:
    """When a round of a day or segment is sold and drawn; ValueError if it has no such round."""
    draw_day, _ = day_parts(record.day)
    return slot(record.schedule, int(record.game), draw_day, index - record.shift)


def day_record(
    *,
    game: str,
    day: str,
    first: int,
    schedule: Schedule,
    shift: int,
    rules: bytes,
    odds_table: bytes,
    program: bytes,
    c_0: bytes,
    w_0: bytes,
    operator_key: bytes,
    witness_key: bytes,
    beacon: str = BEACON_OFF,
) -> DayRecord:
    """The record that both parties sign before the first sale; hashes, links and keys as 32 bytes.

    Raises ValueError if `day` names no draw day or segment.
    """
    return DayRecord(
        beacon=beacon,
        c_0=c_0.hex(),
        day=day,
        first=first,
        game=game,
        odds_table=odds_table.hex(),
        operator_key=operator_key.hex(),
        program=program.hex(),
        rounds=shift + rounds_on(schedule, day_parts(day)[0]),
        rules=rules.hex(),
        schedule=schedule,
        shift=shift,
        w_0=w_0.hex(),
        witness_key=witness_key.hex(),
    )


def frozen_record(
    *,
    game: str,
    day: str,
    i: int,
    issue: str,
    closes_at: int,
    count: int,
    stakes: Mapping[str, int],
    bets: bytes,
    prev: bytes,
) -> FrozenRecord:
    """F of a round: its `count` unrecalled bets, their stakes in minor units by kind.

    `stakes` names the kinds that were bet on; the record's total is their sum.
    """
    return FrozenRecord(
        bets=bets.hex(),
        closes_at=closes_at,
        count=count,
        day=day,
        game=game,
        i=i,
        issue=issue,
        prev=prev.hex(),
        stake_minor=sum(stakes.values()),
        stakes=dict(stakes),
    )


def record_hash(record: Record) -> bytes:
    """H(canonical record): f_i of a frozen record, the first `prev` of a day's record."""
    return sha256(canonical(record)).digest()


def read_record(kind: type[_R], content: bytes) -> _R:
    """A record from its canonical bytes.

    Raises ValueError for anything else, including the same content in another form: both parties
    must hash the same bytes.
    """
    refusal = f"not the canonical bytes of a {kind.__name__}"
    try:
        record: _R = _DECODERS[kind].decode(content)
        canonical_form = canonical(record)
    except ValueError as error:
        raise ValueError(refusal) from error
    if record.v != RECORD_VERSION or canonical_form != content:
        raise ValueError(refusal)
    return record
