"""A small disk of its own for each node's data, which can be filled to the last byte.

It is a tmpfs: it survives the node's programs, but not the machine. It is filled by making it as
small as what is on it, and emptied by giving it its size again: it has no file of this tool.
"""

import os
import subprocess
from contextlib import suppress
from typing import Final

from scripts.cluster_tool.cluster import Cluster, ClusterError
from scripts.cluster_tool.topology import Kind, Node

_USUAL_MIB: Final = 64
#: Room for the log that a primary keeps for its replicas, and for etcd's preallocated files.
_MIB: Final[dict[Kind, int]] = {"db": 3_072, "etcd": 768}
_DEADLINE_S: Final = 20
_TRIES: Final = 20


def mount(cluster: Cluster, node: Node) -> None:
    """Put an empty disk at the node's folder, which exists."""
    options = f"size={_size(node)},mode=0700"
    _run(
        "mount", "-t", "tmpfs", "-o", options, cluster.topology.namespace(node), _at(cluster, node)
    )


def unmount(cluster: Cluster) -> None:
    """Remove every disk that is there. No program of the nodes may run."""
    for node in cluster.topology.nodes:
        if os.path.ismount(cluster.data(node)):
            _run("umount", _at(cluster, node))


def fill(cluster: Cluster, node: Node) -> None:
    """Leave no byte free on the node's disk. Raises ClusterError if it has none of its own."""
    if not os.path.ismount(cluster.data(node)):
        raise ClusterError(
            f"{node.name} has the machine's disk: scripts/cluster up --small-disks gives it its own"
        )
    for _ in range(_TRIES):  # its programs may write between the two
        found = os.statvfs(cluster.data(node))
        used = max(1, found.f_blocks - found.f_bfree) * found.f_frsize  # 0 would be no limit
        with suppress(ClusterError):
            _run("mount", "-o", f"remount,size={used}", _at(cluster, node))
            return
    raise ClusterError(f"the disk of {node.name} cannot be filled")


def make_room(cluster: Cluster, node: Node) -> None:
    """Give the node's disk its size again, if it has one of its own."""
    if os.path.ismount(cluster.data(node)):
        _run("mount", "-o", f"remount,size={_size(node)}", _at(cluster, node))


def free_bytes(cluster: Cluster, node: Node) -> int:
    """How much the node can still write."""
    found = os.statvfs(cluster.data(node))
    return found.f_bavail * found.f_frsize


def _size(node: Node) -> str:
    return f"{_MIB.get(node.kind, _USUAL_MIB)}m"


def _at(cluster: Cluster, node: Node) -> str:
    return str(cluster.data(node))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_DEADLINE_S)
    if done.returncode != 0:
        raise ClusterError(f"{' '.join(command)}: {done.stderr.strip()}")
