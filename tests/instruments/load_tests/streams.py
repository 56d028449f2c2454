"""Many stream clients during a steady flow of bets, with one kill and restart of the server.

There is a figure only if every client received every bet of its room once, in one order.
"""

import time
from concurrent.futures import Future, ThreadPoolExecutor

import psutil

from tests.instruments.load_tests import server_bench, sse_load
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored
from tests.instruments.load_tests.bet_mix import FIRST_HALL
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError, interrupt, run_worker

_NAME = "stream"
_AROUND_S = 45.0
_MIB = 1 << 20


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Lag from a bet's acknowledgement to its delivery, and the clients' memory cost."""
    program = server_bench.prepare_server(
        bench_db, sizes.stream_members, sizes.stream_s + _AROUND_S
    )
    with ThreadPoolExecutor(1) as load:
        with program.running() as first:
            alone = _resident(first.pid)
            coming = load.submit(_loaded, bench_db, sizes, program)
            _wait(coming, sizes.stream_s / 2)
            crowded = _resident(first.pid)
            first.kill()
        with program.running() as second:
            result = coming.result()
            after = _resident(second.pid)
            interrupt(second)
    if result.fault:
        raise NoFigureError(result.fault)
    check_stored(program.conninfo, _NAME, result.accepted)
    server_bench.drop(bench_db)
    return {
        "stream_lag_p50_ms": result.lag_p50_ms,
        "stream_lag_p99_ms": result.lag_p99_ms,
        "stream_lag_most_ms": result.lag_max_ms,
        "stream_bets": float(result.accepted),
        "stream_delivered": float(result.delivered),
        "stream_resumed": float(result.resumed),
        "stream_rss_alone_mib": alone,
        "stream_rss_crowded_mib": crowded,
        "stream_rss_after_mib": after,
    }


def _loaded(
    bench_db: BenchDatabase, sizes: Sizes, program: server_bench.ServerProcess
) -> sse_load.SseLoadResult:
    issues = server_bench.issues(program.conninfo)
    task = sse_load.SseLoadTask(
        program.port,
        sizes.stream_clients,
        [(game, FIRST_HALL[game], issue) for game, issue in issues.items()],
        program.tokens,
        sizes.stream_per_second,
        sizes.stream_s,
        _NAME,
    )
    return run_worker(task, sse_load.SseLoadResult, bench_db.folder / "listeners.log")


def _wait(coming: Future[sse_load.SseLoadResult], seconds: float) -> None:
    """Wait until the middle of the load. Raises NoFigureError if it ended before."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not coming.done():
        time.sleep(0.1)
    if coming.done():
        coming.result()
        raise NoFigureError("the load ended before the restart")


def _resident(pid: int) -> float:
    return psutil.Process(pid).memory_info().rss / _MIB
