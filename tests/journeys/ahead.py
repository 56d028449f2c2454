"""Runs a module of the product on a clock that is ahead of the machine's.

Usage: python -m tests.journeys.ahead SECONDS MODULE ARGUMENT...

The server compares its clock with the database's, so it also reads that one as ahead.
"""

import runpy
import sys
import time

from engine.runtime import clock


def main() -> None:
    """Run the module as the main program."""
    ahead_s, module = int(sys.argv[1]), sys.argv[2]
    read = time.time_ns
    time.time_ns = lambda: read() + ahead_s * 1_000_000_000
    clock._READ = clock._READ.replace(  # type: ignore[misc]
        "clock_timestamp()", f"clock_timestamp() + make_interval(secs => {ahead_s})"
    )
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
