"""The server, started by its command line and stopped in ways that it must survive."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import httpx
import psutil
import psycopg

from engine.facts import RecordedFact
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.ports import reserved_port

DEADLINE_S = 60
_POLL_S = 0.02


def until(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Returns once the condition is true. Raises TimeoutError after this many seconds."""
    deadline = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(_POLL_S)


def on_clock(module: str, ahead_s: int) -> list[str]:
    """The arguments with which Python runs a module on a clock that is this far ahead."""
    return ["-m", "tests.journeys.ahead", str(ahead_s), module] if ahead_s else ["-m", module]


class Program:
    """`python -m api.app` with its own data folder and port, and short rounds.

    Its `role` is the whole house, or one process of several that share a data folder.
    It runs from the sources in the folder `root`, which are these by default. `runner` is the
    command that runs Python, if another user than the tests' is to own the process.
    `settings` are further variables of its environment. Its clock is `ahead_s` seconds ahead. Both
    take effect at the next start.
    """

    def __init__(
        self,
        data: Path,
        round_seconds: int = 10,
        *,
        settings: Mapping[str, str] | None = None,
        ahead_s: int = 0,
        role: str = "all",
        root: Path | None = None,
        runner: Sequence[str] = (sys.executable,),
    ) -> None:
        self.data = data
        self.settings = dict(settings or {})
        self.ahead_s = ahead_s
        self.role = role
        self._root = root
        self._runner = runner
        self._round_seconds = round_seconds
        self.port = reserved_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.address, timeout=DEADLINE_S)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        if self._process is not None:
            self.kill(postgres=True)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Returns once the server accepts bets."""
        self.launch()
        until(self._takes_bets)

    def launch(self) -> None:
        """Start the process without waiting until it accepts bets."""
        command = [*self._runner, *on_clock("api.app", self.ahead_s), "--role", self.role]
        command += [] if self.role == "projector" else ["--port", str(self.port)]
        command += ["--data", str(self.data), "--round-seconds", str(self._round_seconds)]
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / "console.log").open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd=self._root,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(sys.path),
                    "FAIRDRAW_RATE_FACTOR": "1000000",
                    **self.settings,
                },
            )

    def _takes_bets(self) -> bool:
        assert self.process.poll() is None, (self.data / "console.log").read_text()
        try:
            return self.http.get("/readyz?exclude=draws").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def kill(self, *, postgres: bool) -> None:
        """Kill the program with SIGKILL, and with `postgres` all its PostgreSQL processes too."""
        self.process.kill()
        postmaster = EmbeddedPostgres(self.data).postmaster()
        if postgres and postmaster is not None:
            server = psutil.Process(postmaster.pid)
            for process in (server, *server.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):  # a session may end by itself
                    process.kill()
        self.process.wait()
        self._process = None

    def interrupt(self) -> int:
        """Send Ctrl-C to the process group, as a terminal does, and return the exit code.

        The code is 0 only if the program stopped by itself; its watchdog exits with 1.
        """
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(DEADLINE_S)
        self._process = None
        return code

    def has_released_lease(self) -> bool:
        """Whether a successor may lead at once, without waiting for the lease to expire."""
        with (
            EmbeddedPostgres(self.data) as server,
            psycopg.connect(server.dsn("app")) as connection,
        ):
            row = connection.execute("SELECT renewed_at = '-infinity' FROM log.lease").fetchone()
        return row == (True,)

    @property
    def database_runs(self) -> bool:
        """Whether PostgreSQL is still running."""
        return EmbeddedPostgres(self.data).postmaster() is not None

    def call(self, path: str, body: dict[str, Any], token: str = "") -> Any:
        """Returns the data of an accepted call."""
        answer = self.http.post(f"/api/{path}", json=body, headers={"token": token}).json()
        assert answer["code"] == 1, answer
        return answer["data"]

    def facts(self) -> list[RecordedFact]:
        """All facts in the log."""
        with datastore(EmbeddedPostgres(self.data).dsn("app")) as store:
            return FactLog(store).page(0, 1_000_000)
