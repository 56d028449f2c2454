"""Which server process, if any, runs on a cluster: proven, not believed.

`postmaster.pid` outlives a killed server, and its process id may by then belong to anything, or to
a zombie that nobody reaps. A process counts as the cluster's only while it works in its folder.
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

        A fast stop writes all dirty pages first. One that takes longer than `fast_seconds` becomes
        an immediate stop, which loses nothing that was committed: the next start replays the log.
        """
        for number, seconds in (
            (signal.SIGINT, fast_seconds),
            (signal.SIGQUIT, _END_SECONDS),
            (signal.SIGKILL, _END_SECONDS),
        ):
            if _end([self.pid], self.cluster, number, seconds):
                return


def find_postmaster(cluster: Path) -> Postmaster | None:
    """The server running on the cluster; None when there is none, whatever its pid file says."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[_PID_LINE]), int(lines[_PORT_LINE])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return Postmaster(pid, port, cluster) if _works_in(pid, cluster) else None


def clear_remains(cluster: Path) -> None:
    """End what a killed server left: children that still hold its memory, and its pid file.

    To be called only when `find_postmaster` has found none. What the children committed is in the
    log that the next server replays; it refuses to start while one of them holds the old memory.
    """
    children = [pid for pid in psutil.pids() if _works_in(pid, cluster)]
    if not _end(children, cluster, signal.SIGQUIT, _END_SECONDS):
        _end(children, cluster, signal.SIGKILL, _END_SECONDS)
    (cluster / "postmaster.pid").unlink(missing_ok=True)


def _end(pids: list[int], cluster: Path, number: signal.Signals, seconds: float) -> bool:
    """Signal the processes that work in the cluster; whether all have ended within the time."""
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
