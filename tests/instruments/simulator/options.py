"""The options of `scripts/simulate`. Standard library only: it is read before any setup."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from scripts.devtools.console import run_module
from scripts.devtools.setup import prepare_to_run

MIN_MEMBERS: Final = 20
_MAX_MEMBERS: Final = 1_000
_ROUNDS: Final = 274
DEFAULT_ONE_IN: Final = 25
"""About one player in this many acts in each wave of a game's round."""
_EXAMPLES: Final = """examples:
  scripts/simulate                                one whole day of seed 1
  scripts/simulate --days 3 --seed 42             three days of another
  scripts/simulate --until-failure --seed 100     seeds 100, 101, … until one fails
  scripts/simulate --days 30 --seeds 10 --members 200 --one-in 100 --jobs 2
                                                  what scripts/test --long runs
  scripts/simulate --rounds 12 --members 40       a short day, as in scripts/test

The same options and seed produce the same log, byte for byte; its hash is printed. For a seed that
fails, the failure and the command that repeats it are printed, and the exit status is 1. Everything
is simulated, time as well: no database is needed, and nothing is stored. A seed keeps its whole log
in memory: about 1.3 MB for each active member and day.
"""


@dataclass(frozen=True)
class SimulationOptions:
    """`seeds` is their number, starting at `seed`; None runs until one fails."""

    days: int
    seed: int
    seeds: int | None
    members: int
    rounds: int
    one_in: int
    jobs: int


def main() -> NoReturn:
    """`scripts/simulate`: an invalid option is reported before the setup."""
    read_options(sys.argv[1:])
    run_module("tests.instruments.simulator", sys.argv[1:], prepare_to_run)


def read_options(arguments: Sequence[str]) -> SimulationOptions:
    """Parse the command line. Exits with a message if it is invalid."""
    args = _parser().parse_args(arguments)
    seeds = None if args.until_failure else args.seeds
    return SimulationOptions(
        args.days, args.seed, seeds, args.members, args.rounds, args.one_in, args.jobs
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/simulate",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Simulate business days. Members send every command: valid, invalid, twice\n"
        "and too late. The engine crashes and recovers between any two steps. All balances are\n"
        "checked after every batch.",
        epilog=_EXAMPLES,
    )
    add = parser.add_argument
    add("--days", type=_between(1, 366), default=1, metavar="N", help="business days (1)")
    add("--seed", type=_between(0, 2**63), default=1, metavar="S", help="the first seed (1)")
    several = parser.add_mutually_exclusive_group()
    several.add_argument(
        "--seeds", type=_between(1, 10**6), default=1, metavar="K", help="how many seeds (1)"
    )
    several.add_argument(
        "--until-failure", action="store_true", help="run one seed after the other until one fails"
    )
    members = _between(MIN_MEMBERS, _MAX_MEMBERS)
    add("--members", type=members, default=200, metavar="M", help="at the start (200)")
    rounds = _between(1, _ROUNDS)
    add(
        "--rounds",
        type=rounds,
        default=_ROUNDS,
        metavar="R",
        help=f"rounds a day ({_ROUNDS})",
    )
    add(
        "--one-in", type=_between(1, _MAX_MEMBERS), default=DEFAULT_ONE_IN, metavar="N",
        help=f"one member in N acts in each of a round's three waves ({DEFAULT_ONE_IN})",
    )  # fmt: skip
    add(
        "--jobs",
        type=_between(1, 64),
        default=1,
        metavar="J",
        help="seeds to run in parallel (1)",
    )
    return parser


class _between:  # noqa: N801 - reads as what it is for
    """A whole number within these limits, inclusive."""

    def __init__(self, minimum: int, maximum: int) -> None:
        self._minimum, self._maximum = minimum, maximum

    def __call__(self, text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() else -1
        if not self._minimum <= number <= self._maximum:
            raise argparse.ArgumentTypeError(f"{text} is not in {self._minimum} to {self._maximum}")
        return number
