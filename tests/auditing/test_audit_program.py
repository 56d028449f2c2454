"""`audit program`: the files of this installation, and the file checks recorded in the log."""

import importlib
from pathlib import Path

import pytest

from engine.house.facts import ProgramChecked
from engine.runtime.code_manifest import engine_code_hash, manifest
from tests.auditing.conftest import Audit
from tests.projections.history import History

Printed = pytest.CaptureFixture[str]
DIGEST, OTHER = "0f" * 32, "1e" * 32


def test_every_file_is_listed_under_one_digest(audit: Audit, capsys: Printed) -> None:
    assert audit("program") == 0
    printed = capsys.readouterr().out.splitlines()
    found = manifest()
    assert printed[0] == f"digest  {found.digest}"
    assert printed[1] == f"engine  {engine_code_hash().hex()}"
    listed = [tuple(line.split()) for line in printed if line.startswith("  ")]
    assert listed == [(digest, path) for path, digest in found.files.items()]


def test_another_digest_than_the_expected_one_is_a_finding(audit: Audit, capsys: Printed) -> None:
    assert audit("program", "--expect", manifest().digest) == 0
    assert capsys.readouterr().err == ""
    assert audit("program", "--expect", DIGEST) == 1
    assert f"not {DIGEST}" in capsys.readouterr().err


def test_the_checks_recorded_in_the_log_are_listed_with_their_times(
    audit: Audit, history: History, capsys: Printed
) -> None:
    history.append(
        ("house", ProgramChecked(DIGEST, OTHER, 321, (), "start")),
        ("house", ProgramChecked(OTHER, OTHER, 320, ("engine/odds.py",), "daily")),
    )
    assert audit("program", "--timezone", "UTC") == 0
    first, second = capsys.readouterr().out.partition("recorded:\n")[2].splitlines()
    assert first.endswith(f"position 1  {DIGEST}  321 files  by start  intact")
    assert second.endswith(f"position 2  {OTHER}  320 files  by daily  CHANGED: engine/odds.py")
    assert first.split()[0][:2] == "20"


def test_the_files_are_listed_where_there_is_no_house(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    main = importlib.import_module("scripts.audit_tool.__main__").main
    assert main(["program", "--data", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert f"digest  {manifest().digest}" in printed
    assert f"recorded: there is no database in {tmp_path}" in printed
