"""The witness that the server starts if no other one is set.

It is a process of its own, with the witness's key and store, and listens on this machine only. A
house with it is "self-witnessed": its operator has both secrets of every draw.
"""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from api.settings import Settings
from api.witness.server import WitnessServer, create_app, run_and_exit, serve
from engine.runtime.child_process import ChildProcess, begin, end_with_parent
from engine.runtime.clock import GuardedClock
from engine.runtime.postgres.files import free_port
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.witness.local_witness import WITNESS_FOLDER, LocalWitness
from engine.runtime.witness.remote_witness import WitnessAddress

_HOST: Final = "127.0.0.1"
_START_TIMEOUT_S: Final = 5.0
_POLL_S: Final = 0.05
_MODULE: Final = "api.witness.process"


class WitnessConfig(Struct, frozen=True):
    """The folder of the witness's files, the port, and the operator's public key in hex."""

    folder: str
    port: int
    operator: str


class WitnessProcess(ChildProcess):
    """Keeps the witness running until `close`."""

    def __init__(self, folder: Path, operator: bytes) -> None:
        """`folder` contains its key and its store; `operator` is the key that it answers."""
        port = free_port()
        witness = LocalWitness(folder, GuardedClock())  # creates the key if it is missing
        self.address = WitnessAddress(f"http://{_HOST}:{port}", witness.name, witness.public)
        config = WitnessConfig(str(folder.absolute()), port, operator.hex())
        super().__init__("witness", "witness's process", _MODULE, config)


@contextmanager
def witness_of(settings: Settings) -> Iterator[WitnessAddress]:
    """Yields the address of the witness that is set, or of a new process with the server's own."""
    if settings.witness is not None:
        yield settings.witness
        return
    operator = OperatorKey(secret_file(settings.keys / "operator.key"))
    with closing(WitnessProcess(settings.keys / WITNESS_FOLDER, operator.public)) as process:
        yield process.address


def wait_until_listening(witness: WitnessAddress) -> None:
    """Wait for the server's own witness, which has just been started; for 5 s at most."""
    here = urlsplit(witness.url)
    if not _is_here(witness.url):
        return
    began = time.monotonic()
    while time.monotonic() - began < _START_TIMEOUT_S:
        with suppress(OSError), socket.create_connection((here.hostname, here.port), 1.0):
            return
        time.sleep(_POLL_S)


def own_witnesses(settings: Settings) -> frozenset[str]:
    """Returns the keys, in hex, of the witnesses that ran or run on the server's own machine."""
    found: set[str] = set()
    # Without a witness elsewhere, the engine's is here, even if it has not made its key yet.
    if settings.witness is None or (settings.keys / WITNESS_FOLDER).exists():
        found.add(LocalWitness(settings.keys / WITNESS_FOLDER, GuardedClock()).public.hex())
    witness = settings.witness
    if witness is not None and _is_here(witness.url):
        found.add(witness.public.hex())
    return frozenset(found)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def main() -> None:
    """The child process."""
    config = begin(WitnessConfig)
    run_and_exit(_serve(config))


async def _serve(config: WitnessConfig) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    end_with_parent(lambda: loop.call_soon_threadsafe(stop.set))
    operator = bytes.fromhex(config.operator)
    # Without an origin it asks for no proof that the log has a round: one operator has both, and
    # after a restore the log would be shorter than what this witness cosigned.
    clock = GuardedClock()
    server = WitnessServer(LocalWitness(Path(config.folder), clock), operator, clock)
    await serve(create_app(server), _HOST, config.port, stop, clock)


if __name__ == "__main__":
    main()
