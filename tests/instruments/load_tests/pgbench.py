"""pgbench as the yardstick: `-s 50 -c 8 -j 2 -M prepared`, with its own transaction."""

import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache

from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.sizes import (
    PGBENCH_CLIENTS,
    PGBENCH_SCALE,
    PGBENCH_THREADS,
    Sizes,
)
from tests.instruments.load_tests.workers import NoFigureError

_DATABASE = "pgbench"
_TPS = re.compile(r"^tps = ([\d.]+)", re.MULTILINE)
_PROCESSED = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)
_FAILED = re.compile(r"^number of failed transactions: (\d+)", re.MULTILINE)
_LIMIT_S = 120


class PgbenchResult(Struct, frozen=True):
    """Transactions per second without the time to connect, and how many were acknowledged."""

    per_second: float
    acknowledged: int


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """One run, on tables that are created before the first."""
    _make_tables(bench_db)
    scale, length = ["-s", str(PGBENCH_SCALE)], ["-T", str(sizes.pgbench_s)]
    result = run_clients(bench_db, _DATABASE, *scale, *length)
    return {"pgbench_per_second": result.per_second}


def run_clients(bench_db: BenchDatabase, database: str, *arguments: str) -> PgbenchResult:
    """Run the transactions of eight clients. Raises NoFigureError if one failed, or none ran."""
    clients = ["-c", str(PGBENCH_CLIENTS), "-j", str(PGBENCH_THREADS)]
    output = _run(bench_db, database, *arguments, *clients, "-M", "prepared")
    tps, processed, failed = (each.search(output) for each in (_TPS, _PROCESSED, _FAILED))
    if tps is None or processed is None or (failed is not None and failed[1] != "0"):
        raise NoFigureError(f"pgbench: {output}")
    return PgbenchResult(float(tps[1]), int(processed[1]))


@cache
def _make_tables(bench_db: BenchDatabase) -> None:
    bench_db.fresh_database(_DATABASE)
    _run(bench_db, _DATABASE, "-i", "-q", "-s", str(PGBENCH_SCALE))


def _run(bench_db: BenchDatabase, database: str, *arguments: str) -> str:
    done = subprocess.run(
        [bench_db.server.bin("pgbench"), *arguments],
        env=os.environ | _connection(bench_db, database),
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise NoFigureError(f"pgbench: {done.stderr.strip()}")
    return done.stdout


def _connection(bench_db: BenchDatabase, database: str) -> Mapping[str, str]:
    """The socket, as used by every other load."""
    found = conninfo_to_dict(bench_db.server.dsn("owner", database))
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
    return {variable: str(found[name]) for name, variable in names.items()} | {
        "PGDATABASE": database
    }
