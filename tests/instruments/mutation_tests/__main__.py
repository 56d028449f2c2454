"""Injects the faults, several in parallel, and reports which test caught each."""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from tests.instruments.mutation_tests.fault import Fault
from tests.instruments.mutation_tests.faults import FAULTS
from tests.instruments.mutation_tests.options import read_options
from tests.instruments.mutation_tests.workspace import FaultError, code_copy, run_suites, run_tests


def main(arguments: Sequence[str]) -> int:
    """Run the faults. Returns 1 if a fault survived or no longer fits."""
    options = read_options(arguments)
    faults = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    if options.list:
        for fault in faults:
            print(f"{fault.name:44} {fault.path}")
        return 0
    return _run(faults, options.jobs)


def _run(faults: Sequence[Fault], jobs: int) -> int:
    began = time.monotonic()
    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        folders: SimpleQueue[Path] = SimpleQueue()
        for _ in range(jobs):
            folders.put(stack.enter_context(code_copy()))
        print("without a fault … ", end="", flush=True)
        named = sorted({test for fault in faults for test in fault.tests})
        rules: list[list[str]] = [[]] if any(not fault.tests for fault in faults) else []
        baseline = pool.map(
            lambda tests: _first_failure(folders, tests), [*rules, *([named] if named else [])]
        )
        if failing := next((test for test in baseline if test), ""):
            print(f"{failing} fails already; nothing can be said about faults")
            return 1
        print(f"all pass ({time.monotonic() - began:.0f} s)")
        running = {pool.submit(_is_caught, folders, fault): fault for fault in faults}
        survived = [running[done].name for done in as_completed(running) if not done.result()]
    minutes = (time.monotonic() - began) / 60
    if survived:
        print(f"{len(survived)} of {len(faults)} faults SURVIVED: {', '.join(sorted(survived))}")
        return 1
    print(f"all {len(faults)} faults were caught, in {minutes:.1f} minutes")
    return 0


def _first_failure(folders: SimpleQueue[Path], tests: Sequence[str]) -> str:
    folder = folders.get()
    try:
        return run_tests(folder, tests).test
    finally:
        folders.put(folder)


def _is_caught(folders: SimpleQueue[Path], fault: Fault) -> bool:
    folder = folders.get()
    try:
        verdict = run_suites(folder, fault)
    except FaultError as error:
        print(f"{fault.name:44} … DOES NOT FIT: {error}", flush=True)
        return False
    finally:
        folders.put(folder)
    test = verdict.test.removeprefix("tests/") or "SURVIVED"
    print(f"{fault.name:44} … {test} ({verdict.seconds:.0f} s)", flush=True)
    return bool(verdict.test)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
