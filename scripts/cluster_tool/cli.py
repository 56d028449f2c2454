"""The command line of `scripts/cluster`."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from scripts.cluster_tool import bring_up, clocks, disks, installation, network, nodes
from scripts.cluster_tool.cluster import DEFAULT_FOLDER, Cluster, ClusterError, locked, read
from scripts.cluster_tool.drill import cli as drill_cli
from scripts.cluster_tool.observe import observe
from scripts.cluster_tool.picture import picture
from scripts.cluster_tool.topology import (
    DEFAULT_NETWORK,
    DEFAULT_PREFIX,
    Node,
    TopologyError,
    topology_of,
)
from scripts.devtools.console import SetupError

_OK, _FAILED, _INTERRUPTED = 0, 1, 130
_WATCH_S: Final = 2.0
_CLEAR: Final = "\033[H\033[2J"
_LOG_LINES: Final = 40
_MIN_ROUND_S, _MAX_ROUND_S = 10, 210
_EPILOG: Final = """\
examples:
  scripts/cluster up --install     install what is missing, start everything, print the address
  scripts/cluster status           what is seen of every node; `watch` repeats it
  scripts/cluster kill db1         loss of power of a machine; `start db1` switches it on again
  scripts/cluster cut db2          take its link down; `heal db2` brings it up
  scripts/cluster freeze engine1   everything on it stops, and its connections stay open; `thaw`
  scripts/cluster clock api1 3600  set its clock an hour ahead (up --clocks); `heal api1`
  scripts/cluster fill db1         fill its disk to the last byte (up --small-disks); `heal db1`
  scripts/cluster heal             undo all of these
  scripts/cluster drill --faults primary-kill --times 3     measure a fault under load
  scripts/cluster drill --plan long --steps 50              begin a long run; --continue FILE
  scripts/cluster down             end and delete everything

Exit status: 0 success, 1 failed or something was lost, 2 usage error.
"""
Command = Callable[[argparse.Namespace], int]


def main() -> int:
    """Run one command; returns the exit status."""
    options = read_options(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        run: Command = options.run
        return run(options)
    except TopologyError as error:
        print(f"scripts/cluster: {error}", file=sys.stderr)
        return 2
    except (ClusterError, SetupError, network.NetworkError) as error:
        print(f"scripts/cluster: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _OK


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Returns the options; a usage error exits with status 2."""
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/cluster",
        description="A whole house on one Linux machine, each part in a network of its own: etcd,"
        " three PostgreSQL with one synchronous standby, a proxy, the witness and the product."
        " Nothing of it is for real money.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_up(commands)
    _command(commands, "status", "show what is seen of every node", _status)
    _command(commands, "watch", "show it again every two seconds, until Ctrl-C", _watch)
    for name, text, act in _ACTIONS:
        _command(commands, name, text, _on_node(act)).add_argument("node", metavar="NODE")
    shifting = _command(commands, "clock", "set a node's clock ahead, or back", _clock)
    shifting.add_argument("node", metavar="NODE")
    shifting.add_argument("seconds", type=int, metavar="SECONDS", help="below 0: back")
    healing = _command(commands, "heal", "undo every fault, of one node or of all", _heal)
    healing.add_argument("node", metavar="NODE", nargs="?")
    logs = _command(commands, "logs", "print the end of a node's log", _logs)
    logs.add_argument("node", metavar="NODE")
    logs.add_argument("--lines", type=int, default=_LOG_LINES, help=f"how many ({_LOG_LINES})")
    drill_cli.add_options(
        _command(commands, "drill", "inject faults under load and measure", drill_cli.run)
    )
    ending = _command(commands, "down", "end everything and delete its data", _down)
    ending.add_argument("--keep-logs", action="store_true", help="keep the folder logs")
    return parser


def _add_up(commands: object) -> None:
    starting = _command(commands, "up", "start everything; Ctrl-C leaves nothing behind", _up)
    starting.add_argument(
        "--install",
        action="store_true",
        help="install what is missing with apt, and Patroni into an environment of its own",
    )
    starting.add_argument(
        "--fast",
        action="store_true",
        help="for tests: a lost primary is noticed after 6 s instead of 20 s, below what Patroni"
        " supports",
    )
    starting.add_argument(
        "--clocks",
        action="store_true",
        help="give each node a clock that can go wrong (the library libfaketime)",
    )
    starting.add_argument(
        "--small-disks",
        action="store_true",
        help="give each node a disk that can be full, in the machine's memory",
    )
    starting.add_argument(
        "--keep-logs", action="store_true", help="keep the folder logs if the start fails"
    )
    starting.add_argument(
        "--round-seconds",
        type=_round_seconds,
        default=60,
        metavar="N",
        help="a round's length (60)",
    )
    starting.add_argument(
        "--network",
        default=DEFAULT_NETWORK,
        metavar="A.B.C.0/24",
        help=f"addresses of the nodes ({DEFAULT_NETWORK})",
    )
    starting.add_argument(
        "--prefix",
        default=DEFAULT_PREFIX,
        help=f"begins the name of each namespace and link ({DEFAULT_PREFIX})",
    )


def _command(commands: object, name: str, text: str, run: Command) -> argparse.ArgumentParser:
    assert isinstance(commands, argparse._SubParsersAction)  # noqa: SLF001 - has no public name
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.add_argument(
        "--dir",
        type=Path,
        default=DEFAULT_FOLDER,
        metavar="DIR",
        help=f"folder of the cluster's data, logs and state ({DEFAULT_FOLDER})",
    )
    parser.set_defaults(run=run)
    return parser


def _round_seconds(text: str) -> int:
    if not text.isdecimal() or not _MIN_ROUND_S <= int(text) <= _MAX_ROUND_S:
        raise argparse.ArgumentTypeError(
            f"{text} is not a whole number from {_MIN_ROUND_S} to {_MAX_ROUND_S}"
        )
    return int(text)


def _up(options: argparse.Namespace) -> int:
    topology_of(options.prefix, options.network)
    settings = bring_up.new_settings(
        options.prefix,
        options.network,
        fast=options.fast,
        round_seconds=options.round_seconds,
        clocks=options.clocks,
        small_disks=options.small_disks,
    )
    if options.install:
        installation.install(clocks=options.clocks)
    if missing := installation.missing(clocks=options.clocks):
        print("\n".join(missing), file=sys.stderr)
        print("scripts/cluster up --install installs what can be installed.", file=sys.stderr)
        return _FAILED
    folder = options.dir.absolute()
    with locked(folder, make=True):
        cluster = bring_up.up(folder, settings, keep_logs=options.keep_logs)
    print(f"\n{_picture(cluster)}")
    print(f"\nFairdraw is open at {cluster.topology.players_url}/vip/ (play money)")
    print("scripts/cluster --help shows what you can do to it; scripts/cluster down ends it.")
    return _OK


def _status(options: argparse.Namespace) -> int:
    print(_picture(read(options.dir.absolute())))
    return _OK


def _watch(options: argparse.Namespace) -> int:
    cluster = read(options.dir.absolute())
    while True:
        shown = _picture(cluster)
        print(f"{_CLEAR if sys.stdout.isatty() else ''}{time.strftime('%H:%M:%S')}\n{shown}")
        sys.stdout.flush()
        time.sleep(_WATCH_S)


def _picture(cluster: Cluster) -> str:
    return picture(observe(cluster), colour=sys.stdout.isatty())


def _on_node(act: Callable[[Cluster, Node], None]) -> Command:
    def run(options: argparse.Namespace) -> int:
        folder = options.dir.absolute()
        with locked(folder):
            cluster = read(folder)
            act(cluster, cluster.topology.named(options.node))
        return _OK

    return run


def _clock(options: argparse.Namespace) -> int:
    return _on_node(partial(clocks.shift, seconds=options.seconds))(options)


def _heal(options: argparse.Namespace) -> int:
    folder = options.dir.absolute()
    with locked(folder):
        cluster = read(folder)
        chosen = cluster.topology.nodes
        if options.node is not None:
            chosen = (cluster.topology.named(options.node),)
        for node in chosen:
            bring_up.heal(cluster, node)
    return _OK


def _logs(options: argparse.Namespace) -> int:
    cluster = read(options.dir.absolute())
    log = cluster.log(cluster.topology.named(options.node))
    for line in nodes.last_lines(log, options.lines):
        print(line)
    print(f"({log})", file=sys.stderr)
    return _OK


def _down(options: argparse.Namespace) -> int:
    folder = options.dir.absolute()
    with locked(folder):
        bring_up.down(read(folder), keep_logs=options.keep_logs)
    print(
        f"Everything has ended; {'the logs are kept' if options.keep_logs else 'nothing is left'}"
    )
    return _OK


def _cut(cluster: Cluster, node: Node) -> None:
    network.cut(cluster.topology, node)


_ACTIONS: Final = (
    ("start", "start a node that was killed", bring_up.start_node),
    ("kill", "kill everything on a node at once, as a loss of power does", nodes.kill),
    ("freeze", "stop everything on a node; its connections stay open", nodes.freeze),
    ("thaw", "continue a frozen node", nodes.thaw),
    ("cut", "take a node's link down; its connections stay half open", _cut),
    ("fill", "leave no byte free on a node's disk", disks.fill),
)
