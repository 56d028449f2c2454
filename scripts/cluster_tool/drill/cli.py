"""The options of `scripts/cluster drill`."""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from scripts.cluster_tool.cluster import ClusterError, locked, read
from scripts.cluster_tool.drill.faults import FAULTS, Fault
from scripts.cluster_tool.drill.result import shown
from scripts.cluster_tool.drill.run import Drill, save

_OK, _LOST, _INTERRUPTED = 0, 1, 130
_MAX_TIMES: Final = 10_000
DESCRIPTION: Final = """\
Inject faults while players bet, one after another, and measure how long no bet was accepted. After
each fault the node is healed, and the next one waits until every node has its role again. At the
end every bet is sent again with its key: none may be lost, doubled or answered differently. Then
scripts/audit check looks at the whole log. Ctrl-C prints what was measured so far.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a drill."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = DESCRIPTION
    parser.add_argument(
        "--faults",
        type=faults_of,
        default=list(FAULTS.values()),
        metavar="NAME,…",
        help=f"which ones, in order ({','.join(FAULTS)})",
    )
    parser.add_argument("--times", type=_times, default=1, metavar="N", help="of each fault (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there as well")
    parser.add_argument(
        "--notes",
        type=Path,
        metavar="FILE",
        help="new file for every bet and its decision (one in the folder for temporary files)",
    )


def run(options: argparse.Namespace) -> int:
    """Run a drill; returns the exit status, 1 if anything was lost."""
    folder = options.dir.absolute()
    notes = options.notes or Path(
        tempfile.gettempdir(), time.strftime("fairdraw-drill-%Y%m%d-%H%M%S.jsonl")
    )
    with locked(folder):
        try:
            drill = Drill(read(folder), notes)
        except OSError as error:
            raise ClusterError(f"{notes} cannot be made: {error.strerror}") from None
        try:
            drill.run(options.faults, options.times)
        except (ClusterError, KeyboardInterrupt) as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            print("\ninterrupted" if interrupted else f"\n{error}", file=sys.stderr)
        else:
            interrupted = False
    result = drill.result()
    print(shown(result))
    if options.json is not None:
        save(result, options.json)
    if interrupted:
        return _INTERRUPTED
    return _OK if result.is_clean else _LOST


def faults_of(text: str) -> list[Fault]:
    """Returns the faults by their names. Raises ArgumentTypeError with all names."""
    names = [name for name in text.split(",") if name]
    if not names or (unknown := [name for name in names if name not in FAULTS]):
        what = unknown[0] if names else text
        raise argparse.ArgumentTypeError(f"{what!r} is no fault; they are {', '.join(FAULTS)}")
    return [FAULTS[name] for name in names]


def _times(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MAX_TIMES:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 to {_MAX_TIMES}")
    return int(text)
