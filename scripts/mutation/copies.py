"""A copy of the code with one fault in it, and whether the fast suites notice."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.mutation.faults import Fault
from scripts.toolbox.places import ROOT

_CODE = ("engine", "scripts", "tests", "projections", "api", "pyproject.toml")
# The rules first, which take seconds; then the state machine on the real writer.
_SUITES = (
    ("-m", "not slow and not long", "tests/engine", "--ignore=tests/engine/test_house_machine.py",
     "--ignore=tests/engine/test_planted_faults.py"),
    ("tests/engine/test_house_machine.py",),
)  # fmt: skip
_LIMIT_S = 900.0
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What became of a fault; `test` is the first that failed, empty when none did."""

    test: str
    seconds: float


class FaultError(Exception):
    """The fault does not fit the code any more."""


@contextmanager
def copy_of_the_code() -> Iterator[Path]:
    """A folder of its own, gone afterwards."""
    with TemporaryDirectory(prefix="fairdraw-mutants-") as folder:
        for name in _CODE:
            source, target = ROOT / name, Path(folder, name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        yield Path(folder)


def judge(folder: Path, fault: Fault | None) -> Verdict:
    """Run the suites with the fault planted (None: as it is), and take it out again."""
    began = time.monotonic()
    if fault is None:
        return Verdict(_first_failure(folder), time.monotonic() - began)
    path = folder / fault.path
    sound = path.read_text()
    if sound.count(fault.before) != 1:
        raise FaultError(f"{fault.path} holds what it replaces {sound.count(fault.before)} times")
    path.write_text(sound.replace(fault.before, fault.after))
    try:
        return Verdict(_first_failure(folder), time.monotonic() - began)
    finally:
        path.write_text(sound)


def _first_failure(folder: Path) -> str:
    for suite in _SUITES:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--hypothesis-profile=quick", *suite]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
        try:
            run = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "(it never ended)"
        if run.returncode:
            found = _FAILED.search(run.stdout)
            return found[1] if found else f"(pytest ended with {run.returncode})"
    return ""
