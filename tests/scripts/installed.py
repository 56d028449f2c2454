"""Programs of the system that a test runs, if they are installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scripts.deploy_files import ROOT


def needs(program: str, package: str) -> pytest.MarkDecorator:
    """Skip a test where this program, of this package of Debian, is missing."""
    missing = shutil.which(program) is None
    return pytest.mark.skipif(missing, reason=f"needs {program}, of Debian's package {package}")


def output_of(*command: str | Path, folder: Path = ROOT) -> str:
    """What a program writes; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
