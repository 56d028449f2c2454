"""The benchmark itself; `scripts/bench` sets up before it."""

import signal
import sys
import time
from typing import NoReturn

from scripts.benchmarks import machine, report
from scripts.benchmarks.ground import DURABLE, BenchError, Ground, prepared_ground
from scripts.benchmarks.options import Options, read_options
from scripts.benchmarks.session import Session

_INTERRUPTED = 130  # what a shell reports for Ctrl-C


def main() -> int:
    """0 when every load gave a figure, else 1."""
    options = read_options(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        with prepared_ground() as ground:
            return _bench(ground, options)
    except BenchError as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return _INTERRUPTED


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _bench(ground: Ground, options: Options) -> int:
    conditions = machine.conditions() | {
        "postgresql": ground.version(),
        "rounds": options.rounds,
        "quick": options.quick,
        **dict.fromkeys(DURABLE, "on"),
    }
    print(", ".join(f"{name} {value}" for name, value in conditions.items()), flush=True)
    began, session = time.monotonic(), Session(ground, options)
    session.run()
    report.print_table(session.samples, session.failures)
    print(f"\n{(time.monotonic() - began) / 60:.1f} minutes")
    if options.quick:
        print("Small loads on purpose: these figures only show that the bench works.")
    if options.json:
        report.write_json(options.json, session.samples, session.failures, conditions)
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
