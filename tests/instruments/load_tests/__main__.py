"""Runs the benchmark; `scripts/bench` sets up before it."""

import signal
import sys
import time
from typing import NoReturn

from tests.instruments.load_tests import machine, report
from tests.instruments.load_tests.bench_database import (
    DURABLE,
    BenchDatabase,
    BenchError,
    open_bench_database,
)
from tests.instruments.load_tests.options import BenchOptions, read_options
from tests.instruments.load_tests.session import BenchmarkRun

_INTERRUPTED = 130  # a shell's exit status after Ctrl-C


def main() -> int:
    """Returns 0 if every load gave a figure, otherwise 1."""
    options = read_options(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        with open_bench_database() as bench_db:
            return _bench(bench_db, options)
    except BenchError as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return _INTERRUPTED


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _bench(bench_db: BenchDatabase, options: BenchOptions) -> int:
    conditions = machine.conditions() | {
        "postgresql": bench_db.version(),
        "rounds": options.rounds,
        "quick": options.quick,
        **dict.fromkeys(DURABLE, "on"),
    }
    print(", ".join(f"{name} {value}" for name, value in conditions.items()), flush=True)
    began, run = time.monotonic(), BenchmarkRun(bench_db, options)
    run.run()
    report.print_table(run.samples, run.failures)
    print(f"\n{(time.monotonic() - began) / 60:.1f} minutes")
    if options.quick:
        print("Small loads on purpose: these figures only show that the bench works.")
    if options.json:
        report.write_json(options.json, run.samples, run.failures, conditions)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
