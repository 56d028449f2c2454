"""Many stream clients during a steady flow of bets, while a process of the server is killed.

In one load the server is one process, which starts again. In the other it has three API processes,
and the streams of the killed one continue at the other two. There is a figure only if every client
received every bet of its room once, in one order, and every stream that was cut off was resumed.
"""

import resource
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from statistics import mean
from typing import Final

import psutil
from msgspec.structs import replace

from tests.instruments.load_tests import apis, server_bench, sse_load
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored, count_bets
from tests.instruments.load_tests.bet_mix import FIRST_HALL
from tests.instruments.load_tests.server_bench import ServerProcess
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.sse_load import SseLoadResult, SseLoadTask
from tests.instruments.load_tests.workers import NoFigureError, interrupt, run_worker

_NAME: Final = "stream"
_SEVERAL_NAME: Final = "streams"
_APIS: Final = 3
#: Several hundred streams open in a few seconds, several thousand in more.
_CONNECT_S: Final = 15.0
_CONNECT_SEVERAL_S: Final = 40.0
_POLL_S: Final = 0.1
#: What a process opens in addition to the connections of the clients.
_OTHER_FILES: Final = 1_000
_MIB: Final = 1 << 20


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Lag from a bet's acknowledgement to its delivery, and the clients' memory cost."""
    program = server_bench.prepare_server(bench_db, sizes.stream_members, apis.UNDISTURBED_S)
    with ThreadPoolExecutor(1) as load:
        with program.running() as first:
            server_bench.wait_for_sale(program.conninfo, sizes.stream_s + _CONNECT_S)
            alone = _resident(first.pid)
            task = SseLoadTask(
                [program.port],
                sizes.stream_clients,
                _rooms(program),
                program.tokens,
                sizes.stream_per_second,
                sizes.stream_s,
                _NAME,
                _CONNECT_S,
            )
            coming = load.submit(_run, bench_db, task)
            _wait_for_half(coming, program, task)
            crowded = _resident(first.pid)
            first.kill()
        with program.running() as second:
            result = coming.result()
            after = _resident(second.pid)
            interrupt(second)
    _check(program, task, result)
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


def measure_several(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """The streams of a killed API process at the other two; memory is a process's mean."""
    allow_open_files(sizes.streams_clients + _OTHER_FILES)
    server = server_bench.prepare_server(bench_db, sizes.stream_members, apis.UNDISTURBED_S)
    limit = {"FAIRDRAW_STREAMS_AN_ADDRESS": str(sizes.streams_clients)}
    server = replace(server, environment=server.environment | limit)
    with apis.split_house(server) as house, ThreadPoolExecutor(1) as load:
        house.run_apis(_APIS)
        server_bench.wait_for_sale(server.conninfo, sizes.streams_s + _CONNECT_SEVERAL_S)
        processes = [api.process.pid for api in house.apis]
        alone = _mean_resident(processes)
        task = SseLoadTask(
            [api.server.port for api in house.apis],
            sizes.streams_clients,
            _rooms(server),
            server.tokens,
            sizes.stream_per_second,
            sizes.streams_s,
            _SEVERAL_NAME,
            _CONNECT_SEVERAL_S,
        )
        coming = load.submit(_run, bench_db, task)
        _wait_for_half(coming, server, task)
        crowded = _mean_resident(processes)
        house.apis[0].process.kill()
        result = coming.result()
        after = _mean_resident(processes[1:])
    _check(server, task, result)
    server_bench.drop(bench_db)
    return {
        "streams_open": float(sizes.streams_clients),
        "streams_lag_p50_ms": result.lag_p50_ms,
        "streams_lag_p99_ms": result.lag_p99_ms,
        "streams_bets": float(result.accepted),
        "streams_delivered": float(result.delivered),
        "streams_resumed": float(result.resumed),
        "streams_resume_p50_ms": result.resume_p50_ms,
        "streams_resume_most_ms": result.resume_max_ms,
        "streams_rss_alone_mib": alone,
        "streams_rss_crowded_mib": crowded,
        "streams_rss_after_mib": after,
    }


def allow_open_files(number: int) -> None:
    """Let this process and the processes that it starts open this many files.

    Raises: NoFigureError: the hard limit is lower.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _is_below(hard, number):
        raise NoFigureError(
            f"a process needs {number:,} open files, and its hard limit is {hard:,} here:"
            " raise it with ulimit -Hn"
        )
    if _is_below(soft, number):
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))


def _is_below(limit: int, number: int) -> bool:
    return limit != resource.RLIM_INFINITY and limit < number


def _rooms(server: ServerProcess) -> list[tuple[int, int, str]]:
    """The first hall of each game, with its round on sale."""
    issues = server_bench.issues(server.conninfo)
    return [(game, FIRST_HALL[game], issue) for game, issue in issues.items()]


def _run(bench_db: BenchDatabase, task: SseLoadTask) -> SseLoadResult:
    return run_worker(task, sse_load.SseLoadResult, bench_db.folder / "listeners.log")


def _wait_for_half(coming: Future[SseLoadResult], server: ServerProcess, task: SseLoadTask) -> None:
    """Wait until half of the bets are stored. Raises NoFigureError if the load ended before."""
    half = task.per_second * task.seconds / 2
    while not coming.done() and count_bets(server.conninfo, task.name) < half:
        time.sleep(_POLL_S)
    if coming.done():
        raise NoFigureError(coming.result().fault or "the load ended before the kill")


def _check(server: ServerProcess, task: SseLoadTask, result: SseLoadResult) -> None:
    """Raises NoFigureError if anything was lost, doubled or delivered in another order."""
    if result.fault:
        raise NoFigureError(result.fault)
    if not 0 < result.cut_off == result.resumed:
        raise NoFigureError(f"{result.cut_off} streams were cut off, {result.resumed} resumed")
    check_stored(server.conninfo, task.name, result.accepted)


def _mean_resident(processes: Sequence[int]) -> float:
    return mean(_resident(pid) for pid in processes)


def _resident(pid: int) -> float:
    return psutil.Process(pid).memory_info().rss / _MIB
