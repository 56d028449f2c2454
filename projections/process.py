"""The runner in a process of its own, so that the engine never waits for its share of Python.

The parent writes one line, the task, and keeps the pipe open: when the parent ends, however
suddenly, the pipe ends, and the child with it. What the child logs the parent logs.
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
from projections.models import read_models
from projections.runner import ProjectionRunner

_ROOT: Final = Path(__file__).parents[1]
_PART: Final = "read models' process"
_STOP_TIMEOUT_S: Final = 0.5
_log = structlog.get_logger(__name__)


class WorkerConfig(Struct, frozen=True):
    """Whose read models; days are those of `timezone`, an IANA name."""

    conninfo: str
    timezone: str


class ProjectionWorker:
    """Keeps the read models up to date until `close`; one that dies has a successor."""

    def __init__(self, conninfo: str, timezone: str) -> None:
        self._config = msgspec.json.encode(WorkerConfig(conninfo, timezone)) + b"\n"
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._process = self._start()
        self._watcher = supervision.thread(_PART, self._watch, self._closing)

    def close(self) -> None:
        """Stop behind the page in hand; a page that takes long is given up for now."""
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
            # It has ended, and the watcher starts the next one.
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
    """Log what the child says until it ends; it may have ended before."""
    assert process.stdout is not None
    if not process.stdout.closed:
        with process.stdout as output:
            for line in output:
                _relay_line(line)


def _relay_line(line: bytes) -> None:
    """Log what the child said; whatever is no log line, a traceback say, as a warning."""
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
        level, event = fields.pop("level"), fields.pop("event")
    except (msgspec.DecodeError, KeyError):
        _log.warning("projections_process_said", line=line.decode(errors="replace").rstrip())
    else:
        getattr(_log, level)(event, **fields)


def main() -> None:
    """The child's side, which ends with its parent alone, and not when a terminal stops both."""
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
    # Not sys.stdin: a thread that waits in it keeps the interpreter from shutting down.
    while os.read(0, 1):
        pass
    runner.close()


if __name__ == "__main__":
    main()
