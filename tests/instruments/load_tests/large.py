"""A house of years against an empty one: the same server, the same load, another history.

Both are data folders of `large_house`. The large one stays, and grows by what it is measured with.
PostgreSQL runs before the server starts, so that the start is the server's alone. It is measured
after the loads, when the rounds on sale of both houses have as many bets.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.clock import wall_clock
from engine.runtime.postgres.embedded_postgres import database
from engine.runtime.postgres.files import free_port
from engine.runtime.vault.sessions import Sessions
from tests.instruments.load_tests import http_load, server_bench
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored, query
from tests.instruments.load_tests.large_house import DEPOSITORS_EVERY, HouseSize, depositors, fill
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError, interrupt, run_worker

_ROUND_SECONDS: Final = 210
_HEAVY_CONNECTIONS: Final = 2
_STARTING_S: Final = 5.0
_NO_LIMIT: Final = 1_000_000
_FIRST_S: Final = 30.0
_MIB: Final = 1 << 20
_MEMBERS: Final = "SELECT count(*) FROM vault.members"
_RUNS: Final = "SELECT count(*) FROM log.batches"


class _House(Struct, frozen=True):
    """A folder, its open database, and the tokens of its heaviest member and of others."""

    folder: Path
    conninfo: str
    heavy: str
    tokens: list[str]


def measure(bench_db: BenchDatabase, sizes: Sizes, folder: Path | None) -> dict[str, float]:
    """Measure the house in `folder` and an empty one; the folder is filled if it does not exist."""
    if folder is None:
        raise NoFigureError("name the data folder of a large house with --house")
    fill(folder, HouseSize(sizes.large_facts, sizes.large_members), _print_line)
    empty = bench_db.folder / "empty house"
    if not empty.exists():
        print("    filling an empty house", flush=True)
        members = DEPOSITORS_EVERY * (sizes.http_tokens + 1)
        fill(empty, HouseSize(0, members, days=1, heavy=0), lambda _: None)
    with _open(empty, sizes) as small:
        figures = _measure("empty", small, sizes, bench_db)
    with _open(folder, sizes) as large:
        return figures | _measure("large", large, sizes, bench_db)


def _print_line(line: str) -> None:
    print(f"    {line}", flush=True)


@contextmanager
def _open(folder: Path, sizes: Sizes) -> Iterator[_House]:
    """Start the folder's PostgreSQL and sign players in."""
    with database(folder, None) as conninfos:
        players = depositors(query(conninfos.owner, _MEMBERS))
        some = players[1 :: max(1, (len(players) - 1) // sizes.http_tokens)]
        with ConnectionPool(
            conninfos.app, connection_class=Connection[TupleRow], min_size=1, open=True
        ) as pool:
            sessions = Sessions(pool, wall_clock)
            heavy, *tokens = (sessions.open(it) for it in (players[0], *some[: sizes.http_tokens]))
        yield _House(folder, conninfos.app, heavy, tokens)


def _measure(name: str, house: _House, sizes: Sizes, bench_db: BenchDatabase) -> dict[str, float]:
    """The figures of one house, whose names begin with `name`."""
    options = ["--data", str(house.folder), "--no-demo", "--round-seconds", str(_ROUND_SECONDS)]
    server = server_bench.ServerProcess(
        house.conninfo,
        free_port(),
        house.tokens,
        [sys.executable, "-m", "api.app", *options],
        server_bench.OPERATOR | server_bench.NO_RATE_LIMIT,
        bench_db.folder / f"{name}.log",
    )
    with server.running() as process:
        interrupt(process)  # rounds that were open when the house last stopped are drawn now
    with server.running() as process:
        figures = {"ready_mib": _rss_mib(process)}
        figures |= _Loads(house, sizes, server.port, bench_db).figures()
        figures["loaded_mib"] = _rss_mib(process)
        interrupt(process)
    began = time.perf_counter()
    with server.running() as process:
        figures["start_s"] = time.perf_counter() - began
        interrupt(process)
    return {f"{name}_{key}": value for key, value in figures.items()}


def _rss_mib(process: "subprocess.Popen[bytes]") -> float:
    """The memory of the server and of its read models' process."""
    root = psutil.Process(process.pid)
    return sum(each.memory_info().rss for each in (root, *root.children(recursive=True))) / _MIB


class _Loads:
    """The loads on a running server."""

    def __init__(self, house: _House, sizes: Sizes, port: int, bench_db: BenchDatabase) -> None:
        self._house = house
        self._sizes = sizes
        self._port = port
        self._logs = bench_db.folder
        self._run = query(house.conninfo, _RUNS)

    def figures(self) -> dict[str, float]:
        """Heartbeats, bets and statements, and then bets while the heavy member reads.

        A member's first heartbeat and bet after a start read what the member did before, from the
        disk of a house that is larger than the memory. They are counted apart.
        """
        tokens, seconds = self._house.tokens, self._sizes.heartbeat_s
        first_hearts = self._load("heart", _FIRST_S, tokens, requests=len(tokens))
        hearts = self._load("heart", seconds, tokens)
        first_bets = self._bets("first", _FIRST_S, requests=len(tokens))
        bets = self._bets("large")
        statements = self._load("statement", seconds, tokens)
        heavy = self._load("statement", seconds, [self._house.heavy])
        with ThreadPoolExecutor(1) as other:
            reading = other.submit(
                self._load, "statement", self._sizes.http_s, [self._house.heavy], _HEAVY_CONNECTIONS
            )
            heavy_reading = self._bets("heavy")
            reading.result()
        with ThreadPoolExecutor(1) as other:
            reading = other.submit(
                self._load, "statement", self._sizes.http_s, tokens[:1], _HEAVY_CONNECTIONS
            )
            light_reading = self._bets("light")
            reading.result()
        return {
            "heartbeat_per_second": hearts.accepted / hearts.seconds,
            "heartbeat_p99_ms": hearts.p99_ms,
            "first_hearts_per_second": first_hearts.accepted / first_hearts.seconds,
            "first_hearts_p99_ms": first_hearts.p99_ms,
            "first_bets_per_second": first_bets.accepted / first_bets.seconds,
            "first_bets_p99_ms": first_bets.p99_ms,
            "http_per_second": bets.accepted / bets.seconds,
            "http_p99_ms": bets.p99_ms,
            "statement_p50_ms": statements.p50_ms,
            "statement_p99_ms": statements.p99_ms,
            "heavy_statement_p99_ms": heavy.p99_ms,
            "heavy_reading_p99_ms": heavy_reading.p99_ms,
            "light_reading_p99_ms": light_reading.p99_ms,
        }

    def _bets(
        self, name: str, seconds: float = 0, requests: int = _NO_LIMIT
    ) -> http_load.HttpLoadResult:
        key, tokens = f"{name}{self._run}", self._house.tokens
        seconds = seconds or self._sizes.http_s
        found = self._load("bets", seconds, tokens, name=key, requests=requests)
        check_stored(self._house.conninfo, key, found.accepted)
        return found

    def _load(
        self,
        kind: http_load.LoadKind,
        seconds: float,
        tokens: list[str],
        connections: int = 0,
        *,
        name: str = "",
        requests: int = _NO_LIMIT,
    ) -> http_load.HttpLoadResult:
        if kind == "bets":
            server_bench.wait_for_sale(self._house.conninfo, seconds + _STARTING_S)
        task = http_load.HttpLoadTask(
            [self._port],
            kind,
            connections or self._sizes.http_connections,
            seconds,
            tokens,
            server_bench.issues(self._house.conninfo) if kind == "bets" else {},
            name,
            requests,
        )
        log = self._logs / f"generator {kind}.log"
        found = run_worker(task, http_load.HttpLoadResult, log)
        if found.failed:
            raise NoFigureError(f"{kind}: {found.failed} not accepted: {found.failure}")
        return found
