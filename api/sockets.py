"""What the kernel is told of our connections, which the server does not let us say.

Connections inherit it from the socket that they arrived at.
"""

import os
import socket
from typing import Final

import psutil

SEND_BUFFER_BYTES: Final = 256 * 1024


def set_tcp_user_timeout(port: int, after_s: float) -> bool:
    """End connections to `port` whose other side confirms nothing that was sent for so long.

    False while nobody listens there, so that nothing was done.

    It may have vanished without a word, or never read: either would otherwise hold its stream
    for as long as the kernel hopes, a quarter of an hour or for ever.
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
