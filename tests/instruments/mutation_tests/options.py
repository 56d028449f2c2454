"""The options of `scripts/mutants`."""

import argparse
import os
from collections.abc import Sequence

from tests.instruments.mutation_tests.faults import FAULTS


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line. Raises SystemExit if it is invalid."""
    parser = argparse.ArgumentParser(
        prog="scripts/mutants",
        description="Plant each fault alone in a copy of the code and run the tests nearest to it. "
        "Ends with 0 when all of them were caught, with 1 when one survived or no longer fits.",
        epilog="Example: scripts/mutants --only late-bet paid-before-approved",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="FAULT",
        choices=[fault.name for fault in FAULTS],
        help="these faults alone (see --list)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        default=min(2, os.cpu_count() or 1),
        choices=range(1, 65),
        help="how many faults are tried at a time (default: %(default)s)",
    )
    parser.add_argument("--list", action="store_true", help="name the faults and stop")
    return parser.parse_args(arguments)
