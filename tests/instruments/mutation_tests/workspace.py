"""A copy of the code with one fault, and the result of its tests."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.devtools.paths import ROOT, WEBAPP
from tests.instruments.mutation_tests.fault import Fault

_CODE = ("engine", "scripts", "tests", "projections", "api", "webapp", "pyproject.toml")
_NOT_COPIED = shutil.ignore_patterns("__pycache__", "node_modules", "dist")
_QUICK = ("-m", "not slow and not long", "--hypothesis-profile=quick")
# The rules first, which take seconds; then the state machine on the real writer.
_RULES = (
    (*_QUICK, "tests/engine", "--ignore=tests/engine/test_house_machine.py",
     "--ignore=tests/engine/test_planted_faults.py"),
    (*_QUICK, "tests/engine/test_house_machine.py"),
)  # fmt: skip
_LIMIT_S = 900.0
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)| FAIL  (\S+)", re.MULTILINE)
# Python reuses a compiled file whose source has the same size and second, so each change gets its
# own second.
_seconds = itertools.count(1)


@dataclass(frozen=True)
class Verdict:
    """The result of one run; `test` is the first that failed, empty if none did."""

    test: str
    seconds: float


class FaultError(Exception):
    """The fault does not fit the code any more."""


@contextmanager
def code_copy() -> Iterator[Path]:
    """A folder with a copy, removed afterwards."""
    with TemporaryDirectory(prefix="fairdraw-mutants-") as folder:
        for name in _CODE:
            source, target = ROOT / name, Path(folder, name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=_NOT_COPIED)
            else:
                shutil.copy(source, target)
        Path(folder, "webapp", "node_modules").symlink_to(WEBAPP / "node_modules")
        yield Path(folder)


def run_suites(folder: Path, fault: Fault) -> Verdict:
    """Run the fault's tests with the fault injected, and restore the code."""
    path = folder / fault.path
    original = path.read_text()
    if original.count(fault.before) != 1:
        raise FaultError(
            f"{fault.path} holds what it replaces {original.count(fault.before)} times"
        )
    _write(path, original.replace(fault.before, fault.after))
    try:
        return run_tests(folder, fault.tests)
    finally:
        _write(path, original)


def run_tests(folder: Path, tests: Iterable[str]) -> Verdict:
    """Run these tests on the copy as it is; without any, the suites of the rules."""
    began = time.monotonic()
    found = next((found for run in _runs(tests) if (found := _first_failure(folder, run))), "")
    return Verdict(found, time.monotonic() - began)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    changed = path.stat().st_mtime_ns + next(_seconds) * 1_000_000_000
    os.utime(path, ns=(changed, changed))


def _runs(tests: Iterable[str]) -> Iterator[list[str]]:
    """The commands, in the order in which to run them."""
    named = sorted(tests)
    web = [test.removeprefix("webapp/") for test in named if test.startswith("webapp/")]
    python = [test for test in named if not test.startswith("webapp/")]
    chosen = [("--hypothesis-profile=quick", *python)] if python else [] if web else _RULES
    for arguments in chosen:
        yield [sys.executable, "-m", "pytest", "-x", "-q", *arguments]
    if web:
        yield ["npx", "vitest", "run", *web]


def _first_failure(folder: Path, command: list[str]) -> str:
    of_web = command[0] == "npx"
    # Each copy has its own compiled files.
    environment = os.environ | {
        "PYTHONPYCACHEPREFIX": str(folder / ".bytecode"),
        "PYTHONPATH": str(folder),
        "NO_COLOR": "1",
    }
    try:
        run = subprocess.run(
            command,
            cwd=folder / "webapp" if of_web else folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "(it never ended)"
    if run.returncode == 0:
        return ""
    found = _FAILED.search(run.stdout + run.stderr)
    return (found[1] or found[2]) if found else f"({command[0]} ended with {run.returncode})"
