"""The options of `scripts/mutants`."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from scripts.devtools.console import run_module
from scripts.devtools.setup import prepare_to_develop
from tests.instruments.mutation_tests.faults import FAULTS


def main() -> NoReturn:
    """`scripts/mutants`: an invalid option is reported before the setup."""
    read_options(sys.argv[1:])
    run_module("tests.instruments.mutation_tests", sys.argv[1:], prepare_to_develop)


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
