"""The options of `scripts/bench`. Standard library only: it is read before any setup."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from scripts.devtools.browser import prepare_browser
from scripts.devtools.console import SetupError, exit_on_setup_error, run_module
from scripts.devtools.setup import prepare_lighthouse, prepare_to_run

LOADS = {
    "pgbench": "PostgreSQL's own load, the yardstick",
    "library": "the eventsourcing library's plain get, command, save",
    "writer": "our writer in process, read models running",
    "http": "the whole program over HTTP",
    "heartbeat": "the heartbeat against a static answer",
    "stream": "stream clients while bets come and the program is killed once",
    "settlement": "settling one large round while others bet",
    "projections": "all read models catching up",
    "replay": "the pure engine reading the whole log again",
    "web": "home and the bet room as Lighthouse's slow phone loads them, five times each",
}
_ROUNDS, _MAX_ROUNDS = 3, 9


@dataclass(frozen=True)
class BenchOptions:
    """`json` is a file for the figures in addition to the screen; `only` names the loads to run."""

    json: Path | None
    only: tuple[str, ...]
    rounds: int
    quick: bool

    def arguments(self) -> list[str]:
        """The command line that `read_options` parses to these options."""
        quick = ["--quick"] if self.quick else []
        file = ["--json", str(self.json)] if self.json else []
        return [*self.only, "--rounds", str(self.rounds), *quick, *file]


def read_options(arguments: Sequence[str]) -> BenchOptions:
    """Parse the command line. Exits with a message if it is invalid."""
    args = _parser().parse_args(arguments)
    named = {*args.loads, *args.only}
    only = tuple(name for name in LOADS if name in named) if named else tuple(LOADS)
    return BenchOptions(args.json and args.json.absolute(), only, args.rounds, args.quick)


def _parser() -> argparse.ArgumentParser:
    names = "\n".join(f"  {name:12} {what}" for name, what in LOADS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure what Fairdraw carries, alternating what is compared.\n\n"
        f"loads:\n{names}",
        epilog="Everything runs on a PostgreSQL of its own, with fsync, in a temporary folder\n"
        "(TMPDIR chooses where) that is removed at the end. A load whose rows in the log and\n"
        "outcomes are not as many as its acknowledgements gives no figure, and exit status 1.",
    )
    # argparse would check an absent list of names against `choices` as well.
    parser.add_argument("loads", nargs="*", type=_load, metavar="LOAD", help="these loads alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument(
        "--only", nargs="+", default=[], choices=list(LOADS), metavar="NAME", help="the same"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        choices=range(1, _MAX_ROUNDS + 1),
        default=_ROUNDS,
        metavar="N",
        help=f"how often to alternate ({_ROUNDS})",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small loads: shows that it works, not how fast"
    )
    return parser


def _load(name: str) -> str:
    if name not in LOADS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(LOADS)}")
    return name


def main() -> NoReturn:
    """Read the options first, so that an invalid one is reported before the setup."""
    options = read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    if "web" in options.only:
        options = _with_browser(options)
    run_module("tests.instruments.load_tests", options.arguments())


def _with_browser(options: BenchOptions) -> BenchOptions:
    """The options without `web` if there is no browser. Exits if only `web` was requested."""
    try:
        prepare_browser()
        prepare_lighthouse()
    except SetupError as error:
        others = tuple(name for name in options.only if name != "web")
        if not others:
            sys.exit(f"scripts/bench: web cannot run. {error}")
        print(f"web is left out. {error}")
        return replace(options, only=others)
    return options
