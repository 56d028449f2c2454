"""A drill: a house is backed up and archived, killed, and restored on another machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import msgspec
import pytest

from engine.bets.facts import BetPlaced
from engine.facts import RecordedFact
from engine.house.facts import DayOpened, SegmentLeft
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from scripts.backup_tool.repository import Newest
from tests.journeys.program import DEADLINE_S, Program, until
from tests.runtime.audit import audit


class Player:
    """A player who bets at the room of game 1, each bet with its own key."""

    def __init__(self, program: Program, name: str) -> None:
        body = {"username": name, "password": "secret-enough-1", "group_id": 1}
        self._program = program
        self._token = program.call("user/register", body)["userinfo"]["token"]

    def bet(self, name: str) -> None:
        """Returns once the bet is acknowledged; a refused one is tried again with another key."""
        tries = count(1)
        until(lambda: self._is_placed(f"{name}.{next(tries)}"))

    def _is_placed(self, key: str) -> bool:
        room = {"plan_id": 1, "game_id": 1}
        current = self._program.call("Lottery/heart", room, self._token)["issue"]
        answer = self._program.http.post(
            "/api/Lottery/playOrder",
            json=room | {"issue": str(current["issue"]), "play_type": "big", "money": 1},
            headers={"token": self._token, "Idempotency-Key": key},
        ).json()
        return bool(answer["code"] == 1)


def command(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run one of the commands to its end."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


@contextmanager
def followed(program: Program, backups: Path) -> Iterator[None]:
    """Archive the log of the house meanwhile."""
    arguments = ["follow", backups, "--data", program.data, "--every", "0.2"]
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.backup_tool", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        try:
            yield
        finally:
            process.terminate()
    assert process.returncode == 0


def is_archived(backups: Path, position: int) -> bool:
    """Whether the archive has seen a position, and was written again after that."""
    try:
        newest = msgspec.json.decode((backups / "wal" / "newest.json").read_bytes(), type=Newest)
    except FileNotFoundError:
        return False
    return newest.position > position + 20


def bets_in(facts: list[RecordedFact]) -> list[str]:
    """The names of the player's bets in a log, in order."""
    return [
        each.command_id.partition(".")[0]
        for each in facts
        if isinstance(each.fact, BetPlaced) and each.command_id.startswith("drill-")
    ]


def position_of(facts: list[RecordedFact], name: str) -> int:
    (found,) = (it.position for it in facts if it.command_id.startswith(f"{name}."))
    return found


def check_restored(program: Program, expected: list[str], audits: tuple[str, ...]) -> None:
    """The house has these bets, has begun a new segment, sells, and its audits are clean."""
    with EmbeddedPostgres(program.data):
        restored_facts = program.facts()
    assert bets_in(restored_facts) == expected
    program.start()
    Player(program, "after1").bet("drill-after")
    before = [each.fact for each in restored_facts]
    # An open round, which no one can have drawn yet, is sold to its end.
    until(lambda: segment_of(program.facts()) not in before)
    facts = program.facts()
    assert {*causes(facts)} == {"restored"}
    assert bets_in(facts) == [*expected, "drill-after"]
    assert facts[: len(restored_facts)] == restored_facts
    audit(facts)
    for name in audits:
        result = command("scripts.audit_tool", name, "--data", program.data)
        assert result.returncode == 0, result.stdout + result.stderr


def segment_of(facts: list[RecordedFact]) -> DayOpened:
    """The newest segment of draws of the first game."""
    opened = (each.fact for each in facts if isinstance(each.fact, DayOpened))
    (*_, newest) = (fact for fact in opened if fact.game == 1)
    return newest


def causes(facts: list[RecordedFact]) -> list[str]:
    return [each.fact.cause for each in facts if isinstance(each.fact, SegmentLeft)]


@pytest.mark.slow
def test_a_killed_house_is_restored_to_the_end_to_a_time_and_to_a_position(
    data_dir: Path, tmp_path: Path
) -> None:
    backups, key = tmp_path / "backups", tmp_path / "secret.key"
    backups.mkdir()
    with Program(data_dir) as program:
        program.start()
        player = Player(program, "before1")
        made = command("scripts.backup_tool", "make-key", key, "--data", data_dir)
        assert made.returncode == 0, made.stderr
        with followed(program, backups):
            player.bet("drill-1")
            made = command("scripts.backup_tool", backups, "--data", data_dir)
            assert made.returncode == 0, made.stderr
            player.bet("drill-2")
            between = datetime.now(UTC)
            player.bet("drill-3")
            player.bet("drill-4")
            facts = program.facts()
            position = position_of(facts, "drill-3")
            until(lambda: is_archived(backups, facts[-1].position))
            program.kill(postgres=True)
    data_dir.rename(data_dir.with_name(f"{data_dir.name}-burnt"))
    restores: tuple[tuple[list[object], int, tuple[str, ...]], ...] = (
        ([], 4, ("log",)),
        (["--to", between.isoformat()], 2, ("check", "log", "fairness")),
        (["--to-position", position], 3, ("log",)),
    )
    for number, (arguments, bets, audits) in enumerate(restores):
        new = data_dir.with_name(f"{data_dir.name}-new{number}")
        result = command(
            "scripts.backup_tool.restore", backups, "--key", key, "--data", new, *arguments
        )
        assert result.returncode == 0, result.stderr
        with Program(new) as program:
            check_restored(program, [f"drill-{each}" for each in range(1, bets + 1)], audits)
