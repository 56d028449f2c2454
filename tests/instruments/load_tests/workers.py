"""Loads run in their own processes: a task goes in as JSON, a result comes back as JSON.

A worker is a module with a task class, a result class and a function from one to the other. Its
process starts as the product's does, so no load affects the next.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

import msgspec
from msgspec import Struct

from scripts.devtools.paths import ROOT

_LIMIT_S = 240.0
_LAST_LINES = 12
_STOP_TIMEOUT_S = 10.0
TaskT = TypeVar("TaskT", bound=Struct)
ResultT = TypeVar("ResultT", bound=Struct)


class NoFigureError(Exception):
    """A load did not run as intended; the text is the reason."""


def run_worker(task: Struct, result: type[ResultT], log: Path) -> ResultT:
    """Run a task in the worker module that defines `result`, as a process of its own.

    Raises: NoFigureError: it failed or timed out.
    """
    module = result.__module__
    command = [sys.executable, "-m", module]
    with log.open("wb") as errors, process_of(command, errors, pipes=True) as process:
        try:
            output, _ = process.communicate(msgspec.json.encode(task), timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise NoFigureError(f"{module} took more than {_LIMIT_S:.0f} s") from None
    if process.returncode != 0:
        raise NoFigureError(f"{module} failed: {log_tail(log)}")
    return msgspec.json.decode(output, type=result)


def serve_worker(task: type[TaskT], work: Callable[[TaskT], Struct]) -> None:
    """The worker's side of `run_worker`; other output goes to the log."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answer:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        result = work(msgspec.json.decode(sys.stdin.buffer.read(), type=task))
        answer.write(msgspec.json.encode(result))


@contextmanager
def process_of(
    command: Sequence[str],
    errors: IO[bytes],
    *,
    pipes: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a process group and is ended with the block."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
        stdout=subprocess.PIPE if pipes else errors,
        stderr=errors,
        process_group=0,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """End a program as Ctrl-C does. Raises NoFigureError if it does not end in time."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise NoFigureError("the program did not stop when asked") from None


def log_tail(log: Path) -> str:
    """The end of a process's log, for a message."""
    lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
    return "\n    ".join(["", *lines]) if lines else "it said nothing"
