"""A house of years against an empty one: the same server, the same load, another history.

Both are data folders of `large_house`. The large one stays, and grows by what it is measured with.
Both servers run at once, and each load runs on one and then on the other, several times: the speed
of a machine changes by more than the houses differ. A figure is the median of its turns.

PostgreSQL runs before the server starts, so that the start is the server's alone. The rounds that
were on sale when the house last stopped are settled before: their bets would be read at a start,
kept in memory, and settled during the loads.
"""

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import psutil
from psycopg import Connection, connect
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
_FEW_CONNECTIONS: Final = 2
_STARTING_S: Final = 5.0
_NO_LIMIT: Final = 1_000_000
_FIRST_S: Final = 30.0
_MIB: Final = 1 << 20
_MEMBERS: Final = "SELECT count(*) FROM vault.members"
_SESSIONS: Final = "SELECT count(*) FROM vault.sessions"
_OLDEST_BETS: Final = (
    "SELECT DISTINCT ON (player) bet FROM views.bets WHERE player = ANY(%s)"
    " ORDER BY player, placed_at, position"
)
_RUNS: Final = "SELECT count(*) FROM log.batches"


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
    with (
        _open("empty", empty, sizes, bench_db) as small,
        _open("large", folder, sizes, bench_db) as large,
    ):
        houses = (small, large)
        for _ in range(sizes.large_turns):
            for house in houses:
                house.start()
        _load(houses, sizes.large_turns)
        return small.figures() | large.figures()


def _print_line(line: str) -> None:
    print(f"    {line}", flush=True)


def _load(houses: tuple["_House", ...], turns: int) -> None:
    """Serve all houses, and run each load on each of them in turn."""
    with ExitStack() as stack:
        servers = [stack.enter_context(house.server.running()) for house in houses]
        for house, server in zip(houses, servers, strict=True):
            house.add(ready_mib=_rss_mib(server))
        for load in (_House.first_hearts, _House.first_bets, *_LOADS * turns):
            for house in houses:
                load(house)
        for house, server in zip(houses, servers, strict=True):
            house.add(loaded_mib=_rss_mib(server))
            interrupt(server)
            house.check()


def _rss_mib(process: "subprocess.Popen[bytes]") -> float:
    """The memory of the server and of its read models' process."""
    root = psutil.Process(process.pid)
    return sum(each.memory_info().rss for each in (root, *root.children(recursive=True))) / _MIB


@contextmanager
def _open(name: str, folder: Path, sizes: Sizes, bench_db: BenchDatabase) -> Iterator["_House"]:
    """Start the folder's PostgreSQL and sign players in."""
    with database(folder, None) as conninfos:
        players = depositors(query(conninfos.owner, _MEMBERS))
        step = max(1, (len(players) - 1) // sizes.http_tokens)
        # Not those of the last time, who have placed hundreds of bets since.
        used = query(conninfos.owner, _SESSIONS) // (sizes.http_tokens + 1) % step
        some = players[1 + used :: step]
        with ConnectionPool(
            conninfos.app, connection_class=Connection[TupleRow], min_size=1, open=True
        ) as pool:
            sessions = Sessions(pool, wall_clock)
            members = list(some[: sizes.http_tokens])
            heavy, *tokens = (sessions.open(it) for it in (players[0], *members))
        options = ["--data", str(folder), "--no-demo", "--round-seconds", str(_ROUND_SECONDS)]
        server = server_bench.ServerProcess(
            conninfos.app,
            free_port(),
            tokens,
            [sys.executable, "-m", "api.app", *options],
            server_bench.OPERATOR | server_bench.NO_RATE_LIMIT,
            bench_db.folder / f"{name}.log",
        )
        on_sale = server_bench.issues(conninfos.app)
        with server.running() as process:
            server_bench.wait_until_settled(conninfos.app, on_sale)
            interrupt(process)
        yield _House(name, server, heavy, members, sizes, bench_db.folder)


class _House:
    """One of the houses that are compared: its server, the loads on it, and what they measured.

    `heavy` is the token of its heaviest member, and `members` are those of the other tokens.
    """

    def __init__(
        self,
        name: str,
        server: server_bench.ServerProcess,
        heavy: str,
        members: list[int],
        sizes: Sizes,
        logs: Path,
    ) -> None:
        self.server = server
        self._name = name
        self._heavy = heavy
        self._members = members
        self._sizes = sizes
        self._logs = logs
        self._run = query(server.conninfo, _RUNS)
        self._accepted: dict[str, int] = {}
        self._found: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, **figures: float) -> None:
        """Keep these figures of one turn."""
        for key, figure in figures.items():
            self._found[key].append(figure)

    def figures(self) -> dict[str, float]:
        """The medians of what was measured, with names that begin with the house's."""
        return {f"{self._name}_{key}": median(found) for key, found in self._found.items()}

    def start(self) -> None:
        """Start and stop the server."""
        began = time.perf_counter()
        with self.server.running() as process:
            self.add(start_s=time.perf_counter() - began)
            interrupt(process)

    def check(self) -> None:
        """Check that all accepted bets are stored. It reads the whole log, so it comes last."""
        for key, accepted in self._accepted.items():
            check_stored(self.server.conninfo, key, accepted)

    def first_hearts(self) -> None:
        """Each member's first heartbeat after a start.

        It and the first bet read what the member did before, from the disk of a house that is
        larger than the memory, and are counted apart.
        """
        tokens = self.server.tokens
        found = self._call("heart", _FIRST_S, tokens, requests=len(tokens))
        self.add(first_hearts_per_second=_rate(found), first_hearts_p99_ms=found.p99_ms)

    def first_bets(self) -> None:
        """Each member's first bet after a start."""
        found = self._bets("first", _FIRST_S, requests=len(self.server.tokens))
        self.add(first_bets_per_second=_rate(found), first_bets_p99_ms=found.p99_ms)

    def hearts(self) -> None:
        """Heartbeats of all members."""
        found = self._call("heart", self._sizes.heartbeat_s, self.server.tokens)
        self.add(heartbeat_per_second=_rate(found), heartbeat_p99_ms=found.p99_ms)

    def bets(self) -> None:
        """Bets of all members."""
        found = self._bets("large")
        self.add(http_per_second=_rate(found), http_p99_ms=found.p99_ms)

    def statements(self) -> None:
        """Statements of all members, and of the heaviest one."""
        seconds = self._sizes.heartbeat_s
        found = self._call("statement", seconds, self.server.tokens)
        self.add(statement_p50_ms=found.p50_ms, statement_p99_ms=found.p99_ms)
        heavy = self._call("statement", seconds, [self._heavy])
        self.add(heavy_statement_p99_ms=heavy.p99_ms)

    def receipts(self) -> None:
        """Proofs of each member's oldest receipt, which the engine reads from the log.

        Each reads all bets of its batch, and 1,000 are in one of the large house.
        """
        with connect(self.server.conninfo) as connection:
            found = connection.execute(_OLDEST_BETS, (self._members,)).fetchall()
        bets = [bet for (bet,) in found]
        seconds = self._sizes.heartbeat_s
        receipts = self._call("receipt", seconds, self.server.tokens, _FEW_CONNECTIONS, bets=bets)
        self.add(receipt_p50_ms=receipts.p50_ms, receipt_p99_ms=receipts.p99_ms)

    def bets_while_heavy_reads(self) -> None:
        """Bets while the heaviest member reads statements."""
        self.add(heavy_reading_p99_ms=self._bets_while_reading("heavy", self._heavy).p99_ms)

    def bets_while_light_reads(self) -> None:
        """Bets while another member reads statements."""
        light = self.server.tokens[0]
        self.add(light_reading_p99_ms=self._bets_while_reading("light", light).p99_ms)

    def _bets_while_reading(self, name: str, reader: str) -> http_load.HttpLoadResult:
        with ThreadPoolExecutor(1) as other:
            reading = other.submit(
                self._call, "statement", self._sizes.http_s, [reader], _FEW_CONNECTIONS
            )
            found = self._bets(name)
            reading.result()
        return found

    def _bets(
        self, name: str, seconds: float = 0, requests: int = _NO_LIMIT
    ) -> http_load.HttpLoadResult:
        key = f"{name}{self._run}n{len(self._accepted)}"
        seconds = seconds or self._sizes.http_s
        found = self._call("bets", seconds, self.server.tokens, name=key, requests=requests)
        self._accepted[key] = found.accepted
        return found

    def _call(
        self,
        kind: http_load.LoadKind,
        seconds: float,
        tokens: list[str],
        connections: int = 0,
        *,
        name: str = "",
        requests: int = _NO_LIMIT,
        bets: Sequence[str] = (),
    ) -> http_load.HttpLoadResult:
        conninfo = self.server.conninfo
        if kind == "bets":
            server_bench.wait_for_sale(conninfo, seconds + _STARTING_S)
        task = http_load.HttpLoadTask(
            [self.server.port],
            kind,
            connections or self._sizes.http_connections,
            seconds,
            tokens,
            server_bench.issues(conninfo) if kind == "bets" else {},
            name,
            requests,
            list(bets),
        )
        log = self._logs / f"generator {kind}.log"
        found = run_worker(task, http_load.HttpLoadResult, log)
        if found.failed:
            raise NoFigureError(f"{kind}: {found.failed} not accepted: {found.failure}")
        return found


def _rate(found: http_load.HttpLoadResult) -> float:
    return found.accepted / found.seconds


_LOADS: Final = (
    _House.hearts,
    _House.bets,
    _House.statements,
    _House.receipts,
    _House.bets_while_heavy_reads,
    _House.bets_while_light_reads,
)
