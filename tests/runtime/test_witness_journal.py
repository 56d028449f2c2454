"""The witness's journal: answers are stored; a partly written record counts as not answered."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest

from engine.fairness import signing
from engine.fairness.canonical import canonical
from engine.fairness.records import DayRecord, day_record, slot_of
from engine.fairness.witness_state import DeclineReason, Signed, WitnessRecord
from engine.runtime.scheduler.witness import LocalWitness, WitnessDeclined
from engine.schedule import demo, rounds_on
from tests.engine.fairness import parties

SCHEDULE = demo(210)
FIRST = date(2026, 11, 21)


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def witness(tmp_path: Path, clock: Clock) -> LocalWitness:
    return LocalWitness(tmp_path, clock)


def journal(folder: Path) -> Path:
    return folder / "journal.jsonl"


def stored_records(folder: Path) -> list[Any]:
    """The records in the file, all decoded."""
    return [
        msgspec.json.decode(line, type=WitnessRecord)
        for line in journal(folder).read_bytes().splitlines()
    ]


def open_day(witness: LocalWitness, clock: Clock, day: str) -> DayRecord:
    """Both parties sign this day of game 1, a minute before its first sale ends."""
    name = day
    anchor = witness.commit("1", name, rounds_on(SCHEDULE, day))
    record = day_record(
        game="1",
        day=name,
        first=1,
        schedule=SCHEDULE,
        shift=0,
        rules=bytes(32),
        odds_table=bytes(32),
        program=bytes(32),
        c_0=bytes(32),
        w_0=anchor,
        operator_key=parties.OPERATOR_PUBLIC,
        witness_key=witness.public,
    )
    clock.now = slot_of(record, 1).closes_at - 60_000_000
    content = canonical(record)
    signature = signing.sign(parties.OPERATOR_KEY, signing.DAY, content)
    witness.sign_day(Signed(content, signature), parties.OPERATOR_PUBLIC)
    return record


def cancel(witness: LocalWitness, day: str, index: int) -> tuple[bytes, bytes]:
    """Cancel this round of game 1: the witness signs that it will never release its link."""
    content = canonical({"day": day, "game": "1", "i": index, "v": 1})
    return witness.cancel(
        Signed(content, signing.sign(parties.OPERATOR_KEY, signing.CANCEL, content))
    )


@pytest.mark.parametrize(
    "rest", [b'{"type":"round-canc', b"\0" * 300, b"\0\0\0\n", b'{"type":"tail-kept.1"}\n']
)
def test_a_partly_written_record_is_removed(
    tmp_path: Path, witness: LocalWitness, clock: Clock, rest: bytes
) -> None:
    open_day(witness, clock, FIRST.isoformat())
    signed = cancel(witness, FIRST.isoformat(), 1)
    whole = journal(tmp_path).read_bytes()
    journal(tmp_path).write_bytes(whole + rest)
    again = LocalWitness(tmp_path, clock)
    assert cancel(again, FIRST.isoformat(), 1) == signed
    assert journal(tmp_path).read_bytes() == whole
    cancel(again, FIRST.isoformat(), 2)
    assert len(stored_records(tmp_path)) == 4


def test_a_damaged_file_is_set_aside_and_the_records_before_the_damage_are_kept(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    open_day(witness, clock, FIRST.isoformat())
    for index in (1, 2, 3):
        cancel(witness, FIRST.isoformat(), index)
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:3], b"nothing\n", *lines[4:]])
    journal(tmp_path).write_bytes(damaged)
    again = LocalWitness(tmp_path, clock)
    assert again.status("1", FIRST.isoformat()).last == 1
    assert (tmp_path / "journal.jsonl.damaged").read_bytes() == damaged
    assert len(stored_records(tmp_path)) == 3


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, room: int) -> Iterator[None]:
    """A disk on which a write stores at most `room` bytes."""
    open_file = Path.open

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, content: bytes) -> int:
            return int(self.file.write(content[:room]))

        def fileno(self) -> int:
            return int(self.file.fileno())

    with monkeypatch.context() as full:
        full.setattr(Path, "open", lambda path, *how, **more: Full(open_file(path, *how, **more)))
        yield


@pytest.mark.parametrize("room", [0, 20])
def test_a_full_disk_leaves_file_and_memory_as_they_were(
    tmp_path: Path,
    witness: LocalWitness,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    room: int,
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)
    before = journal(tmp_path).read_bytes()
    with full_disk(monkeypatch, room), pytest.raises(OSError, match="only a part"):
        cancel(witness, day, 1)
    assert journal(tmp_path).read_bytes() == before
    assert witness.status("1", day).last == 0
    cancel(witness, day, 1)
    assert len(stored_records(tmp_path)) == 3


def test_a_record_that_did_not_reach_the_disk_does_not_count(
    tmp_path: Path, witness: LocalWitness, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)

    def fail(_: int) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="no space"):
            cancel(witness, day, 1)
    assert witness.status("1", day).last == 0
    assert len(stored_records(tmp_path)) == 2


def test_finished_days_leave_the_journal_and_are_never_opened_again(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    days = [(FIRST + timedelta(days=number)).isoformat() for number in range(5)]
    for day in days:
        witness.status("1", day)
        open_day(witness, clock, day)
        for index in (1, 2, 3):
            cancel(witness, day, index)
    again = LocalWitness(tmp_path, clock)
    assert again.status("1", days[0]).last == 3
    named = [type(record).__name__ for record in stored_records(tmp_path)]
    assert named.count("DayFinished") == 3
    assert named.count("DaySigned") == 2
    for name in (days[0], f"{days[0]}/1"):
        with pytest.raises(WitnessDeclined, match=DeclineReason.DAY_FINISHED):
            again.commit("1", name, 1)
    with pytest.raises(WitnessDeclined, match=DeclineReason.DAY_FINISHED):
        cancel(again, days[0], 2)
    assert cancel(again, days[3], 2) is not None
