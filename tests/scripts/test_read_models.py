"""`scripts/projections` runs the read models' program wherever it is called from."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _called(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "projections"), *arguments],
        cwd=folder,
        env={"PATH": os.defpath, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_read_models_are_reached_outside_the_environment(tmp_path: Path) -> None:
    told = _called(tmp_path, "--help")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("usage: scripts/projections ")


def test_the_data_folder_may_be_named_after_the_command(tmp_path: Path) -> None:
    for arguments in (("status", "--data", "here"), ("--data", "here", "rebuild", "all")):
        told = _called(tmp_path, *arguments)
        assert told.returncode == 2
        assert told.stderr == "there is no house in here: name it with --data\n"
