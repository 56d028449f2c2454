"""Which server process, if any, runs on a cluster: proven, not believed.

`postmaster.pid` outlives a killed server, and its process id may by then belong to anything. A
process counts as the cluster's server only while its working folder is that cluster.
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil

_CHILD_SECONDS = 2.0
_PID_LINE, _PORT_LINE = 0, 3


@dataclass(frozen=True)
class Postmaster:
    """The live server process of a cluster."""

    pid: int
    port: int

    def stop(self, fast_seconds: float) -> None:
        """Stop the server and wait for its end.

        A fast stop writes all dirty pages first. One that takes longer than `fast_seconds` becomes
        an immediate stop, which loses nothing that was committed: the next start replays the log.
        """
        for number, seconds in ((signal.SIGINT, fast_seconds), (signal.SIGQUIT, _CHILD_SECONDS)):
            if self._signal(number, seconds):
                return
        self._signal(signal.SIGKILL, _CHILD_SECONDS)

    def _signal(self, number: signal.Signals, seconds: float) -> bool:
        try:
            process = psutil.Process(self.pid)
            os.kill(self.pid, number)
            process.wait(seconds)
        except psutil.TimeoutExpired:
            return False
        except (psutil.NoSuchProcess, ProcessLookupError):
            pass
        return True


def find_postmaster(cluster: Path) -> Postmaster | None:
    """The server running on the cluster; None when there is none, whatever its pid file says."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[_PID_LINE]), int(lines[_PORT_LINE])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return Postmaster(pid, port) if _works_in(pid, cluster) else None


def clear_remains(cluster: Path) -> None:
    """End what a killed server left: children that still hold its memory, and its pid file.

    To be called only when `find_postmaster` has found none. What the children committed is in the
    log that the next server replays; it refuses to start while one of them holds the old memory.
    """
    children = [process for process in psutil.process_iter() if _works_in(process.pid, cluster)]
    for process in children:
        process.terminate()
    _, stubborn = psutil.wait_procs(children, _CHILD_SECONDS)
    for process in stubborn:
        process.kill()
    psutil.wait_procs(stubborn, _CHILD_SECONDS)
    (cluster / "postmaster.pid").unlink(missing_ok=True)


def _works_in(pid: int, cluster: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and Path(process.cwd()) == cluster.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
