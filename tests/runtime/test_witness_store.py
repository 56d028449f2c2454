"""The witness's store: answers are stored; a partly written record counts as not answered."""

import shutil
import sqlite3
from contextlib import closing
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.fairness import checkpoints, signing
from engine.fairness.canonical import canonical
from engine.fairness.checkpoints import Checkpoint, Note, NoteSignature, origin_of
from engine.fairness.cosigning import CosignRequest
from engine.fairness.records import (
    DayRecord,
    day_record,
    frozen_record,
    record_hash,
    slot_of,
)
from engine.fairness.witness_state import (
    DayFinished,
    DeclineReason,
    ReleasesSummed,
    Signed,
    WitnessRecord,
)
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.witness.witness import WitnessDeclined
from engine.runtime.witness.witness_store import FILE, WitnessStore
from engine.schedule import demo, issue, rounds_on
from scripts.witness_cli.__main__ import main as witness_command
from tests.engine.fairness import parties

SCHEDULE = demo(210)
ORIGIN = origin_of(parties.OPERATOR_PUBLIC)
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


def stored_records(folder: Path) -> list[Any]:
    """The records in the file, all decoded."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        rows = connection.execute("SELECT record FROM records ORDER BY number").fetchall()
    return [msgspec.json.decode(text, type=WitnessRecord) for (text,) in rows]


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


def test_a_partly_written_record_is_rolled_back(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)
    signed = cancel(witness, day, 1)
    copy = tmp_path / "copy"
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as writing:
        writing.execute("PRAGMA cache_spill = 1")
        writing.execute("PRAGMA cache_size = 1")
        writing.execute("BEGIN IMMEDIATE")
        for number in range(500):
            writing.execute("INSERT INTO records (record) VALUES (?)", (f"torn {number}" * 50,))
        shutil.copytree(tmp_path, copy)  # as a machine that loses its power now
    assert (copy / f"{FILE}-journal").exists()
    again = LocalWitness(copy, clock)
    assert cancel(again, day, 1) == signed
    assert len(stored_records(copy)) == 3
    cancel(again, day, 2)
    assert len(stored_records(copy)) == 4


@pytest.mark.parametrize("damage", [b"nothing", b"\0" * 8192])
def test_a_damaged_file_is_set_aside(
    tmp_path: Path, witness: LocalWitness, clock: Clock, damage: bytes
) -> None:
    open_day(witness, clock, FIRST.isoformat())
    cancel(witness, FIRST.isoformat(), 1)
    (tmp_path / FILE).write_bytes(damage)
    again = LocalWitness(tmp_path, clock)
    assert again.status("1", FIRST.isoformat()).record == ""
    assert (tmp_path / f"{FILE}.damaged").read_bytes() == damage
    assert again.commit("1", FIRST.isoformat(), 10)


def test_an_altered_record_is_set_aside_with_its_file(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    open_day(witness, clock, FIRST.isoformat())
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("UPDATE records SET record = '{}' WHERE number = 2")
    assert LocalWitness(tmp_path, clock).status("1", FIRST.isoformat()).record == ""
    assert (tmp_path / f"{FILE}.damaged").exists()


def test_a_full_disk_leaves_file_and_memory_as_they_were(
    tmp_path: Path, witness: LocalWitness, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)
    connect = WitnessStore._connect

    def full(store: WitnessStore) -> sqlite3.Connection:
        connection = connect(store)
        connection.execute("PRAGMA max_page_count = 1")  # means: no more than there are
        return connection

    stored = 0
    with monkeypatch.context() as patched:
        patched.setattr(WitnessStore, "_connect", full)
        with pytest.raises(OSError, match="full"):  # noqa: PT012 - as many as still fit
            for index in range(1, 200):
                cancel(witness, day, index)
                stored = index
        assert witness.status("1", day).last == stored
    assert len(stored_records(tmp_path)) == 2 + stored
    cancel(witness, day, stored + 1)
    assert witness.status("1", day).last == stored + 1


def test_what_another_process_stored_counts(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)
    other = LocalWitness(tmp_path, clock)
    signed = cancel(other, day, 1)
    assert cancel(witness, day, 1) == signed
    assert len(stored_records(tmp_path)) == 3


def test_a_checkpoint_leaves_the_records_known(
    tmp_path: Path, witness: LocalWitness, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them hashes the chains of the day, and a checkpoint is stored each second."""
    open_day(witness, clock, FIRST.isoformat())
    store = WitnessStore(tmp_path)
    known = store.state()
    with monkeypatch.context() as patched:
        patched.setattr(WitnessStore, "_folded", lambda _: pytest.fail("read again"))
        store.add_checkpoint(note_over(1))
        assert store.state() is known
    cancel(witness, FIRST.isoformat(), 1)
    store.add_checkpoint(note_over(2))
    assert store.state() != known, "what another process stored before the checkpoint counts"


def note_over(size: int) -> Note:
    return checkpoints.sign(Checkpoint(ORIGIN, size, bytes([size]) * 32), parties.OPERATOR_KEY)


def cosign(witness: LocalWitness, note: Note) -> NoteSignature:
    """The witness's first cosignature, or one on the same checkpoint again."""
    newest = [it.size for it in witness.checkpoints()]
    old = newest[0] if newest else 0
    return witness.cosign(CosignRequest(old, (), note), parties.OPERATOR_PUBLIC)


def test_the_newest_note_is_kept_with_both_signatures(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    clock.now = 7_000_000
    assert witness.note(ORIGIN) is None
    signature = cosign(witness, note_over(3))
    kept = LocalWitness(tmp_path, clock).note(ORIGIN)
    assert kept == note_over(3).with_signatures([signature])
    assert checkpoints.cosigned_at(kept, witness.name, witness.public) == 7
    checkpoints.verify(kept, ORIGIN, parties.OPERATOR_PUBLIC)
    witness.forget_checkpoints()
    assert witness.note(ORIGIN) is None


def test_the_store_of_an_earlier_release_has_no_note_until_it_cosigns_again(
    tmp_path: Path, witness: LocalWitness, capsys: pytest.CaptureFixture[str]
) -> None:
    note = note_over(3)
    cosign(witness, note)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("DROP TABLE notes")
    command = ["checkpoint", "--data", str(tmp_path)]
    assert witness_command(command) == 1
    assert "it has cosigned 3 facts, but an earlier release kept no" in capsys.readouterr().err
    cosign(witness, note)
    assert witness_command(command) == 0
    assert checkpoints.read_note(capsys.readouterr().out).checkpoint == note.checkpoint


def test_a_witness_of_several_logs_prints_the_one_that_is_named(
    tmp_path: Path, witness: LocalWitness, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["checkpoint", "--data", str(tmp_path)]
    assert witness_command(command) == 1
    assert "not cosigned a checkpoint yet" in capsys.readouterr().err
    cosign(witness, note_over(3))
    other = checkpoints.sign(Checkpoint("another", 5, bytes(32)), parties.OPERATOR_KEY)
    WitnessStore(tmp_path).add_checkpoint(other)
    assert witness_command(command) == 1
    assert f"several logs, name one with --log: another, {ORIGIN}" in capsys.readouterr().err
    assert witness_command([*command, "--log", ORIGIN]) == 0
    assert capsys.readouterr().out.startswith(f"{ORIGIN}\n3\n")
    assert witness_command(["status", "--data", str(tmp_path)]) == 0
    status = capsys.readouterr().out
    assert f"log {ORIGIN}: cosigned up to 3 facts, root {'03' * 32}\n" in status


def test_the_records_of_an_earlier_release_are_taken_over(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    day = FIRST.isoformat()
    open_day(witness, clock, day)
    signed = cancel(witness, day, 1)
    lines = [msgspec.json.encode(record) + b"\n" for record in stored_records(tmp_path)]
    (tmp_path / FILE).unlink()
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(lines) + b'{"type":"round-canc')
    again = LocalWitness(tmp_path, clock)
    assert cancel(again, day, 1) == signed
    assert len(stored_records(tmp_path)) == 3
    assert not journal.exists()


def test_finished_days_leave_the_store_and_are_never_opened_again(
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
    assert named.count("ReleasesSummed") == 3
    assert named.count("DaySigned") == 2
    for name in (days[0], f"{days[0]}/1"):
        with pytest.raises(WitnessDeclined, match=DeclineReason.DAY_FINISHED):
            again.commit("1", name, 1)
    with pytest.raises(WitnessDeclined, match=DeclineReason.DAY_FINISHED):
        cancel(again, days[0], 2)
    assert cancel(again, days[3], 2) is not None
    empty = [each for each in again.signed_records() if isinstance(each, ReleasesSummed)]
    assert [(each.day, each.last, each.released) for each in empty] == [
        (day, 3, 0) for day in days[:3]
    ]


def test_a_finished_day_keeps_the_signed_root_over_what_was_released(
    tmp_path: Path, witness: LocalWitness, clock: Clock
) -> None:
    days = [(FIRST + timedelta(days=number)).isoformat() for number in range(3)]
    record = open_day(witness, clock, days[0])
    frozen = [release(witness, clock, record, index) for index in (1, 3)]
    cancel(witness, days[0], 4)
    for day in days[1:]:
        open_day(witness, clock, day)
    witness.status("1", days[0])
    (kept,) = (
        each
        for each in LocalWitness(tmp_path, clock).signed_records()
        if isinstance(each, ReleasesSummed)
    )
    opened = sha256(b"\0" + sha256(canonical(record)).digest()).digest()
    first, third = (
        sha256(b"\0" + index.to_bytes(4, "big") + f).digest()
        for index, f in zip((1, 3), frozen, strict=True)
    )
    root = node(node(opened, first), third)
    assert (kept.day, kept.last, kept.released, kept.root) == (days[0], 4, 2, root)
    content = f'{{"day":"{days[0]}","game":"1","released":2,"root":"{root.hex()}","v":1}}'
    assert signing.verify(
        witness.public, b"fairdraw/finished/v1\0", content.encode(), kept.signature
    )


def test_a_day_that_an_earlier_release_finished_stays_finished_without_a_root(
    tmp_path: Path, witness: LocalWitness
) -> None:
    day = FIRST.isoformat()
    WitnessStore(tmp_path).append(DayFinished("1", day, 7))
    assert witness.status("1", day).last == 7
    assert witness.signed_records() == [DayFinished("1", day, 7)]
    with pytest.raises(WitnessDeclined, match=DeclineReason.DAY_FINISHED):
        witness.commit("1", day, 1)


def release(witness: LocalWitness, clock: Clock, day: DayRecord, index: int) -> bytes:
    """Release this round of game 1, at its close; returns its f."""
    due = slot_of(day, index)
    clock.now = due.closes_at
    frozen = frozen_record(
        game="1",
        day=day.day,
        i=index,
        issue=issue(SCHEDULE, due.date, index),
        closes_at=due.closes_at,
        count=0,
        stakes={},
        bets=bytes(32),
        prev=bytes(32),
    )
    f = record_hash(frozen)
    signature = signing.sign(parties.OPERATOR_KEY, signing.FROZEN, f)
    witness.release(Signed(canonical(frozen), signature))
    return f


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()
