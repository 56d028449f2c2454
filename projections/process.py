"""Runs the projection runner in its own process, so that it never holds the engine's GIL.

The parent writes one line, the configuration, and keeps the pipe open. When the parent ends, even
if it is killed, the pipe closes and the child ends too. The parent logs what the child logs.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct

from engine.runtime import supervision
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner

_ROOT: Final = Path(__file__).parents[1]
_PART: Final = "read models' process"
_STOP_TIMEOUT_S: Final = 0.5
_log = structlog.get_logger(__name__)


class WorkerConfig(Struct, frozen=True):
    """The database to use, and the IANA time zone whose days count."""

    conninfo: str
    timezone: str


class ProjectionWorker:
    """Keeps the read models up to date until `close`; restarts the process if it dies."""

    def __init__(self, conninfo: str, timezone: str) -> None:
        self._config = msgspec.json.encode(WorkerConfig(conninfo, timezone)) + b"\n"
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._process = self._start()
        self._watcher = supervision.thread(_PART, self._watch, self._closing)

    def close(self) -> None:
        """Stop after the current page.

        A page that takes too long is abandoned and applied at the next start.
        """
        with self._lock:
            self._closing.set()
            _close_stdin(self._process)
        self._watcher.join(_STOP_TIMEOUT_S)
        self._process.kill()
        self._watcher.join()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "projections.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=_ROOT,
        )
        assert process.stdin is not None
        try:
            process.stdin.write(self._config)
            process.stdin.flush()
        except OSError:
            # The process has ended; the watcher starts the next one.
            process.kill()
        return process

    def _watch(self) -> None:
        waits, began = supervision.Backoff(), time.monotonic()
        while True:
            _relay_output(self._process)
            status = self._process.wait()
            if self._closing.is_set():
                return
            _log.error("projections_process_ended", status=status)
            if self._closing.wait(waits.after(time.monotonic() - began)):
                return
            supervision.RESTARTS[_PART] += 1
            began = time.monotonic()
            with self._lock:
                if self._closing.is_set():
                    return
                _close_stdin(self._process)
                self._process = self._start()


def _close_stdin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def _relay_output(process: subprocess.Popen[bytes]) -> None:
    """Log the child's output until it ends; it may have ended already."""
    assert process.stdout is not None
    if not process.stdout.closed:
        with process.stdout as output:
            for line in output:
                _relay_line(line)


def _relay_line(line: bytes) -> None:
    """Log a line of the child; a line that is not a log record (a traceback) becomes a warning."""
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
        level, event = fields.pop("level"), fields.pop("event")
    except (msgspec.DecodeError, KeyError):
        _log.warning("projections_process_output", line=line.decode(errors="replace").rstrip())
    else:
        getattr(_log, level)(event, **fields)


def main() -> None:
    """The child process: it ends only with its parent, so Ctrl-C in a terminal does not stop it."""
    for request in (signal.SIGINT, signal.SIGTERM):
        signal.signal(request, signal.SIG_IGN)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ]
    )
    config = msgspec.json.decode(sys.stdin.buffer.readline(), type=WorkerConfig)
    runner = ProjectionRunner(config.conninfo, read_models(config.timezone))
    supervision.thread("parent watch", partial(_end_with_parent, runner), threading.Event())
    runner.run()


def _end_with_parent(runner: ProjectionRunner) -> None:
    # Not sys.stdin: a thread blocked in it keeps the interpreter from shutting down.
    while os.read(0, 1):
        pass
    runner.close()


if __name__ == "__main__":
    main()
