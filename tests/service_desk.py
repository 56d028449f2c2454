"""The reference desk of customer service, run by its own command line."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_STARTS_WITHIN_S, _STOPS_WITHIN_S = 30, 10


@contextmanager
def running_desk(*options: str, port: int = 0) -> Iterator[str]:
    """The address of a desk's web socket, until it stops cleanly."""
    command = [sys.executable, "-u", "-m", "scripts.service_desk", "--port", str(port), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as desk:
        patience = threading.Timer(_STARTS_WITHIN_S, desk.kill)
        patience.start()
        try:
            assert desk.stdout is not None
            yield desk.stdout.readline().split(" ")[-1].strip()
        finally:
            patience.cancel()
            desk.send_signal(signal.SIGINT)
            desk.wait(_STOPS_WITHIN_S)
    assert desk.returncode == 0
