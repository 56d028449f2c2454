"""`scripts/projections` runs the read models' program from any folder."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "projections"), *arguments],
        cwd=folder,
        env={"PATH": os.defpath, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_read_models_are_reached_outside_the_environment(tmp_path: Path) -> None:
    process = _run(tmp_path, "--help")
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("usage: scripts/projections ")


def test_the_data_folder_may_be_named_after_the_command(tmp_path: Path) -> None:
    for arguments in (("status", "--data", "here"), ("--data", "here", "rebuild", "all")):
        process = _run(tmp_path, *arguments)
        assert process.returncode == 2
        assert process.stderr == "there is no database in here: name its folder with --data\n"
