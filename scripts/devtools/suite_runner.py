"""Runs all suites in sequence, even if some fail, and prints a summary of two lines."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from scripts.devtools.console import SetupError, exit_on_setup_error, run_logged
from scripts.devtools.setup import prepare_to_develop
from scripts.devtools.suites import (
    REPORTS,
    Command,
    Suite,
    all_suites,
    quick_suites,
    unclaimed_folders,
)

_SUITE_LIMIT_SECONDS = 15 * 60.0
_EPILOG = (
    "SIMULATION_SEEDS=7,8 simulates short days of these seeds instead of 1,2,3;"
    " scripts/simulate replays any seed."
)


@dataclass
class _Result:
    name: str
    passed: bool = True
    seconds: float = 0.0
    tests: int = 0
    skipped: list[str] = field(default_factory=list)


def run_all() -> int:
    """`scripts/test`: everything; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/test",
        description="Set up what is missing, then run every check.",
        epilog=_EPILOG,
    )
    parser.add_argument("--long", action="store_true", help="also run what takes hours")
    names = [suite.name for suite in all_suites(long=False)]
    parser.add_argument("--only", metavar="SUITE", choices=names, help=f"one of {', '.join(names)}")
    options = parser.parse_args()
    exit_on_setup_error(prepare_to_develop)
    suites = all_suites(long=options.long)
    if unclaimed := unclaimed_folders(suites):
        sys.exit(f"No suite runs {', '.join(unclaimed)}: name it in scripts/devtools/suites.py")
    chosen = [suite for suite in suites if options.only in (None, suite.name)]
    return _run(chosen, float("inf") if options.long else _SUITE_LIMIT_SECONDS)


def run_quick() -> int:
    """`scripts/check`: the checks that take a minute; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/check",
        description="Lint, types, architecture and the quick unit tests, for while you work.",
    )
    parser.parse_args()
    exit_on_setup_error(prepare_to_develop)
    return _run(quick_suites(), _SUITE_LIMIT_SECONDS)


def _run(suites: Sequence[Suite], limit_seconds: float) -> int:
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    try:
        results = [_run_suite(suite, limit_seconds) for suite in suites]
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    return _sum_up(results)


def _run_suite(suite: Suite, limit_seconds: float) -> _Result:
    result = _Result(suite.name)
    try:
        suite.prepare()
    except SetupError as error:
        print(f"  {suite.name}: FAILED, {error}", flush=True)
        result.passed = False
        return result
    failures, shown = [], []
    for number, command in enumerate(suite.commands, start=1):
        log = f"{suite.name}-{number}.log"
        if not _passes(command, result, log, limit_seconds):
            failures.append(log)
        elif command.shown:
            shown.append(log)
    result.passed = not failures
    counted = f", {result.tests} tests" if result.tests else ""
    verdict = "passed" if result.passed else "FAILED"
    print(f"\r  {suite.name}: {verdict} in {result.seconds:.1f} s{counted}", flush=True)
    for skipped in result.skipped:
        print(f"    skipped {skipped}", flush=True)
    for log in (*failures, *shown):
        print((REPORTS / log).read_text(errors="replace"), flush=True)
    return result


def _passes(command: Command, result: _Result, log: str, limit_seconds: float) -> bool:
    status, seconds = run_logged(
        result.name,
        command.arguments,
        REPORTS / log,
        folder=command.folder,
        limit_seconds=limit_seconds,
    )
    result.seconds += seconds
    result.tests += command.count()
    result.skipped += command.skipped()
    return status == 0


def _sum_up(results: Sequence[_Result]) -> int:
    failed = [result.name for result in results if not result.passed]
    tests = sum(result.tests for result in results)
    skipped = sum(len(result.skipped) for result in results)
    without = f", {skipped} of them skipped" if skipped else ""
    verdict = f"FAILED: {', '.join(failed)}" if failed else "all passed"
    print(f"{tests} tests in {len(results)} suite{'s' * (len(results) != 1)}{without}, {verdict}")
    minutes = ", ".join(f"{result.name} {result.seconds / 60:.1f}" for result in results)
    total = sum(result.seconds for result in results) / 60
    print(f"minutes: {minutes}; {total:.1f} in all")
    return 1 if failed else 0
