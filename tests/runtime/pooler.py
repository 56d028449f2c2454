"""A transaction pooler: many clients share one server session, a transaction at a time."""

import os
import socket
import struct
import threading
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_WELCOME = b"R\0\0\0\x08\0\0\0\0" + b"K\0\0\0\x0c\0\0\0\1\0\0\0\1" + b"Z\0\0\0\5I"
_PROTOCOL_3 = 3 << 16
_READY = b"Z\0\0\0\5"
_CHUNK = 1 << 16


class Pooler:
    """Listens on its own port while the `with` block runs."""

    def __init__(self, conninfo: str) -> None:
        self._server = psycopg.connect(conninfo)
        self._backend = socket.socket(fileno=os.dup(self._server.fileno()))
        self._backend.setblocking(True)
        self._turn = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._clients: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        address = {**conninfo_to_dict(conninfo), "host": "127.0.0.1"}
        address["port"] = str(self._listener.getsockname()[1])
        self.conninfo = make_conninfo("", **address, sslmode="disable", gssencmode="disable")

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for client in self._clients:
            client.close()
        for thread in self._threads[1:]:
            thread.join()
        self._listener.close()
        self._backend.close()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._clients.append(client)
            thread = threading.Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        try:
            _, protocol = struct.unpack("!ii", client.recv(_CHUNK)[:8])
            assert protocol == _PROTOCOL_3
            client.sendall(_WELCOME)
            while (request := client.recv(_CHUNK)) and not request.startswith(b"X"):
                client.sendall(self._forward(request))
        except OSError:
            return

    def _forward(self, request: bytes) -> bytes:
        with self._turn:
            self._backend.sendall(request)
            answer = b""
            while answer[-6:-1] != _READY:
                answer += self._backend.recv(_CHUNK)
            return answer
