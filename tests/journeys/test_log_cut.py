"""Facts are removed from a running server's log, as by a fail-over to a lagging replica."""

from pathlib import Path
from typing import Any

import httpx
import psycopg

from engine.facts import RecordedFact
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.program import Program, until

CUT = 20
APPEND_LOCK = "SELECT pg_advisory_xact_lock(hashtext('fairdraw log'), hashtext('log.facts'))"


def cut(program: Program) -> None:
    """Remove the last facts; their rows in log.batches stay."""
    with psycopg.connect(EmbeddedPostgres(program.data).dsn("owner")) as connection:
        # An append that has compared the log's end already is stored before the cut, not after it.
        connection.execute(APPEND_LOCK)
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER facts_append_only")
        connection.execute(
            "DELETE FROM log.facts WHERE notification_id >"
            f" (SELECT max(notification_id) - {CUT} FROM log.facts)".encode()
        )
        connection.execute("ALTER TABLE log.facts ENABLE TRIGGER facts_append_only")


def readiness(program: Program) -> tuple[int, dict[str, Any]]:
    try:
        answer = program.http.get("/readyz")
    except httpx.TransportError:
        return 0, {"reasons": []}
    return answer.status_code, answer.json()


def names_the_cut(program: Program, left: list[RecordedFact]) -> bool:
    """Whether /readyz reports where the log ends and that more was stored."""
    status, body = readiness(program)
    words = f"log: the log ends at position {len(left)}, and "
    return status == httpx.codes.SERVICE_UNAVAILABLE and any(
        reason.startswith(words) for reason in body["reasons"]
    )


def times_printed(data_dir: Path, left: list[RecordedFact]) -> int:
    """The number of times that the console reported the missing facts."""
    output = (data_dir / "console.log").read_text()
    return output.count(f"  the log ends at position {len(left)}, and ")


def test_a_cut_log_is_not_written_over_and_what_is_missing_is_named(data_dir: Path) -> None:
    with Program(data_dir) as program:
        program.start()
        until(lambda: len(program.facts()) > 3 * CUT)
        cut(program)
        left = program.facts()
        until(lambda: names_the_cut(program, left))
        assert program.facts() == left
        until(lambda: times_printed(data_dir, left) == 1)
        program.kill(postgres=False)
        program.launch()
        until(lambda: names_the_cut(program, left))
        assert program.facts() == left
        until(lambda: times_printed(data_dir, left) == 2)
