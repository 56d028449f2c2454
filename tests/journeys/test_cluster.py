"""`scripts/cluster` brings a whole house up, kills the primary under load, and loses nothing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from scripts.cluster_tool import installation

MISSING: Final = "; ".join(installation.missing())
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
ROOT: Final = Path(__file__).parents[2]
#: Not the default ones: a developer's own cluster may run.
PLACE: Final = ("--prefix", "fdt", "--network", "10.78.214.0/24")
DEADLINE_S: Final = 900


def cluster(folder: Path, *typed: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command of `scripts/cluster` on the cluster in this folder."""
    command = [sys.executable, "-m", "scripts.cluster_tool", *typed, "--dir", folder]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )


def left_on_the_machine() -> str:
    """The names of the cluster's namespaces and links that exist."""
    shown = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for command in (["ip", "netns", "list"], ["ip", "-brief", "link", "show"])
    ]
    return "\n".join(line for text in shown for line in text.splitlines() if "fdt-" in line)


def drilled(folder: Path, notes: Path) -> dict[str, Any]:
    """The result of killing the primary once while players bet."""
    result = notes.with_suffix(".json")
    files = ("--record", notes.with_suffix(".record"), "--notes", notes, "--json", result)
    done = cluster(folder, "drill", "--faults", "primary-kill", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(result.read_text())
    return found


def test_no_bet_is_lost_when_the_primary_is_killed(data_dir: Path, tmp_path: Path) -> None:
    try:
        up = cluster(data_dir, "up", "--fast", "--round-seconds", "30", *PLACE)
        assert up.returncode == 0, up.stdout + up.stderr
        assert "db1 is the primary" in up.stdout or "is the primary, db" in up.stdout

        second = cluster(data_dir, "up", *PLACE)
        assert second.returncode == 1
        assert "a cluster runs in" in second.stderr

        result = drilled(data_dir, tmp_path / "notes.jsonl")
        (injection,) = result["injections"]
        assert injection["node"].startswith("db")
        assert result["comparison"]["accepted"] > 0
    finally:
        down = cluster(data_dir, "down")
        shutil.rmtree(data_dir, ignore_errors=True)
    assert down.returncode == 0, down.stderr
    assert left_on_the_machine() == ""
