"""The server as processes: bets over HTTP, and the heartbeat."""

import http.client
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from api.game.bets import MAX_BETS_A_SLIP
from api.setting_types import ServerRole
from engine.catalogue import GAMES
from engine.facts import round_stream
from engine.runtime.log import schema
from engine.runtime.postgres.files import free_port
from engine.schedule import SECOND_US
from scripts.devtools.paths import ROOT
from tests.instruments.load_tests import http_load, members
from tests.instruments.load_tests.bench_clock import ShiftableClock, quiet_zone
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored, query
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
_READY_S = 120.0
_POLL_S = 0.05
# How a process ends that the load interrupted or killed.
_ENDED_BY_LOAD = (0, -signal.SIGKILL)
OPERATOR = {
    "FAIRDRAW_OPERATOR_NAME": "bench",
    "FAIRDRAW_OPERATOR_LICENCE": "none",
    "FAIRDRAW_OPERATOR_JURISDICTION": "none",
    "FAIRDRAW_OPERATOR_MINIMUM_AGE": "18",
}
# All players call from one address, as fast as they are answered.
NO_RATE_LIMIT = {"FAIRDRAW_RATE_FACTOR": "1000000"}
# An engine is ready only with the read models, which another process feeds.
_PROBES = {ServerRole.ENGINE: "/healthz", ServerRole.API: "/readyz", ServerRole.ALL: "/readyz"}
_OPEN = (
    "SELECT round ->> 'issue', (round ->> 'closes_at')::bigint FROM log.facts,"
    " LATERAL (SELECT convert_from(state, 'UTF8')::jsonb AS round) AS decoded"
    " WHERE topic = 'round-opened.1' AND originator_id LIKE %s"
    " ORDER BY notification_id DESC LIMIT 1"
)
_SETTLED = (
    "SELECT count(*) FROM log.facts WHERE originator_id = ANY(%s) AND topic = 'round-settled.1'"
)


class ServerUnderLoad:
    """A running server with signed-in players; with several `ports` it has as many processes."""

    def __init__(
        self,
        bench_db: BenchDatabase,
        sizes: Sizes,
        ports: Sequence[int],
        tokens: list[str],
        conninfo: str,
    ) -> None:
        self._bench_db = bench_db
        self._sizes = sizes
        self._ports = list(ports)
        self._tokens = tokens
        self._conninfo = conninfo

    def bets(self) -> dict[str, float]:
        """Bets with keys by signed-in players, each durable before its answer."""
        result = self.place_bets(_NAME, self._sizes.http_s)
        return {
            "http_per_second": result.accepted / result.seconds,
            "http_p50_ms": result.p50_ms,
            "http_p99_ms": result.p99_ms,
        }

    def place_bets(self, name: str, seconds: float) -> http_load.HttpLoadResult:
        """Bets under keys that begin with `name`. Raises NoFigureError if the log differs."""
        result = self._load("bets", seconds, name=name)
        check_stored(self._conninfo, name, result.accepted)
        return result

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
        """Make each player's first call to each process, which has to look up the token."""
        for port in self._ports:
            self._load("heart", _READY_S, max_requests=len(self._tokens), ports=[port])

    def _load(
        self,
        kind: http_load.LoadKind,
        seconds: float,
        *,
        name: str = "",
        max_requests: int = 1_000_000,
        ports: list[int] | None = None,
    ) -> http_load.HttpLoadResult:
        task = http_load.HttpLoadTask(
            ports or self._ports,
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
    with running_server(bench_db, sizes) as served:
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
    role: ServerRole = ServerRole.ALL

    @property
    def timezone(self) -> str:
        """The operator's time zone."""
        return self.environment["FAIRDRAW_TIMEZONE"]

    def in_role(self, role: ServerRole) -> "ServerProcess":
        """Another process of the same house, with a port and a log of its own."""
        port = free_port()
        return replace(self, role=role, port=port, log=self.log.with_name(f"{role}-{port}.log"))

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the process until the block ends. The block starts before it is ready."""
        where = [] if self.role is ServerRole.PROJECTOR else ["--port", str(self.port)]
        command = [*self.command, "--role", self.role, *where]
        with (
            self.log.open("ab") as errors,
            process_of(command, errors, environment=self.environment) as program,
        ):
            try:
                yield program
            except NoFigureError as error:
                if program.poll() in {None, *_ENDED_BY_LOAD}:
                    raise
                output = log_tail(self.log)
                raise NoFigureError(f"{error}; the role {self.role} ended: {output}") from error

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the process until the block ends. The block starts when it is ready."""
        with self.started() as program:
            self.wait_until_ready(program)
            yield program

    def wait_until_ready(self, program: subprocess.Popen[bytes]) -> None:
        """Returns once bets are accepted; by an engine of its own, once it is alive.

        Raises: NoFigureError: it was not ready in time, or ended before.
        """
        deadline = time.monotonic() + _READY_S
        while not _answers(self.port, _PROBES[self.role]):
            if program.poll() is not None:
                raise NoFigureError(f"the role {self.role} did not start")
            if time.monotonic() > deadline:
                output = log_tail(self.log)
                raise NoFigureError(f"the role {self.role} was not ready in time: {output}")
            time.sleep(_POLL_S)


def prepare_server(
    bench_db: BenchDatabase, member_count: int, undisturbed_s: float
) -> ServerProcess:
    """Prepare a server of which no round ends within these seconds."""
    conninfos = bench_db.fresh_database(_DATABASE)
    schema.create(conninfos.owner)
    conninfo = conninfos.app
    data = bench_db.fresh_folder(_DATABASE)
    zone = quiet_zone(ShiftableClock()(), _ROUND_SECONDS, undisturbed_s)
    task = members.MembersTask(conninfo, str(data / "keys"), member_count, zone)
    joined = run_worker(task, members.MembersResult, bench_db.folder / "members.log")
    make_keys = [sys.executable, "-m", "api.keys", "--data", str(data)]
    subprocess.run(make_keys, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    options = ["--data", str(data), "--no-demo", "--round-seconds", str(_ROUND_SECONDS)]
    command = [sys.executable, "-m", "api.app", *options]
    environment = OPERATOR | NO_RATE_LIMIT
    environment |= {"DATABASE_URL": conninfo, "FAIRDRAW_TIMEZONE": zone}
    log = bench_db.fresh_folder("program") / "program.log"
    return ServerProcess(conninfo, free_port(), joined.tokens, command, environment, log)


@contextmanager
def running_server(bench_db: BenchDatabase, sizes: Sizes) -> Iterator[ServerUnderLoad]:
    """The whole house in one process, on a fresh database and with players who have called it."""
    program = prepare_server(bench_db, sizes.http_tokens, _UNDISTURBED_S)
    with program.running() as process:
        served = ServerUnderLoad(bench_db, sizes, [program.port], program.tokens, program.conninfo)
        served.warm_up()
        yield served
        interrupt(process)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def issues(conninfo: str) -> dict[int, str]:
    """The rounds on sale."""
    return {game: issue for game, (issue, _) in _sales(conninfo).items()}


def wait_for_sale(conninfo: str, seconds: float) -> None:
    """Returns once a round of every game is on sale for all of these seconds.

    The rounds of all games are on sale together for at most 135 seconds.

    Raises: NoFigureError: that was so at no time of two rounds.
    """
    deadline = time.monotonic() + 2 * _ROUND_SECONDS
    while time.monotonic() < deadline:
        ends = [closes_at for _, closes_at in _sales(conninfo).values()]
        if len(ends) == len(GAMES) and min(ends) > ShiftableClock()() + seconds * SECOND_US:
            return
        time.sleep(_POLL_S)
    raise NoFigureError(f"no round of every game was on sale for {seconds:.0f} s")


def wait_until_settled(conninfo: str, rounds: Mapping[int, str]) -> None:
    """Returns once the round of each game in `rounds` is settled.

    Raises: NoFigureError: one was not settled in the time of two rounds.
    """
    streams = [round_stream(game, issue) for game, issue in rounds.items()]
    deadline = time.monotonic() + 2 * _ROUND_SECONDS
    while query(conninfo, _SETTLED, [streams]) < len(streams):
        if time.monotonic() > deadline:
            raise NoFigureError(f"{', '.join(streams)}: not all are settled")
        time.sleep(_POLL_S)


def _sales(conninfo: str) -> dict[int, tuple[str, int]]:
    """The newest round of each game, and its close in microseconds."""
    with psycopg.connect(conninfo) as connection:
        rows = {game: connection.execute(_OPEN, [f"round-{game}-%"]).fetchone() for game in GAMES}
    return {game: (str(row[0]), int(row[1])) for game, row in rows.items() if row is not None}
