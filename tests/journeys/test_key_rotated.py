"""The master key is replaced while players bet: the house stops for a moment, and moves running."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import psycopg

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.load import read_records
from tests.journeys.program import DEADLINE_S, Program, until
from tests.journeys.test_killed import every_answer_holds, noted, players

NOTES_BETWEEN = 150


def rotation(data: Path, *options: str) -> str:
    """Run the rotation; returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "api.rotation", "--data", str(data), *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def more_notes(notes: Path) -> None:
    until(partial(noted, notes, len(read_records(notes)) + NOTES_BETWEEN))


def with_idcards(program: Program, notes: Path) -> dict[str, str]:
    """Have each player store an ID card; returns what each one is shown of it, by token."""
    tokens = {note.token: note.player for note in read_records(notes)}
    for token, player in tokens.items():
        program.call("user/profile", {"idcard": f"ID-{player}"}, token)
    return {token: shown_idcard(program, token) for token in tokens}


def shown_idcard(program: Program, token: str) -> str:
    shown: str = program.call("user/userInfo", {}, token)["idcard"]
    return shown


def key_versions(data: Path) -> set[int]:
    with EmbeddedPostgres(data) as server, psycopg.connect(server.dsn("app")) as connection:
        found = connection.execute("SELECT DISTINCT key_version FROM vault.member_keys").fetchall()
    return {version for (version,) in found}


def test_players_move_to_a_new_master_key_while_they_bet(data_dir: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with Program(data_dir) as program:
        program.start()
        with players(program, notes=notes):
            more_notes(notes)
            idcards = with_idcards(program, notes)
            assert key_versions(data_dir) == {1}
            assert program.interrupt() == 0
            assert "players are not moved yet" in rotation(data_dir, "--begin")
            program.start()
            assert key_versions(data_dir) == {1}
            more_notes(notes)
            assert "players moved: " in rotation(data_dir)
            more_notes(notes)
        assert key_versions(data_dir) == {2}
        assert {token: shown_idcard(program, token) for token in idcards} == idcards
        every_answer_holds(program, notes)
