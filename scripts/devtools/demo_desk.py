"""The customer-service desk of a demo: started before the server, and ended with it.

Standard library only: `scripts/run` imports it before anything is installed.
"""

import os
import socket
import subprocess
from typing import Final

from scripts.devtools.paths import PYTHON, ROOT
from scripts.reference_desk.options import HOST, USUAL_PORT

PAGE, SOCKET = "FAIRDRAW_SUPPORT_PAGE", "FAIRDRAW_SUPPORT_SOCKET"
_PATH: Final = "/chat"


def with_desk(environment: dict[str, str]) -> dict[str, str]:
    """Returns the environment with the addresses of a new desk; unchanged if it names one."""
    if environment.get(PAGE) or environment.get(SOCKET):
        return environment
    with _listening() as listening:
        where = f"{HOST}:{listening.getsockname()[1]}"
        _start(listening, environment)
    return environment | {PAGE: f"http://{where}/", SOCKET: f"ws://{where}{_PATH}"}


def _listening() -> socket.socket:
    """Listen on the usual port, so that a page left open finds the desk of the next run."""
    try:
        return socket.create_server((HOST, USUAL_PORT))
    except OSError:
        return socket.create_server((HOST, 0))


def _start(listening: socket.socket, environment: dict[str, str]) -> None:
    """Start a desk that reads from a pipe; the server inherits the other end and never uses it."""
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)  # noqa: FBT003 - as the standard library has it
    subprocess.Popen(
        [PYTHON, "-m", "scripts.reference_desk", "--inherited", str(listening.fileno())],
        cwd=ROOT,
        env=environment,
        stdin=read_end,
        pass_fds=[listening.fileno()],
    )
    os.close(read_end)
