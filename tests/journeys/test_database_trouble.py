"""PostgreSQL restarts, or its connections are cut many times, while players bet over HTTP."""

import signal
from pathlib import Path

import httpx
import psutil
import psycopg

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.load import read_records, read_undecided
from tests.journeys.program import Program, until
from tests.journeys.test_killed import (
    completed,
    effects,
    matches_log,
    noted,
    players,
    repeat,
)
from tests.runtime.audit import audit, balances

CUTS = 20
NOTES_BETWEEN = 25
_CUT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


def is_ready(program: Program) -> bool:
    return program.http.get("/readyz").status_code == httpx.codes.OK


def more_noted(notes: Path) -> None:
    """Returns once the players have received more answers."""
    enough = len(read_records(notes)) + NOTES_BETWEEN
    until(lambda: noted(notes, enough))


def cut_all(program: Program) -> None:
    """End all of the server's database sessions in the middle of their work."""
    with psycopg.connect(EmbeddedPostgres(program.data).dsn("admin"), autocommit=True) as admin:
        row = admin.execute(_CUT).fetchone()
    assert row is not None
    assert row[0] > 0


def restart_database(program: Program) -> None:
    """Stop PostgreSQL as an operator would; the server starts it again."""
    server = EmbeddedPostgres(program.data).postmaster()
    assert server is not None
    psutil.Process(server.pid).send_signal(signal.SIGINT)
    until(lambda: not is_ready(program))
    until(lambda: is_ready(program))


def nothing_is_lost_or_doubled(program: Program, notes: Path) -> None:
    """Each acknowledged call is in the log once, and its key still gets the same answer."""
    first = read_records(notes)
    assert [(n.key, n.code, n.data) for n in repeat(program, notes)] == [
        (n.key, n.code, n.data) for n in first
    ]
    facts = completed(program, {note.player for note in first})
    audit(facts)
    assert sum(balances(facts).values()) == 0
    placed, recalled = effects(facts)
    for note in first:
        effect = placed if note.path.endswith("playOrder") else recalled
        assert effect[note.key] == note.code
    matches_log(program, first, facts)


def refused_only_for_now(notes: Path) -> None:
    """No player got an internal error: only 503 with Retry-After."""
    for status, reason, again in read_undecided(notes):
        assert (status, again) == (503, "1"), reason


def test_twenty_cuts_of_all_connections_lose_nothing(data_dir: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with Program(data_dir) as program:
        program.start()
        with players(program, notes=notes):
            for _ in range(CUTS):
                more_noted(notes)
                cut_all(program)
            more_noted(notes)
        refused_only_for_now(notes)
        until(lambda: is_ready(program))
        nothing_is_lost_or_doubled(program, notes)


def test_a_restart_of_the_database_loses_nothing_and_shows(data_dir: Path, tmp_path: Path) -> None:
    """/readyz answers 503 while the database is unavailable, and 200 afterwards by itself."""
    notes = tmp_path / "notes"
    with Program(data_dir) as program:
        program.start()
        with players(program, notes=notes):
            for _ in range(2):
                more_noted(notes)
                restart_database(program)
            more_noted(notes)
        refused_only_for_now(notes)
        nothing_is_lost_or_doubled(program, notes)
