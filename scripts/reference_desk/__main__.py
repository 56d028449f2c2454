"""The desk's program: serves until Ctrl-C, or until the process that started it has ended."""

import asyncio
import signal
import socket
import sys
from typing import NoReturn

from scripts.reference_desk.options import HOST, Options, read_options
from scripts.reference_desk.server import PATH, start_server


def main() -> NoReturn:
    """Serve, and exit with a status."""
    options = read_options(sys.argv[1:])
    try:
        listening = _listening(options)
    except OSError as error:
        sys.exit(f"cannot listen on {HOST}:{options.port}: {error.strerror}")
    asyncio.run(_serve(listening, options))
    sys.exit(0)


def _listening(options: Options) -> socket.socket:
    if options.inherited is not None:
        return socket.socket(fileno=options.inherited)
    return socket.create_server((HOST, options.port))


async def _serve(listening: socket.socket, options: Options) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if options.inherited is not None:
        # The starter has the other end of our standard input and writes nothing to it: it becomes
        # readable when the starter has ended for any reason.
        loop.add_reader(sys.stdin.fileno(), stop.set)
    async with await start_server(listening, away=options.away):
        if options.inherited is None:
            port = listening.getsockname()[1]
            print(f"customer service is available at ws://{HOST}:{port}{PATH}", flush=True)
        await stop.wait()


main()
