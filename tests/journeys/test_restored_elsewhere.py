"""A house under load is backed up, lost, and restored on another machine, to five seconds.

The other machine has a network and a user of its own, and gets a copy of the backups and the key.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from engine.bets.facts import BetPlaced
from engine.facts import RecordedFact
from engine.runtime import restored
from scripts.cluster_tool.drill.players import Note, Notes, Players, read_notes
from tests.journeys.machines import (
    USER,
    environment_of_others,
    runner_of,
    two_machines,
    what_is_missing,
)
from tests.journeys.program import DEADLINE_S, Program, until
from tests.journeys.test_restored_house import (
    Player,
    causes,
    command,
    followed,
    is_archived,
    segment_of,
)
from tests.runtime.audit import audit

MISSING: Final = what_is_missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
RESTORES: Final = 5
OWNER: Final = USER + 20
PLAYERS: Final = 6
BETWEEN_S: Final = 4


@contextmanager
def playing(program: Program, notes: Path) -> Iterator[Notes]:
    """Players bet meanwhile, and note every decision."""
    found = Notes(notes)
    load = Players(program.address, found, count=PLAYERS, pause_s=0.05)
    load.start()
    try:
        yield found
    finally:
        load.stop(DEADLINE_S)
        found.close()
    assert load.undecided == 0


def lived(program: Program, backups: Path, key: Path, notes: Path) -> list[datetime]:
    """Play, back up meanwhile, and lose the machine; returns five seconds to restore to."""
    made = command("scripts.backup_tool", "make-key", key, "--data", program.data)
    assert made.returncode == 0, made.stderr
    moments: list[datetime] = []
    with followed(program, backups):
        with playing(program, notes) as found:
            until(lambda: len(found.accepted_at) >= 50)
            made = command("scripts.backup_tool", backups, "--data", program.data)
            assert made.returncode == 0, made.stderr
            for _ in range(RESTORES):
                due = datetime.now(UTC) + timedelta(seconds=BETWEEN_S)
                until(partial(is_past, due))
                moments.append(datetime.now(UTC).replace(microsecond=0))
            enough = len(found.accepted_at) + 50
            until(lambda: len(found.accepted_at) >= enough)
        position = program.facts()[-1].position
        until(lambda: is_archived(backups, position))
    return moments


def is_past(moment: datetime) -> bool:
    return datetime.now(UTC) > moment


def restore(backups: Path, key: Path, new: Path, moment: datetime) -> str:
    """Restore by the other machine's user; returns what the command prints."""
    arguments = (backups, "--key", key, "--data", new, "--to", moment.isoformat())
    done = subprocess.run(
        [*runner_of(OWNER), "-m", "scripts.backup_tool.restore", *map(str, arguments)],
        env=environment_of_others(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def audited(name: str, data: Path) -> None:
    """An audit of the other machine's user finds nothing."""
    done = subprocess.run(
        [*runner_of(OWNER), "-m", "scripts.audit_tool", name, "--data", str(data)],
        env=environment_of_others(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def given_to_owner(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, OWNER, OWNER)


def bets_of(facts: list[RecordedFact]) -> set[str]:
    """The keys of the players' bets; the bots' have none."""
    return {it.command_id for it in facts if isinstance(it.fact, BetPlaced) and it.command_id}


def check(
    new: Path, moment: datetime, before: list[RecordedFact], notes: list[Note], printed: str
) -> None:
    """The restored house has the log of before up to the second, says what is lost, and sells."""
    record = restored.read(new / "keys")
    assert record is not None
    end = record.position
    assert before[end - 1].at <= moment.timestamp() * 1_000_000
    kept = bets_of(before[:end])
    epoch = time.time() - time.monotonic()
    acknowledged = {
        note.key for note in notes if note.code == 1 and note.at + epoch <= moment.timestamp()
    }
    assert acknowledged
    assert acknowledged <= kept < bets_of(before)
    lost = re.search(r"Lost: [0-9,]+ facts, from position ([0-9,]+) on", printed)
    assert lost is not None, printed
    assert lost[1] == f"{end + 1:,}"

    with Program(new, runner=runner_of(OWNER), settings=environment_of_others()) as program:
        program.start()
        Player(program, "after1").bet("drill-after")
        old = [each.fact for each in before[:end]]
        until(lambda: segment_of(program.facts()) not in old)
        facts = program.facts()
        assert facts[:end] == before[:end]
        assert bets_of(facts[end:]) & bets_of(before[end:]) == set()
        assert {*causes(facts)} == {"restored"}
        audit(facts)
        for name in ("check", "log", "fairness"):
            audited(name, new)


def test_a_lost_house_is_restored_on_another_machine_to_each_of_five_seconds(
    data_dir: Path, tmp_path: Path
) -> None:
    backups, key, notes = (tmp_path / name for name in ("backups", "secret.key", "notes"))
    backups.mkdir()
    there = data_dir.with_name(f"{data_dir.name}-elsewhere")
    with two_machines() as machines:
        with Program(data_dir) as program:
            program.start()
            moments = lived(program, backups, key, notes)
            before = program.facts()
            program.kill(postgres=True)
        data_dir.rename(data_dir.with_name(f"{data_dir.name}-burnt"))
        there.mkdir(mode=0o700)
        try:
            with machines.on_witness():
                for number, moment in enumerate(moments):
                    copies, new = there / f"backups-{number}", there / f"house-{number}"
                    shutil.copytree(backups, copies)
                    shutil.copy(key, there / "secret.key")
                    given_to_owner(there)
                    printed = restore(copies, there / "secret.key", new, moment)
                    check(new, moment, before, list(read_notes(notes)), printed)
        finally:
            shutil.rmtree(there)
