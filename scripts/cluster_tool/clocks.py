"""A clock of its own for each node, by the library libfaketime; the machine's clock stays as it is.

Programs of a node load the library, which adds the seconds of the node's file to the time of day.
Time that only measures durations (monotonic) stays true, as it does when an operator or a time
server sets a real machine's clock.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scripts.cluster_tool.cluster import Cluster, ClusterError, start_of
from scripts.cluster_tool.topology import Kind, Node
from scripts.devtools.paths import ROOT

#: Kinds whose time of day matters to the product. etcd and the proxy use durations only.
KINDS: Final = frozenset[Kind]({"db", "witness", "house", "engine", "api", "projector"})
PACKAGE: Final = "libfaketime"
#: The build for programs with threads.
_LIBRARY: Final = "faketime/libfaketimeMT.so.1"
_FOLDERS: Final = (Path("/usr/lib"), Path("/usr/local/lib"), Path("/usr/lib64"))
_OWN_TIME: Final = "+0"
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - POSIX shared memory, by its path
#: What the library shares between a program and its children; a program that is killed leaves it.
_SHARED: Final = re.compile(r"(?:sem\.)?faketime_(?:sem|shm)_(\d+)")
_SITE: Final = Path(__file__).with_name("clock_site")


def library() -> Path | None:
    """The library's file; None if it is not installed."""
    for folder in _FOLDERS:
        for found in (folder / _LIBRARY, *folder.glob(f"*/{_LIBRARY}")):
            if found.exists():
                return found
    return None


def prepare(cluster: Cluster) -> None:
    """Write each node's file, with the machine's time, if the cluster has such clocks."""
    if not cluster.record.settings.clocks:
        return
    folder = cluster.folder / "clocks"
    folder.mkdir(mode=0o755)
    for node in cluster.topology.of_kind(*KINDS):
        _write(cluster, node, _OWN_TIME)


def command_on(cluster: Cluster, node: Node, command: Sequence[str]) -> Sequence[str]:
    """Returns the command on the node's clock.

    `env` loads the library into the program alone: what root started before it would keep shared
    memory that the program's account may not open.
    """
    if not cluster.record.settings.clocks or node.kind not in KINDS:
        return command
    found = library()
    assert found is not None, f"{PACKAGE} was found when the cluster was started"
    variables = {
        "LD_PRELOAD": str(found),
        "FAKETIME_TIMESTAMP_FILE": str(_file(cluster, node)),
        # The file is read again each second of true time.
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        # A file keeps the time at which it was really changed.
        "NO_FAKE_STAT": "1",
        "PYTHONPATH": os.pathsep.join((str(_SITE), str(ROOT))),
    }
    return ["env", *(f"{name}={value}" for name, value in variables.items()), *command]


def shift(cluster: Cluster, node: Node, *, seconds: int) -> None:
    """Set the node's clock ahead of the machine's, or back with `seconds` below 0.

    Raises:
        ClusterError: the cluster has no clocks of its own, or this node has none.
    """
    if not cluster.record.settings.clocks:
        raise ClusterError("the nodes have the machine's clock: scripts/cluster up --clocks")
    if node.kind not in KINDS:
        raise ClusterError(f"{node.name} has no clock of its own: it uses durations only")
    _write(cluster, node, f"{seconds:+d}")


def correct(cluster: Cluster, node: Node) -> None:
    """Give the node the machine's time again."""
    if cluster.record.settings.clocks and node.kind in KINDS:
        _write(cluster, node, _OWN_TIME)


def remove_leftovers() -> None:
    """Remove the library's shared memory of programs that no longer run, of other clusters too."""
    for path in _SHARED_MEMORY.iterdir():
        found = _SHARED.fullmatch(path.name)
        if found is not None and start_of(int(found[1])) is None:
            path.unlink(missing_ok=True)


def _file(cluster: Cluster, node: Node) -> Path:
    return cluster.folder / "clocks" / node.name


def _write(cluster: Cluster, node: Node, text: str) -> None:
    """Replace the file whole: a program may read it at any moment."""
    file = _file(cluster, node)
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.write_text(f"{text}\n")
    unfinished.chmod(0o644)
    unfinished.replace(file)
