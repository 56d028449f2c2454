"""Witnesses that answer over HTTP, in a thread of the test."""

import asyncio
import shutil
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from api.witness.server import WitnessServer, create_app, serve
from engine.fairness.checkpoints import origin_of
from engine.runtime.clock import GuardedClock
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.witness.remote_witness import WitnessAddress
from tests.ports import reserved_port

HOST = "127.0.0.1"


class RunningWitness:
    """A witness with its files in a folder; it can be stopped and started again on its port."""

    def __init__(self, folder: Path, clock: Callable[[], int], operator: bytes) -> None:
        self.folder = folder
        self._clock = clock
        self._operator = operator
        self._port = reserved_port()
        self._origin = origin_of(operator)
        self.witness = LocalWitness(folder, clock)
        self.address = WitnessAddress(
            f"http://{HOST}:{self._port}", self.witness.name, self.witness.public
        )
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Read the files and answer."""
        self.witness = LocalWitness(self.folder, self._clock, origin=self._origin)
        machine = GuardedClock(self._clock, self._clock)
        app = create_app(WitnessServer(self.witness, self._operator, machine))
        loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        ready = threading.Event()

        async def run() -> None:
            loops.append((asyncio.get_running_loop(), asyncio.Event()))
            ready.set()
            await serve(app, HOST, self._port, loops[0][1])

        self._thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
        self._thread.start()
        ready.wait()
        self._loop, self._stop = loops[0]
        while not self._answers():
            pass

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.address.url + "/", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop_and_restore(self, copy: Path) -> None:
        """Answer no more, and put an older `copy` of the files in their place."""
        self.stop()
        shutil.rmtree(self.folder)
        shutil.copytree(copy, self.folder)

    def stop(self) -> None:
        """Answer no more. Its files stay."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
            self._thread = None


@contextmanager
def running(folder: Path, clock: Callable[[], int], operator: bytes) -> Iterator[RunningWitness]:
    """A witness that answers the operator with this public key."""
    witness = RunningWitness(folder, clock, operator)
    witness.start()
    try:
        yield witness
    finally:
        witness.stop()
