"""Two versions of the server in parallel on one database.

The newer version is a copy of the sources with a changed fact: it writes the fact under a new topic
and reads both.
"""

import secrets
import shutil
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.program import Program, until
from tests.journeys.test_clean_stop import member
from tests.journeys.test_several_processes import accepted, answers, orders, place, readiness
from tests.runtime.audit import audit

pytestmark = pytest.mark.slow
ROOT: Final = Path(__file__).parents[2]
TOPIC: Final = "reality-check-set.2"
_ROUND_SECONDS: Final = 20
_CHANGES: Final = (
    ("engine/players/facts.py", "reality-check-set.1", TOPIC),
    (
        "engine/facts.py",
        "for kind, topic in TOPICS.items()}\n",
        f'for kind, topic in TOPICS.items()}}\nTYPES["reality-check-set.1"] = TYPES["{TOPIC}"]\n',
    ),
)


@pytest.fixture
def newer_version(tmp_path: Path) -> Path:
    """The folder of the newer version's sources."""
    root = tmp_path / "newer"
    for part in ("engine", "projections", "api", "scripts"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name, before, after in _CHANGES:
        text = (root / name).read_text()
        assert before in text
        (root / name).write_text(text.replace(before, after, 1))
    return root


def sets_reality_check(program: Program, token: str) -> None:
    """A call whose fact the newer version writes under its new topic."""
    headers = {"token": token, "Idempotency-Key": secrets.token_hex(8)}
    answer = program.http.post("/api/user/realityCheck", json={"minutes": 60}, headers=headers)
    assert answer.json()["code"] == 1, answer.text


def is_standby(program: Program) -> bool:
    return answers(program, "/healthz") and readiness(program)["role"] == "standby"


def names(program: Program, what: str) -> bool:
    """Whether a reason why the server is not ready begins so."""
    return answers(program, "/healthz") and any(
        reason.startswith(what) for reason in readiness(program)["reasons"]
    )


def times_taken(data: Path) -> int:
    """How often an engine took the lease."""
    with psycopg.connect(EmbeddedPostgres(data).dsn("app")) as connection:
        row = connection.execute("SELECT epoch FROM log.lease").fetchone()
    assert row is not None
    return int(row[0])


def test_each_version_takes_over_from_the_other_and_answers_the_same(
    data_dir: Path, newer_version: Path
) -> None:
    older = Program(data_dir, _ROUND_SECONDS)
    newer = Program(data_dir, _ROUND_SECONDS, root=newer_version)
    with older, newer:
        older.start()
        token, kept = member(older), list[tuple[str, str, dict[str, Any]]]()
        leader, standby = older, newer
        for _ in range(3):
            kept.append(accepted(leader, token))
            standby.launch()
            until(partial(is_standby, standby))
            assert leader.interrupt() == 0
            until(partial(answers, standby, "/readyz"))
            for key, issue, answer in kept:
                assert place(standby, token, key, issue)["data"] == answer["data"]
            leader, standby = standby, leader
        audit(leader.facts())


def test_the_older_version_never_leads_after_a_fact_that_it_does_not_know(
    data_dir: Path, newer_version: Path
) -> None:
    older = Program(data_dir, _ROUND_SECONDS)
    newer = Program(data_dir, _ROUND_SECONDS, root=newer_version)
    with older, newer:
        newer.start()
        token = member(newer)
        key, issue, answer = accepted(newer, token)
        number = answer["data"]["orderNo"]
        older.launch()
        until(partial(is_standby, older))
        sets_reality_check(newer, token)
        until(partial(names, older, f"log: this version does not know {TOPIC} (from position "))
        until(partial(names, older, "rooms: stopped at "))
        assert readiness(older)["role"] == "standby"
        assert orders(older, token) == [number]

        # After a restart it is the same, and its lists show what the newer read models have.
        assert older.interrupt() == 0
        older.launch()
        until(partial(names, older, f"log: this version does not know {TOPIC} (from position "))
        assert orders(older, token) == [number]

        taken = times_taken(data_dir)
        assert newer.interrupt() == 0
        until(partial(names, older, "engine: nobody leads"))
        assert place(older, token, key, issue)["reason"] == "unavailable"
        assert f"This server does not lead: this version does not know {TOPIC}" in (
            (data_dir / "console.log").read_text()
        )
        newer.launch()
        until(partial(answers, newer, "/readyz"))
        assert times_taken(data_dir) == taken + 1
        assert place(newer, token, key, issue)["data"] == answer["data"]
