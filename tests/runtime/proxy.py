"""A TCP proxy before PostgreSQL that loses one chosen commit, or its answer.

A batch is one statement and commits at the protocol's Sync message, which is sent last. A marker
chooses the batch: the key of one of its commands.
"""

import enum
import socket
import threading
from typing import Self

SYNC = b"S\0\0\0\4"
READY = b"Z\0\0\0\5"
_CHUNK = 1 << 16


class Loss(enum.Enum):
    """How the commit of the chosen batch is lost."""

    ANSWER = "it is stored, and its answer never comes"
    COMMIT = "it never reaches the server, which sees the connection end"
    PARTITION = "it never reaches the server, which believes the connection alive"
    HALF_OPEN = "it never reaches the server, and both ends believe the connection alive"
    SILENCE = "it is stored, and both ends believe the connection alive"


_STORED = {Loss.ANSWER, Loss.SILENCE}
SILENT = {Loss.HALF_OPEN, Loss.SILENCE}


class Proxy:
    """Listens on its own port while the `with` block runs."""

    def __init__(self, port: int, loss: Loss, marker: bytes) -> None:
        self.lost = threading.Event()
        self._server_port = port
        self._loss = loss
        self._marker = marker
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self._sockets: list[socket.socket] = []

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        _shutdown(self._listener)
        self._threads[0].join()
        for each in self._sockets:
            _shutdown(each)
        for thread in self._threads[1:]:
            thread.join()
        for each in (self._listener, *self._sockets):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._sockets += [client, server]
            chosen = threading.Event()
            for work in (self._to_server, self._to_client):
                thread = threading.Thread(target=work, args=(client, server, chosen))
                self._threads.append(thread)
                thread.start()

    def _to_server(
        self, client: socket.socket, server: socket.socket, chosen: threading.Event
    ) -> None:
        batch = b""
        while data := _receive(client):
            if batch or (self._marker in data and not self.lost.is_set()):
                batch += data
                if not batch.endswith(SYNC):
                    continue
                chosen.set()
                self.lost.set()
                if self._loss not in _STORED:
                    _send(server, batch.removesuffix(SYNC))
                    break
                data, batch = batch, b""
            _send(server, data)
        if chosen.is_set() and self._loss in SILENT:
            return
        _shutdown(client)
        if not (chosen.is_set() and self._loss is Loss.PARTITION):
            _shutdown(server, socket.SHUT_WR)

    def _to_client(
        self, client: socket.socket, server: socket.socket, chosen: threading.Event
    ) -> None:
        while data := _receive(server):
            if chosen.is_set() and self._loss in SILENT:
                continue
            if chosen.is_set() and READY in data:
                break
            _send(client, data)
        if chosen.is_set() and self._loss in SILENT:
            return
        _shutdown(client)
        if not chosen.is_set():
            _shutdown(server)


def _receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_CHUNK)
    except OSError:
        return b""


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        return


def _shutdown(connection: socket.socket, how: int = socket.SHUT_RDWR) -> None:
    try:
        connection.shutdown(how)
    except OSError:
        return
