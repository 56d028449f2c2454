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
        description="Plant one fault at a time in a copy of the code and run the tests next to it. "
        "Exit status: 0 if tests caught all faults, 1 if one was missed or no longer fits.",
        epilog="Example: scripts/mutants --only late-bet paid-before-approved",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="FAULT",
        choices=[fault.name for fault in FAULTS],
        help="only these faults (see --list)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        default=min(2, os.cpu_count() or 1),
        choices=range(1, 65),
        help="number of faults to try at the same time (default: %(default)s)",
    )
    parser.add_argument("--list", action="store_true", help="list the faults and exit")
    return parser.parse_args(arguments)
