"""Runs the customer service reference desk through its own command line."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_START_TIMEOUT_S, _STOP_TIMEOUT_S = 30, 10


@contextmanager
def running_desk(*options: str, port: int = 0) -> Iterator[str]:
    """Yields the WebSocket address of a running desk, and checks that it stops cleanly."""
    command = [sys.executable, "-u", "-m", "scripts.reference_desk", "--port", str(port), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as desk:
        kill_timer = threading.Timer(_START_TIMEOUT_S, desk.kill)
        kill_timer.start()
        try:
            assert desk.stdout is not None
            yield desk.stdout.readline().split(" ")[-1].strip()
        finally:
            kill_timer.cancel()
            desk.send_signal(signal.SIGINT)
            desk.wait(_STOP_TIMEOUT_S)
    assert desk.returncode == 0
