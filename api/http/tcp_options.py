"""Sets TCP options on the listening socket, which the ASGI server cannot set.

Accepted connections inherit them.
"""

import os
import socket
from typing import Final

import psutil

SEND_BUFFER_BYTES: Final = 256 * 1024


def set_tcp_user_timeout(port: int, after_s: float) -> bool:
    """Close connections to `port` whose client acknowledges no sent data for `after_s` seconds.

    Returns False if nothing listens on the port yet, so that nothing was set.

    The client may have vanished, or may never read. Without the timeout the kernel would keep its
    stream open for a quarter of an hour, or forever.
    """
    found = False
    for connection in psutil.Process().net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
            with socket.socket(fileno=os.dup(connection.fd)) as listening:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
                if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
                    timeout_ms = int(after_s * 1000)
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout_ms)
            found = True
    return found
