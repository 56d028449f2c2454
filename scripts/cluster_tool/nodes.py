"""Starts, kills, freezes and thaws a node: everything that runs in its network namespace.

A node is a machine with a supervisor, as systemd is one: a program that ends starts again after a
second. `kill` is a loss of power, so it ends the supervisor too.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from engine.runtime.postgres.files import SystemAccount
from scripts.cluster_tool import network
from scripts.cluster_tool.cluster import Cluster, ClusterError, is_stopped, record_of, start_of
from scripts.cluster_tool.topology import Node

#: What the supervisor writes to a node's log.
ENDED: Final = "scripts/cluster: the program ended with status"
_SUPERVISOR: Final = f'while :; do "$@"; echo "{ENDED} $?, and starts again" >&2; sleep 1; done'
_SIGNAL_DEADLINE_S: Final = 10.0
_POLL_S: Final = 0.02


@dataclass(frozen=True)
class Program:
    """What a node runs; without an account, as the user who runs this tool."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    account: SystemAccount | None = None


def start(cluster: Cluster, node: Node, program: Program) -> None:
    """Start the node's program and record it. Raises ClusterError if the node already runs."""
    if running(cluster, node):
        raise ClusterError(f"{node.name} already runs")
    with cluster.log(node).open("ab") as output:
        process = subprocess.Popen(
            _command(cluster, node, program),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=program.folder,
            env=dict(program.environment),
            start_new_session=True,
        )
    cluster.record.processes[node.name] = record_of(process.pid)
    cluster.save()


def _command(cluster: Cluster, node: Node, program: Program) -> list[str]:
    # An IPC namespace ends with the node, and with it the shared memory that a kill leaves.
    command = ["unshare", "--ipc"]
    if program.account is not None:
        account = program.account
        ids = (f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups")
        command += ["setpriv", *ids]
    command += ["sh", "-c", _SUPERVISOR, "sh", *program.command]
    return network.command_in(cluster.topology, node, *command)


def kill(cluster: Cluster, node: Node) -> None:
    """Kill everything on the node with SIGKILL, as a loss of power does."""
    _until(lambda: not _signalled(cluster, node, signal.SIGKILL), f"{node.name} does not end")


def freeze(cluster: Cluster, node: Node) -> None:
    """Stop everything on the node with SIGSTOP: its connections stay open and nothing answers."""
    if not running(cluster, node):
        raise ClusterError(f"{node.name} does not run: scripts/cluster start {node.name}")
    _until(lambda: _all_stop(cluster, node), f"{node.name} does not freeze")


def thaw(cluster: Cluster, node: Node) -> None:
    """Continue everything on the node."""
    _signalled(cluster, node, signal.SIGCONT)


def running(cluster: Cluster, node: Node) -> list[int]:
    """The process ids of everything that runs on the node."""
    return network.processes(cluster.topology, node)[node.name]


def end_all(cluster: Cluster) -> None:
    """Kill every node, and whatever is left of the recorded processes; both may be gone already."""
    for node in cluster.topology.nodes:
        kill(cluster, node)
    for record in cluster.living():
        for process in _family(record.pid):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def last_lines(log: Path, lines: int) -> list[str]:
    """The last lines of a node's log; empty if it wrote none."""
    try:
        return log.read_text(errors="replace").splitlines()[-lines:]
    except OSError:
        return []


def has_ended(cluster: Cluster, node: Node) -> bool:
    """Whether the node's program has ended at least once since the cluster was started."""
    return any(ENDED in line for line in last_lines(cluster.log(node), 1_000))


def _all_stop(cluster: Cluster, node: Node) -> bool:
    """Stop what runs. Whether nothing was left to stop: a process may start another meanwhile."""
    moving = [pid for pid in running(cluster, node) if not is_stopped(pid)]
    _send(moving, signal.SIGSTOP)
    return not moving


def _signalled(cluster: Cluster, node: Node, number: signal.Signals) -> list[int]:
    found = [pid for pid in running(cluster, node) if start_of(pid) is not None]
    _send(found, number)
    return found


def _send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _until(condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + _SIGNAL_DEADLINE_S
    while not condition():
        if time.monotonic() > deadline:
            raise ClusterError(otherwise)
        time.sleep(_POLL_S)
