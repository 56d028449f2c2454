"""The server as a process: bets over HTTP, and the heartbeat."""

import http.client
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psycopg
from msgspec import Struct

from api.game.bets import MAX_BETS_A_SLIP
from engine.catalogue import GAMES
from engine.runtime.log import schema
from engine.runtime.postgres.files import free_port
from scripts.devtools.paths import ROOT
from tests.instruments.load_tests import http_load, members
from tests.instruments.load_tests.bench_clock import ShiftableClock, quiet_zone
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import (
    NoFigureError,
    interrupt,
    log_tail,
    process_of,
    run_worker,
)

_DATABASE = "http"
_NAME, _SLIP_NAME, _ROOM_NAME = "http", "slip", "room"
_ROUND_SECONDS = 210
_UNDISTURBED_S = 60.0
_READY_S = 30.0
SPARE_S = 2.0
"""How long a load takes to begin."""
OPERATOR = {
    "FAIRDRAW_OPERATOR_NAME": "bench",
    "FAIRDRAW_OPERATOR_LICENCE": "none",
    "FAIRDRAW_OPERATOR_JURISDICTION": "none",
    "FAIRDRAW_OPERATOR_MINIMUM_AGE": "18",
}
# All players call from one address, as fast as they are answered.
NO_RATE_LIMIT = {"FAIRDRAW_RATE_FACTOR": "1000000"}
_OPEN = (
    "SELECT convert_from(state, 'UTF8')::jsonb ->> 'issue' FROM log.facts"
    " WHERE topic = 'round-opened.1' AND originator_id LIKE %s"
    " ORDER BY notification_id DESC LIMIT 1"
)


class ServerUnderLoad:
    """A running server with signed-in players."""

    def __init__(
        self, bench_db: BenchDatabase, sizes: Sizes, port: int, tokens: list[str], conninfo: str
    ) -> None:
        self._bench_db = bench_db
        self._sizes = sizes
        self._port = port
        self._tokens = tokens
        self._conninfo = conninfo

    def bets(self) -> dict[str, float]:
        """Bets with keys by signed-in players, each durable before its answer."""
        result = self._load("bets", self._sizes.http_s, name=_NAME)
        check_stored(self._conninfo, _NAME, result.accepted)
        return {
            "http_per_second": result.accepted / result.seconds,
            "http_p50_ms": result.p50_ms,
            "http_p99_ms": result.p99_ms,
        }

    def slips(self) -> dict[str, float]:
        """The same with slips of 40 bets, each bet with a key of its own."""
        result = self._load("slips", self._sizes.http_s, name=_SLIP_NAME)
        bets = result.accepted * MAX_BETS_A_SLIP
        check_stored(self._conninfo, _SLIP_NAME, bets)
        return {"slip_per_second": bets / result.seconds, "slip_p50_ms": result.p50_ms}

    def heartbeats(self) -> dict[str, float]:
        """Heartbeats by signed-in players in rooms with bets, alternating with a static answer."""
        rooms = len(GAMES) * self._sizes.room_bets
        placed = self._load("bets", _READY_S, name=_ROOM_NAME, max_requests=rooms)
        check_stored(self._conninfo, _ROOM_NAME, placed.accepted)
        seconds, hearts, statics = self._sizes.heartbeat_s, [], []
        for _ in range(self._sizes.heartbeat_slices):
            statics.append(self._load("static", seconds))
            hearts.append(self._load("heart", seconds))
        return {
            "heartbeat_per_second": median(one.accepted / one.seconds for one in hearts),
            "static_per_second": median(one.accepted / one.seconds for one in statics),
            "heartbeat_p50_ms": median(one.p50_ms for one in hearts),
            "heartbeat_p99_ms": median(one.p99_ms for one in hearts),
        }

    def warm_up(self) -> None:
        """Make each player's first call, which has to look up the token."""
        self._load("heart", _READY_S, max_requests=len(self._tokens))

    def _load(
        self,
        kind: http_load.LoadKind,
        seconds: float,
        *,
        name: str = "",
        max_requests: int = 1_000_000,
    ) -> http_load.HttpLoadResult:
        task = http_load.HttpLoadTask(
            self._port,
            kind,
            self._sizes.http_connections,
            seconds,
            self._tokens,
            issues(self._conninfo) if kind in {"bets", "slips"} else {},
            name,
            max_requests,
        )
        log = self._bench_db.folder / "generator.log"
        result = run_worker(task, http_load.HttpLoadResult, log)
        if result.failed:
            raise NoFigureError(f"{kind}: {result.failed} not accepted: {result.failure}")
        return result


def measure(bench_db: BenchDatabase, sizes: Sizes, requested: Collection[str]) -> dict[str, float]:
    """Start the server on a fresh database, run the requested loads, and stop it."""
    measured: dict[str, float] = {}
    with _running_server(bench_db, sizes) as served:
        served.warm_up()
        if "heartbeat" in requested:
            measured |= served.heartbeats()
        if "http" in requested:
            measured |= served.bets() | served.slips()
    drop(bench_db)
    return measured


def drop(bench_db: BenchDatabase) -> None:
    """Drop the database to free its disk space."""
    bench_db.drop(_DATABASE)


class ServerProcess(Struct, frozen=True):
    """A fresh database with signed-in players, and the command that starts the server on it."""

    conninfo: str
    port: int
    tokens: list[str]
    command: list[str]
    environment: dict[str, str]
    log: Path

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the server until the block ends. The block starts when bets are accepted."""
        with (
            self.log.open("ab") as errors,
            process_of(self.command, errors, environment=self.environment) as program,
        ):
            await_ready(self.port)
            try:
                yield program
            except NoFigureError as error:
                output = log_tail(self.log)
                raise NoFigureError(f"{error}; the program said: {output}") from error


def prepare_server(
    bench_db: BenchDatabase, member_count: int, undisturbed_s: float
) -> ServerProcess:
    """Prepare a server of which no round ends within these seconds."""
    conninfos = bench_db.fresh_database(_DATABASE)
    schema.create(conninfos.owner)
    conninfo = conninfos.app
    data, port = bench_db.fresh_folder(_DATABASE), free_port()
    zone = quiet_zone(ShiftableClock()(), _ROUND_SECONDS, undisturbed_s)
    task = members.MembersTask(conninfo, str(data / "keys"), member_count, zone)
    joined = run_worker(task, members.MembersResult, bench_db.folder / "members.log")
    make_keys = [sys.executable, "-m", "api.keys", "--data", str(data)]
    subprocess.run(make_keys, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    options = ["--port", str(port), "--data", str(data), "--no-demo"]
    command = [sys.executable, "-m", "api.app", *options, "--round-seconds", str(_ROUND_SECONDS)]
    environment = OPERATOR | NO_RATE_LIMIT
    environment |= {"DATABASE_URL": conninfo, "FAIRDRAW_TIMEZONE": zone}
    log = bench_db.fresh_folder("program") / "program.log"
    return ServerProcess(conninfo, port, joined.tokens, command, environment, log)


@contextmanager
def _running_server(bench_db: BenchDatabase, sizes: Sizes) -> Iterator[ServerUnderLoad]:
    program = prepare_server(bench_db, sizes.http_tokens, _UNDISTURBED_S)
    with program.running() as process:
        yield ServerUnderLoad(bench_db, sizes, program.port, program.tokens, program.conninfo)
        interrupt(process)


def await_ready(port: int) -> None:
    """Wait until the server at this port accepts bets. Raises NoFigureError on a timeout."""
    deadline = time.monotonic() + _READY_S
    while not _is_ready(port):
        if time.monotonic() > deadline:
            raise NoFigureError("the program was not ready in time")
        time.sleep(0.05)


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def issues(conninfo: str) -> dict[int, str]:
    """The rounds on sale."""
    with psycopg.connect(conninfo) as connection:
        rows = {game: connection.execute(_OPEN, [f"round-{game}-%"]).fetchone() for game in GAMES}
    return {game: str(row[0]) for game, row in rows.items() if row is not None}
