"""A child process of the server: restarted if it dies, ended with its parent, its log relayed.

The parent writes one line, the configuration, and keeps the pipe open. When the parent ends, even
if it is killed, the pipe closes and the child ends too. The parent logs what the child logs.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import structlog

from engine.runtime import supervision

_ROOT: Final = Path(__file__).parents[2]
_STOP_TIMEOUT_S: Final = 0.5
_log = structlog.get_logger(__name__)
_decode_line: Final = msgspec.json.Decoder(dict[str, Any]).decode
_Config = TypeVar("_Config")


class ChildProcess:
    """Keeps a process running until `close`; restarts it if it dies."""

    def __init__(self, name: str, part: str, module: str, config: msgspec.Struct) -> None:
        """Run `module` with this configuration. `name` is in its log events.

        `part` names it in `supervision.PARTS`.
        """
        self._name = name
        self._part = part
        self._module = module
        self._config = msgspec.json.encode(config) + b"\n"
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._process = self._start()
        self._watcher = supervision.thread(part, self._watch, self._closing)

    def close(self) -> None:
        """Let the process end what it is doing, for half a second at most."""
        with self._lock:
            self._closing.set()
            _close_stdin(self._process)
        self._watcher.join(_STOP_TIMEOUT_S)
        self._process.kill()
        self._watcher.join()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", self._module],
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
            _relay_output(self._process, self._name)
            status = self._process.wait()
            if self._closing.is_set():
                return
            _log.error(f"{self._name}_process_ended", status=status)
            if self._closing.wait(waits.after(time.monotonic() - began)):
                return
            supervision.RESTARTS[self._part] += 1
            began = time.monotonic()
            with self._lock:
                if self._closing.is_set():
                    return
                _close_stdin(self._process)
                self._process = self._start()


def _close_stdin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def _relay_output(process: subprocess.Popen[bytes], name: str) -> None:
    """Log the child's output until it ends; it may have ended already."""
    assert process.stdout is not None
    if not process.stdout.closed:
        with process.stdout as output:
            for line in output:
                _relay_line(line, name)


def _relay_line(line: bytes, name: str) -> None:
    """Log a line of the child; a line that is not a log record (a traceback) becomes a warning."""
    try:
        fields = _decode_line(line)
        level, event = fields.pop("level"), fields.pop("event")
    except (msgspec.DecodeError, KeyError):
        _log.warning(f"{name}_process_output", line=line.decode(errors="replace").rstrip())
    else:
        getattr(_log, level)(event, **fields)


def begin(config: type[_Config]) -> _Config:
    """In the child: log to the parent, and return the configuration.

    The child ends only with its parent, so Ctrl-C in a terminal does not stop it.
    """
    for request in (signal.SIGINT, signal.SIGTERM):
        signal.signal(request, signal.SIG_IGN)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ]
    )
    return msgspec.json.decode(sys.stdin.buffer.readline(), type=config)


def end_with_parent(end: Callable[[], object]) -> None:
    """In the child: call `end` in another thread when the parent has ended."""

    def watch() -> None:
        # Not sys.stdin: a thread blocked in it keeps the interpreter from shutting down.
        while os.read(0, 1):
            pass
        end()

    supervision.thread("parent watch", watch, threading.Event())
