"""The suites of `scripts/test` and `scripts/check`, and how the tests in each are counted."""

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.devtools.browser import prepare_browser
from scripts.devtools.paths import CACHE, PYTHON, ROOT, VENV_BIN, WEBAPP
from scripts.devtools.setup import prepare_web_build

REPORTS = CACHE / "test"
_WORKERS = str(min(2, os.cpu_count() or 1))
# Browser tests spend a third of their time waiting for draws, on any machine.
_BROWSER_WORKERS = "3"
_NO_TESTS_OF_THEIR_OWN = frozenset({"golden", "instruments", "__pycache__"})


@dataclass(frozen=True)
class Command:
    """One program of a suite; `count` returns afterwards how many tests it has.

    `skipped` returns afterwards which of them it did not run, each with its reason. The output of a
    `shown` one is printed even if it passed.
    """

    arguments: Sequence[str | Path]
    folder: Path = ROOT
    count: Callable[[], int] = lambda: 0
    skipped: Callable[[], Sequence[str]] = tuple
    shown: bool = False


@dataclass(frozen=True)
class Suite:
    """Commands that pass or fail together; `prepare` raises SetupError if something is missing."""

    name: str
    commands: Sequence[Command]
    prepare: Callable[[], None] = lambda: None


def all_suites(*, long: bool) -> list[Suite]:
    """All suites, the fastest to fail first."""
    options = ["-m", "", "--hypothesis-profile=long"] if long else []
    # One worker per file: its tests share a server, or keep both processors busy with programs.
    by_file = ["--dist", "loadfile", *options]
    return [
        _lint(),
        _types(),
        _pytest("architecture", ["architecture", "scripts"]),
        _web_app(),
        _pytest("unit", ["engine"], ["-n", _WORKERS, *options]),
        _simulation(long=long),
        _pytest("database", ["runtime", "projections", "auditing"], ["-n", _WORKERS, *options]),
        _pytest("api", ["api"], ["-n", _WORKERS, *options], prepare_web_build),
        _pytest("probing", ["probing"], ["-n", _WORKERS, *options], prepare_web_build),
        _pytest(
            "journeys", ["journeys", "contract"], ["-n", _WORKERS, *by_file], prepare_web_build
        ),
        _pytest(
            "browser", ["browser"], ["-n", _BROWSER_WORKERS, *by_file], _prepare_browser_and_build
        ),
    ]


def quick_suites() -> list[Suite]:
    """The suites that take a minute."""
    quick = ["-n", _WORKERS, "-m", "not long and not slow", "--hypothesis-profile=quick"]
    lint_web_app = Command([VENV_BIN / "npm", "run", "lint"], WEBAPP)
    return [
        Suite("lint", [*_lint().commands, lint_web_app]),
        _types(),
        _pytest("architecture", ["architecture", "scripts"]),
        _pytest("unit", ["engine"], quick),
        _pytest("simulation", ["simulation"], quick),
    ]


def unclaimed_folders(suites: Sequence[Suite]) -> list[str]:
    """Returns the test folders that no suite runs; their tests would never run."""
    run = {
        argument for suite in suites for command in suite.commands for argument in command.arguments
    }
    folders = (ROOT / "tests").iterdir()
    return sorted(
        f"tests/{folder.name}"
        for folder in folders
        if folder.is_dir() and folder.name not in _NO_TESTS_OF_THEIR_OWN and folder not in run
    )


def _lint() -> Suite:
    return Suite(
        "lint",
        [
            Command([PYTHON, "-m", "ruff", "check", "."]),
            Command([PYTHON, "-m", "ruff", "format", "--check", "."]),
        ],
    )


def _types() -> Suite:
    return Suite(
        "types",
        [
            Command([PYTHON, "-m", "mypy"]),
            Command([VENV_BIN / "npm", "run", "typecheck"], WEBAPP),
        ],
    )


def _web_app() -> Suite:
    npm_run: list[str | Path] = [VENV_BIN / "npm", "run"]
    report = REPORTS / "webapp.json"
    reporters = ["--", "--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
    return Suite(
        "webapp",
        [
            Command([*npm_run, "lint"], WEBAPP),
            Command([*npm_run, "test", *reporters], WEBAPP, lambda: _count_vitest(report)),
            Command([*npm_run, "build"], WEBAPP),
        ],
    )


def _simulation(*, long: bool) -> Suite:
    """Short days on three seeds; the long run simulates thirty full days on ten seeds."""
    short = _pytest("simulation", ["simulation"], ["-n", _WORKERS])
    if not long:
        return short
    program: list[str | Path] = [PYTHON, "-m", "tests.instruments.simulator"]
    size = ["--days", "30", "--seeds", "10", "--members", "200", "--one-in", "100"]
    whole_days = [*program, *size, "--jobs", _WORKERS]
    return Suite("simulation", [*short.commands, Command(whole_days, shown=True)])


def _pytest(
    name: str,
    folders: Sequence[str],
    options: Sequence[str] = (),
    prepare: Callable[[], None] = lambda: None,
) -> Suite:
    report = REPORTS / f"{name}.xml"
    arguments: list[str | Path] = [PYTHON, "-m", "pytest", f"--junitxml={report}"]
    arguments += [*options, *(ROOT / "tests" / folder for folder in folders)]
    command = Command(
        arguments, count=lambda: _count_pytest(report), skipped=lambda: skipped_tests(report)
    )
    return Suite(name, [command], prepare)


def _prepare_browser_and_build() -> None:
    prepare_browser()
    prepare_web_build()


def _count_pytest(report: Path) -> int:
    if not report.exists():
        return 0
    suites = ET.parse(report).getroot().iter("testsuite")
    return sum(int(suite.get("tests", "0")) for suite in suites)


def skipped_tests(report: Path) -> list[str]:
    """Returns the tests that a report of pytest lists as skipped, each with its reason."""
    if not report.exists():
        return []
    return [
        f"{case.get('classname')}.{case.get('name')}: {skipped.get('message')}"
        for case in ET.parse(report).getroot().iter("testcase")
        for skipped in case.iterfind("skipped[@type='pytest.skip']")
    ]


def _count_vitest(report: Path) -> int:
    if not report.exists():
        return 0
    total: int = json.loads(report.read_bytes())["numTotalTests"]
    return total
