"""Runs the simulation; `scripts/simulate` sets up before it."""

import sys
import time

from tests.instruments.simulator.options import read_options
from tests.instruments.simulator.report import show_result, show_summary
from tests.instruments.simulator.seeds import results as results_of
from tests.instruments.simulator.simulation import RunResult

_INTERRUPTED = 130  # a shell's exit status after Ctrl-C


def main() -> int:
    """Returns 0 if every invariant was true for every seed, otherwise 1."""
    options, began = read_options(sys.argv[1:]), time.monotonic()
    results: list[RunResult] = []
    try:
        for result in results_of(options):
            show_result(result)
            results.append(result)
            if result.failure and options.seeds is None:
                break
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
    if results:
        show_summary(results, time.monotonic() - began)
    if any(result.failure for result in results):
        return 1
    return 0 if options.seeds == len(results) else _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
