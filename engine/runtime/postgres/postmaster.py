"""Finds the server process that runs on a cluster, and verifies that it does.

`postmaster.pid` outlives a killed server. Its process id may then belong to any other process, or
to a zombie that is never reaped. A process counts only if its working directory is the cluster.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

_END_SECONDS = 2.0
_POLL_SECONDS = 0.01
_PID_LINE, _PORT_LINE = 0, 3


@dataclass(frozen=True)
class Postmaster:
    """The live server process of a cluster."""

    pid: int
    port: int
    cluster: Path

    def stop(self, fast_seconds: float) -> None:
        """Stop the server and wait for its end.

        A fast stop first writes all dirty pages. After `fast_seconds` it becomes an immediate stop,
        which loses no committed data: the next start replays the write-ahead log.
        """
        for number, seconds in (
            (signal.SIGINT, fast_seconds),
            (signal.SIGQUIT, _END_SECONDS),
            (signal.SIGKILL, _END_SECONDS),
        ):
            if _end([self.pid], self.cluster, number, seconds):
                return


def find_postmaster(cluster: Path) -> Postmaster | None:
    """Returns the server running on the cluster; None if there is none, even with a pid file."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[_PID_LINE]), int(lines[_PORT_LINE])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return Postmaster(pid, port, cluster) if _works_in(pid, cluster) else None


def clear_remains(cluster: Path) -> None:
    """End a killed server's children, which still use its shared memory, and delete its pid file.

    Call it only when `find_postmaster` returns None. The next server refuses to start while a child
    uses the old memory. What the children committed is in the write-ahead log that it replays.
    """
    children = [pid for pid in psutil.pids() if _works_in(pid, cluster)]
    if not _end(children, cluster, signal.SIGQUIT, _END_SECONDS):
        _end(children, cluster, signal.SIGKILL, _END_SECONDS)
    (cluster / "postmaster.pid").unlink(missing_ok=True)


def _end(pids: list[int], cluster: Path, number: signal.Signals, seconds: float) -> bool:
    """Signal the cluster's processes. Returns whether all have ended within `seconds`."""
    deadline = time.monotonic() + seconds
    for pid in pids:
        if _works_in(pid, cluster):
            _signal(pid, number)
    while any(_works_in(pid, cluster) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _works_in(pid: int, cluster: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and Path(process.cwd()) == cluster.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
