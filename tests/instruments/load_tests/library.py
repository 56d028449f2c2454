"""The eventsourcing library as its manual uses it: load an aggregate, command it, save it."""

import time
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from tests.instruments.load_tests.bench_database import BenchDatabase, query
from tests.instruments.load_tests.sizes import LIBRARY_WALLETS, Sizes
from tests.instruments.load_tests.workers import NoFigureError, run_worker, serve_worker

_DATABASE = "library"
_FUNDS, _STAKE = 100_000_000, 100


class LibraryTask(Struct, frozen=True):
    """The database, the number of wallets, and the duration."""

    conninfo: str
    wallets: int
    seconds: float


class LibraryResult(Struct, frozen=True):
    """Commands answered, and their duration in seconds."""

    commands: int
    seconds: float


class Wallet(Aggregate):
    """The counterpart of a player who bets, in the library's style."""

    @event("Opened")
    def __init__(self, available: int) -> None:
        self.available = available
        self.staked = 0

    @event("Placed")
    def place(self, issue: str, kind: str, stake: int, odds: int) -> None:
        """Stake on a kind."""
        assert kind
        assert issue
        assert odds
        if stake > self.available:
            raise ValueError("funds")
        self.available -= stake
        self.staked += stake


class Wallets(Application[UUID]):
    """One transaction for each command."""

    def place(self, wallet: UUID, number: int) -> None:
        """Load, command and save an aggregate."""
        found: Any = self.repository.get(wallet)
        found.place(f"2026112{number % 10}", "big", _STAKE, 1_980)
        self.save(found)


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """One run, in one thread, on a fresh database."""
    conninfo = bench_db.fresh_database(_DATABASE).owner
    task = LibraryTask(conninfo, LIBRARY_WALLETS, sizes.library_s)
    result = run_worker(task, LibraryResult, bench_db.folder / "library.log")
    stored = query(conninfo, "SELECT count(*) FROM wallets_events") - task.wallets
    bench_db.drop(_DATABASE)
    if stored != result.commands:
        raise NoFigureError(f"library: {result.commands} acknowledged, {stored} stored")
    return {"library_per_second": result.commands / result.seconds}


def _work(task: LibraryTask) -> LibraryResult:
    application = Wallets(env=_environment(task.conninfo))
    wallets = [Wallet(_FUNDS) for _ in range(task.wallets)]
    application.save(*wallets)
    ids = [wallet.id for wallet in wallets]
    began, commands = time.perf_counter(), 0
    while time.perf_counter() < began + task.seconds:
        application.place(ids[commands % len(ids)], commands)
        commands += 1
    seconds = time.perf_counter() - began
    application.close()
    return LibraryResult(commands, seconds)


def _environment(conninfo: str) -> dict[str, str]:
    found = conninfo_to_dict(conninfo)
    names = ("dbname", "host", "port", "user", "password")
    where = {f"POSTGRES_{name.upper()}": str(found[name]) for name in names}
    return {"PERSISTENCE_MODULE": "eventsourcing.postgres", **where}


if __name__ == "__main__":
    serve_worker(LibraryTask, _work)
