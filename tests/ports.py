"""Ports for the servers that tests start."""

import socket
from typing import Final

from engine.runtime.postgres.files import free_port

_HELD: Final[list[socket.socket]] = []


def reserved_port() -> int:
    """Returns a port on 127.0.0.1 that nothing else uses until this process ends.

    A server of the test can listen on it, and again after a restart. The socket that holds the port
    is bound and does not listen, so `free_port` returns the port to no other process meanwhile.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", free_port()))
    _HELD.append(held)
    port: int = held.getsockname()[1]
    return port
