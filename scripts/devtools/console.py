"""Console output of a running script: one line per step, logs in files, one line for a failure."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from scripts.devtools.paths import PYTHON, ROOT, tool_environment

_TICK_SECONDS = 0.2
_LAST_LINES = 25
_INTERRUPTED = 130  # the shell's status for Ctrl-C


class SetupError(Exception):
    """The user has to fix something; the text is one line that says what and how."""


def exit_on_setup_error(prepare: Callable[[], None]) -> None:
    """Run a preparation; exits with one line that gives the reason if it fails."""
    try:
        prepare()
    except SetupError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def run_module(
    module: str,
    arguments: Sequence[str],
    *prepare: Callable[[], None],
    quiet: bool = False,
    environment: Mapping[str, str] | None = None,
) -> NoReturn:
    """Prepare the checkout, then run a module of it in this process, so that Ctrl-C reaches it.

    With `quiet` the preparation prints on standard error: standard output may be redirected.
    """
    with contextlib.redirect_stdout(sys.stderr if quiet else sys.stdout):
        for each in prepare:
            exit_on_setup_error(each)
    sys.stdout.flush()
    sys.stderr.flush()
    variables = {"PYTHONPATH": str(ROOT), **(environment or {})}
    os.execve(PYTHON, [str(PYTHON), "-P", "-m", module, *arguments], tool_environment() | variables)


def run_step(title: str, command: Sequence[str | Path], log: Path, folder: Path = ROOT) -> None:
    """Run one step of the setup, showing its title and how long it takes.

    Raises:
        SetupError: the command failed; the end of its log has been printed.
    """
    status, seconds = run_logged(title, command, log, folder=folder)
    if status == 0:
        print(f"\r  {title}: {seconds:.1f} s")
        return
    print(f"\r  {title}: failed after {seconds:.1f} s")
    for line in log.read_text(errors="replace").splitlines()[-_LAST_LINES:]:
        print(f"    {line}")
    raise SetupError(f"{title} failed; the full log is in {log.relative_to(ROOT)}")


def run_logged(
    title: str,
    command: Sequence[str | Path],
    log: Path,
    *,
    folder: Path = ROOT,
    limit_seconds: float = float("inf"),
) -> tuple[int, float]:
    """Run a command with its output in a log file; returns its exit status and its seconds.

    The command leads a process group, which is killed when we end or at the limit.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=folder,
            env=tool_environment() | {"NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        ) as process,
    ):
        try:
            _watch(process, title, began, limit_seconds)
        finally:
            _end_group(process)
    return process.returncode, time.monotonic() - began


def _watch(
    process: subprocess.Popen[bytes], title: str, began: float, limit_seconds: float
) -> None:
    """Wait for the end, counting the seconds on a terminal."""
    while process.poll() is None:
        seconds = time.monotonic() - began
        if seconds > limit_seconds:
            return
        if sys.stdout.isatty():
            print(f"\r  {title} … {seconds:.0f} s", end="", flush=True)
        try:
            process.wait(_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            continue


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
