"""A TCP relay to a server, which a test can cut."""

import asyncio
import threading
from contextlib import suppress
from typing import Self

_PART = 65_536
_TIMEOUT_S = 20.0


class Relay:
    """Listens on `port` of this machine and forwards to the port `to` while it is open."""

    def __init__(self, port: int, to: int) -> None:
        self._port = port
        self._to = to
        self._cut = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def open(self) -> None:
        """Returns once the relay listens."""
        up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._listen(up)))
        self._thread.start()
        assert up.wait(_TIMEOUT_S)

    def cut(self) -> None:
        """Returns once every connection has ended and no new one is accepted. Idempotent."""
        if self._thread is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._cut.set)
            self._thread.join(_TIMEOUT_S)
            self._thread = None

    async def _listen(self, up: threading.Event) -> None:
        """Accept connections until `cut`; connections that are still open are then cancelled."""
        self._loop, self._cut = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._carry, "127.0.0.1", self._port)
        up.set()
        await self._cut.wait()
        server.close()

    async def _carry(
        self, client_reader: asyncio.StreamReader, client_writer: asyncio.StreamWriter
    ) -> None:
        with suppress(asyncio.CancelledError, ConnectionError):
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._to)
            try:
                await asyncio.gather(
                    _copy(client_reader, server_writer), _copy(server_reader, client_writer)
                )
            finally:
                server_writer.close()
                client_writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until one side ends, then close the other."""
    while part := await reader.read(_PART):
        writer.write(part)
        await writer.drain()
    writer.close()
