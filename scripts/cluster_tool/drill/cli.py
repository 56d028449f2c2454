"""The options of `scripts/cluster drill`."""

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scripts.cluster_tool.cluster import Cluster, ClusterError, locked, read
from scripts.cluster_tool.drill import plan
from scripts.cluster_tool.drill.faults import FAULTS, USUAL
from scripts.cluster_tool.drill.record import RecordFile
from scripts.cluster_tool.drill.result import Begun, result_of, shown
from scripts.cluster_tool.drill.run import Drill, save

_OK, _LOST, _INTERRUPTED = 0, 1, 130
_MAX_TIMES: Final = 10_000
_CHECK_EVERY: Final = 20
DESCRIPTION: Final = """\
Inject faults while players bet, one after another, and measure how long no bet was accepted. After
each fault the node is healed, and the next one waits until every node has its role again. At the
end, and after every 20 faults, every bet is sent again with its key: none may be lost, doubled or
answered differently. Then scripts/audit check looks at the whole log. Ctrl-C prints what was
measured so far; --continue begins again there.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a drill."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = DESCRIPTION
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--faults",
        type=faults_of,
        default=list(USUAL),
        metavar="NAME,…",
        help=f"which ones, in order ({','.join(USUAL)}); clock and disk are those of each role",
    )
    which.add_argument(
        "--plan", choices=plan.PLANS, help="many of each kind, in an order that the seed gives"
    )
    which.add_argument(
        "--random", type=_times, metavar="N", help="kill N nodes at random, up to six at once"
    )
    which.add_argument(
        "--continue",
        dest="continued",
        type=Path,
        metavar="FILE",
        help="go on with the drill of this record",
    )
    parser.add_argument("--times", type=_times, metavar="N", help="of each named fault (1)")
    parser.add_argument("--seed", type=int, metavar="S", help="of the order (a new one)")
    parser.add_argument("--steps", type=_times, metavar="N", help="stop after N faults")
    parser.add_argument(
        "--check-every",
        type=_times,
        default=_CHECK_EVERY,
        metavar="N",
        help=f"repeat the bets and audit after N faults ({_CHECK_EVERY})",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="new file for a line per fault (one in the folder for temporary files)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there as well")
    parser.add_argument(
        "--notes",
        type=Path,
        metavar="FILE",
        help="new file for every bet and its decision (next to the record)",
    )


def run(options: argparse.Namespace) -> int:
    """Run a drill; returns the exit status, 1 if anything was lost."""
    folder = options.dir.absolute()
    interrupted = False
    with locked(folder):
        cluster = read(folder)
        try:
            record = _record(cluster, options)
        except OSError as error:
            raise ClusterError(f"{error.filename}: {error.strerror}") from None
        print(f"{record.path} has a line for each fault; seed {record.begun.seed}", flush=True)
        try:
            Drill(cluster, record, check_every=options.check_every).run(options.steps)
        except (ClusterError, KeyboardInterrupt) as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            print("\ninterrupted" if interrupted else f"\n{error}", file=sys.stderr)
    result = result_of(record.lines)
    print(shown(result))
    if result.done < result.steps:
        print(f"The rest: scripts/cluster drill --continue {record.path}")
    if options.json is not None:
        save(result, options.json)
    if interrupted:
        return _INTERRUPTED
    return _OK if result.is_clean else _LOST


def _record(cluster: Cluster, options: argparse.Namespace) -> RecordFile:
    """The record to write to: a new one, or that of an earlier piece.

    Raises:
        ClusterError: options contradict each other, the file is no record, its notes are gone, or
            the cluster cannot have a fault.
        OSError: a file cannot be made or read.
    """
    _check_options(options)
    if options.continued is not None:
        return _continued(cluster, options.continued.absolute())
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    name, steps = _steps(cluster, options, seed)
    _check_needs(cluster, steps)
    usual = Path(tempfile.gettempdir(), time.strftime("fairdraw-drill-%Y%m%d-%H%M%S.jsonl"))
    path = (options.record or usual).absolute()
    notes = (options.notes or path.with_suffix(".notes.jsonl")).absolute()
    with notes.open("xb"):  # a drill never mixes its notes with another one's
        pass
    begun = Begun(name, seed, steps, str(notes), cluster.timing.ttl, os.cpu_count() or 1)
    return RecordFile.begin(path, begun)


def _check_options(options: argparse.Namespace) -> None:
    """Refuse what would have no effect. Raises ClusterError."""
    if options.times is not None and (options.plan or options.random or options.continued):
        raise ClusterError("--times is for the faults that --faults names")
    if options.continued is not None:
        for name in ("seed", "record", "notes"):
            if getattr(options, name) is not None:
                raise ClusterError(f"--continue has the {name} of its record: leave --{name} out")


def _continued(cluster: Cluster, path: Path) -> RecordFile:
    record = RecordFile.open_again(path)
    if not Path(record.begun.notes).exists():
        raise ClusterError(f"{record.begun.notes} is gone, which has the bets of {path}")
    _check_needs(cluster, record.begun.steps)
    return record


def _steps(cluster: Cluster, options: argparse.Namespace, seed: int) -> tuple[str, list[str]]:
    """The plan's name and its steps, in order."""
    if options.plan is not None:
        return options.plan, plan.shuffled(plan.PLANS[options.plan], seed)
    if options.random is not None:
        kills = plan.random_kills(cluster.topology.nodes, options.random, seed)
        return f"{options.random} kills at random", kills
    steps = [name for name in options.faults for _ in range(options.times or 1)]
    return "of named faults", steps


def _check_needs(cluster: Cluster, steps: Sequence[str]) -> None:
    settings = cluster.record.settings
    needs = plan.unmet_need(steps, clocks=settings.clocks, small_disks=settings.small_disks)
    if needs:
        raise ClusterError(needs)


def faults_of(text: str) -> list[str]:
    """Returns the faults' names. Raises ArgumentTypeError with all names."""
    names = [name for name in text.split(",") if name]
    try:
        if names:
            return plan.faults_named(names)
    except ValueError as error:
        text = str(error)
    raise argparse.ArgumentTypeError(f"{text!r} is no fault; they are {', '.join(FAULTS)}")


def _times(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MAX_TIMES:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 to {_MAX_TIMES}")
    return int(text)
