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
    "pgbench": "PostgreSQL's own benchmark, to compare with",
    "library": "the eventsourcing library without our writer",
    "pgledger": "pgledger, a ledger in SQL, without our writer; needs --pgledger",
    "writer": "our writer in process, while the read models run",
    "http": "bets over HTTP, the whole server",
    "apis": "bets over HTTP through 1, 2 and 4 API processes, and with idle ones next to one",
    "heartbeat": "heartbeats over HTTP, compared with a static answer",
    "stream": "event streams during bets; the server is killed once and starts again",
    "streams": "event streams over three API processes during bets; one of them is killed",
    "settlement": "settlement of one large round while others bet",
    "projections": "all read models processing a log",
    "replay": "the engine without I/O reading a whole log",
    "audit": "both audits of days of draws, as programs: a first run and one with --continue",
    "large": "a house of years, which --house names, compared with an empty one",
    "web": "Lighthouse: home and the bet room on a slow phone, five times each",
}
NO_LEDGER = (
    "pgledger's SQL is not part of this repository: clone https://github.com/pgr0ss/pgledger and"
    " name its file, --pgledger pgledger/pgledger.sql"
)
_ROUNDS, _MAX_ROUNDS = 3, 9


@dataclass(frozen=True)
class BenchOptions:
    """`json` is a file for the figures in addition to the screen; `only` names the loads to run.

    `pgledger` is the file of pgledger's SQL, without which that load cannot run.
    `house` is the data folder of a large house, which is filled if it does not exist.
    """

    json: Path | None
    only: tuple[str, ...]
    rounds: int
    quick: bool
    pgledger: Path | None = None
    house: Path | None = None

    def arguments(self) -> list[str]:
        """The command line that `read_options` parses to these options."""
        quick = ["--quick"] if self.quick else []
        file = ["--json", str(self.json)] if self.json else []
        ledger = ["--pgledger", str(self.pgledger)] if self.pgledger else []
        house = ["--house", str(self.house)] if self.house else []
        return [*self.only, "--rounds", str(self.rounds), *quick, *file, *ledger, *house]


def read_options(arguments: Sequence[str]) -> BenchOptions:
    """Parse the command line. Exits with a message if it is invalid."""
    args = _parser().parse_args(arguments)
    named = {*args.loads, *args.only}
    # Without a folder there is no large house to measure.
    offered = tuple(name for name in LOADS if name != "large" or args.house)
    return BenchOptions(
        args.json and args.json.absolute(),
        tuple(name for name in LOADS if name in named) if named else offered,
        args.rounds,
        args.quick,
        args.pgledger,
        args.house and args.house.absolute(),
    )


def _parser() -> argparse.ArgumentParser:
    names = "\n".join(f"  {name:12} {what}" for name, what in LOADS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure throughput and latency. Loads that are compared run alternately.\n\n"
        f"loads:\n{names}",
        epilog="The bench starts its own PostgreSQL, with fsync, in a temporary folder (TMPDIR),\n"
        "and removes it at the end. A load has no figure, and the exit status is 1, if the log\n"
        "has fewer or more rows than bets were acknowledged.",
    )
    # argparse would check an absent list of names against `choices` as well.
    parser.add_argument("loads", nargs="*", type=_load, metavar="LOAD", help="only these loads")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument(
        "--house",
        type=Path,
        metavar="FOLDER",
        help="the data folder of the large house; without it a new one takes half an hour",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=list(LOADS),
        metavar="NAME",
        help="as LOAD",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        choices=range(1, _MAX_ROUNDS + 1),
        default=_ROUNDS,
        metavar="N",
        help=f"number of rounds of the compared loads ({_ROUNDS})",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small loads: does the bench work?",
    )
    parser.add_argument(
        "--pgledger",
        type=_file,
        metavar="FILE",
        help="pgledger.sql of a clone of https://github.com/pgr0ss/pgledger",
    )
    return parser


def _load(name: str) -> str:
    if name not in LOADS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(LOADS)}")
    return name


def _file(name: str) -> Path:
    file = Path(name).absolute()
    if not file.is_file():
        raise argparse.ArgumentTypeError(f"{name!r} is not a file")
    return file


def main() -> NoReturn:
    """Read the options first, so that an invalid one is reported before the setup."""
    options = read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    if "web" in options.only:
        options = _with_browser(options)
    if "pgledger" in options.only:
        options = _with_ledger(options)
    run_module("tests.instruments.load_tests", options.arguments())


def _with_browser(options: BenchOptions) -> BenchOptions:
    """The options without `web` if there is no browser. Exits if only `web` was requested."""
    try:
        prepare_browser()
        prepare_lighthouse()
    except SetupError as error:
        return _without(options, "web", str(error))
    return options


def _with_ledger(options: BenchOptions) -> BenchOptions:
    """The options without `pgledger` if its SQL is missing. Exits if only that was requested."""
    return options if options.pgledger else _without(options, "pgledger", NO_LEDGER)


def _without(options: BenchOptions, load: str, why: str) -> BenchOptions:
    others = tuple(name for name in options.only if name != load)
    if not others:
        sys.exit(f"scripts/bench: {load} cannot run. {why}")
    print(f"{load} is left out. {why}")
    return replace(options, only=others)
