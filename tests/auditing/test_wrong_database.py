"""Every program that takes a database reports an unusable one in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = (
    ("api.app", "--port", "1"),
    ("scripts.audit_tool", "trial-balance"),
    ("scripts.audit_tool", "check"),
    ("scripts.audit_tool", "fairness"),
    ("projections", "status"),
    ("projections", "rebuild", "all"),
)


def _stderr_of(url: str, data: Path, program: tuple[str, ...]) -> str:
    """Returns the program's standard error."""
    module, *arguments = program
    done = subprocess.run(
        [sys.executable, "-m", module, "--data", str(data), *arguments]
        if module != "scripts.audit_tool"
        else [sys.executable, "-m", module, *arguments, "--data", str(data)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in {1, 2}
    return done.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=" ".join)
def test_a_wrong_password_is_reported_in_one_line(
    postgres: EmbeddedPostgres, tmp_path: Path, program: tuple[str, ...]
) -> None:
    url = make_conninfo(postgres.dsn("app", "postgres", tcp=True), password="not-the-password")
    error = _stderr_of(url, tmp_path, program)
    assert 'password authentication failed for user "fairdraw_app"' in error
    assert "not-the-password" not in error
    assert error.count("\n") == 1, error
