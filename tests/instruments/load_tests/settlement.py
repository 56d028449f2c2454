"""One large round is closed, drawn and settled by the scheduler, while others bet elsewhere.

All runs share one database; together they make the log that is replayed at the end.
"""

import asyncio

import psycopg
from msgspec import Struct
from psycopg.rows import tuple_row

from engine.facts import round_stream
from engine.rounds.state import Phase
from engine.runtime.engine import Engine
from engine.runtime.log import schema
from engine.schedule import SECOND_US, demo
from tests.instruments.load_tests import engine_fixture
from tests.instruments.load_tests.bench_clock import ShiftableClock, quiet_moment
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored, query
from tests.instruments.load_tests.closed_loop import ClosedLoopLoad
from tests.instruments.load_tests.engine_fixture import BenchTarget
from tests.instruments.load_tests.open_loop import OpenLoopLoad
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.statistics import percentile
from tests.instruments.load_tests.workers import NoFigureError, run_worker, serve_worker

DATABASE = "settlement"
_FIRST_PLAYER, _PLAYERS, _MEANWHILE = 10_001, 2_000, 200
_LARGE, _ELSEWHERE = 1, 4
_UNDISTURBED_S = 125.0
_TIMES = (
    "SELECT topic, at FROM log.facts WHERE originator_id = %s"
    " AND topic IN ('round-drawn.1', 'round-settled.1')"
)
_SETTLED = (
    "SELECT count(*) FROM log.facts WHERE topic = 'bet-settled.1'"
    " AND convert_from(state, 'UTF8')::jsonb @> jsonb_build_object('game', 1, 'issue', %s::text)"
)
_LAST = "SELECT coalesce(max(at), 0) FROM log.facts"
_COUNT = "SELECT count(*) FROM log.facts"


class SettlementTask(Struct, frozen=True):
    """The database, key prefix, number of bets to settle, and other bets per second meanwhile."""

    conninfo: str
    keys: str
    name: str
    bets: int
    per_second: int
    after: int


class SettlementResult(Struct, frozen=True):
    """The round; bets in it and in other games; send times and latencies of the others."""

    issue: str
    acknowledged: int
    elsewhere: int
    sent_at: list[int]
    latencies_ms: list[float]


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Settle one round."""
    conninfo = _database(bench_db)
    run = query(conninfo, "SELECT count(*) FROM log.batches")
    task = SettlementTask(
        conninfo,
        str(bench_db.folder / DATABASE),
        f"settlement{run}",
        sizes.settled_bets,
        sizes.meanwhile_per_second,
        query(conninfo, _LAST),
    )
    result = run_worker(task, SettlementResult, bench_db.folder / "settlement.log")
    check_stored(conninfo, task.name, result.acknowledged)
    check_stored(conninfo, f"{task.name}.meanwhile", result.elsewhere)
    settled = query(conninfo, _SETTLED, [result.issue])
    if settled != result.acknowledged:
        raise NoFigureError(f"{result.acknowledged} bets placed, {settled} settled")
    drawn_at, settled_at = _times(conninfo, result.issue)
    meanwhile = [
        latency
        for at, latency in zip(result.sent_at, result.latencies_ms, strict=True)
        if drawn_at <= at <= settled_at
    ]
    return {
        "settled_per_second": settled * SECOND_US / (settled_at - drawn_at),
        "settlement_others_p50_ms": percentile(meanwhile, 50),
        "settlement_others_p99_ms": percentile(meanwhile, 99),
    }


def _database(bench_db: BenchDatabase) -> str:
    """The database of all runs, created by the first."""
    keys = bench_db.folder / DATABASE
    if not keys.exists():
        keys.mkdir()
        schema.create(bench_db.fresh_database(DATABASE).owner)
    return bench_db.server.conninfos(DATABASE).app


def _times(conninfo: str, issue: str) -> tuple[int, int]:
    """When the round was drawn and settled, by the log."""
    with psycopg.connect(conninfo, row_factory=tuple_row) as connection:
        found: dict[str, int] = dict(
            connection.execute(_TIMES, [round_stream(_LARGE, issue)]).fetchall()
        )
    return found["round-drawn.1"], found["round-settled.1"]


def _work(task: SettlementTask) -> SettlementResult:
    return engine_fixture.run(_load(task))


async def _load(task: SettlementTask) -> SettlementResult:
    schedule, clock = demo(), ShiftableClock()
    clock.advance_to(task.after)
    clock.advance_to(quiet_moment(schedule, clock(), _UNDISTURBED_S))
    target = BenchTarget(task.conninfo, task.keys)
    async with engine_fixture.engine_with_models(target, schedule, clock) as (engine, models):
        players = range(_FIRST_PLAYER, _FIRST_PLAYER + _PLAYERS)
        await engine_fixture.register_players(engine, players)
        issues = await engine_fixture.rounds_on_sale(engine, clock)
        large = {_LARGE: issues[_LARGE]}
        run = await ClosedLoopLoad(engine, players, large, task.bets, task.name).play()
        await engine_fixture.wait_caught_up(models)
        others = OpenLoopLoad(
            engine, players[:_MEANWHILE], (_ELSEWHERE, issues[_ELSEWHERE]), task, clock
        )
        await _settle(engine, issues[_LARGE], clock, others)
        await engine_fixture.wait_caught_up(models)
    return SettlementResult(
        issues[_LARGE], run.accepted, others.accepted, others.sent_at, others.latencies
    )


async def _settle(engine: Engine, issue: str, clock: ShiftableClock, others: OpenLoopLoad) -> None:
    """Move the clock to the round's times; the scheduler does the rest."""
    opened = engine.state.rounds[_LARGE, issue].opened

    def is_closed() -> bool:
        return engine.state.rounds[_LARGE, issue].phase >= Phase.CLOSED

    def is_settled() -> bool:
        round_ = engine.state.rounds.get((_LARGE, issue))
        return round_ is None or round_.finished

    clock.advance_to(opened.closes_at)
    await engine_fixture.wait_until(is_closed, "the close")
    clock.advance_to(opened.draws_at - SECOND_US)
    playing = asyncio.create_task(others.play())
    await engine_fixture.wait_until(is_settled, "the settlement")
    await others.stop()
    await playing


if __name__ == "__main__":
    serve_worker(SettlementTask, _work)


def history(bench_db: BenchDatabase, sizes: Sizes) -> tuple[str, int]:
    """The database with the log of all settled rounds, and its length in facts."""
    if not (bench_db.folder / DATABASE).exists():
        print("    settling rounds, for a log to read", flush=True)
        measure(bench_db, sizes)
    conninfo = bench_db.server.conninfos(DATABASE).app
    while (facts := query(conninfo, _COUNT)) < sizes.history_facts:
        print(f"    {facts:,} facts so far", flush=True)
        measure(bench_db, sizes)
    return conninfo, facts
