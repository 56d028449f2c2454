"""What `scripts/test` prints of the tests that a machine cannot run."""

import sys
from pathlib import Path

import pytest

from scripts.devtools import suite_runner, suites
from scripts.devtools.suites import Command, Suite

_TESTS = """
import pytest

def test_that_runs():
    pass

@pytest.mark.skipif(True, reason="needs root")
def test_that_needs_more():
    pass
"""


def test_a_skipped_test_and_its_reason_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite_runner, "REPORTS", tmp_path)
    monkeypatch.setattr(suites, "REPORTS", tmp_path)
    (tmp_path / "test_machine.py").write_text(_TESTS)
    (command,) = suites._pytest("machine", []).commands
    pytest_alone = [sys.executable, "-m", "pytest", f"--junitxml={tmp_path / 'machine.xml'}"]
    files: list[str | Path] = [
        "--rootdir",
        tmp_path,
        "-c",
        "/dev/null",
        tmp_path / "test_machine.py",
    ]
    alone = Command([*pytest_alone, *files], tmp_path, command.count, skipped=command.skipped)
    assert suite_runner._sum_up([suite_runner._run_suite(Suite("machine", [alone]), 60)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "    skipped test_machine.test_that_needs_more: needs root" in lines
    assert "2 tests in 1 suite, 1 of them skipped, all passed" in lines
