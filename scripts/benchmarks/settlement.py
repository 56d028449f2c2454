"""One large round, closed, drawn and settled by the conductor, while others bet elsewhere.

All runs share one database: together they make the log that is read again at the end.
"""

import asyncio

import psycopg
from msgspec import Struct
from psycopg.rows import tuple_row

from engine.facts import round_stream
from engine.rounds.state import Phase
from engine.runtime import schema
from engine.runtime.engine import Engine
from engine.schedule import SECOND_US, demo
from scripts.benchmarks import engine_at_work
from scripts.benchmarks.bettors import ClosedLoopLoad
from scripts.benchmarks.engine_at_work import BenchTarget
from scripts.benchmarks.figures import percentile
from scripts.benchmarks.ground import BenchDatabase, query
from scripts.benchmarks.sizes import Sizes
from scripts.benchmarks.steady import OpenLoopLoad
from scripts.benchmarks.stored import check_stored
from scripts.benchmarks.times import ShiftableClock, quiet_moment
from scripts.benchmarks.workers import NoFigureError, run_worker, serve_worker

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


class SettlementTask(Struct, frozen=True):
    """Where, under which name, how many bets to settle and how many more a second meanwhile."""

    conninfo: str
    keys: str
    name: str
    bets: int
    per_second: int
    after: int


class SettlementResult(Struct, frozen=True):
    """The round; bets in it and elsewhere; when the others were sent, and how long they took."""

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
    result = run_worker("settlement", task, SettlementResult, bench_db.folder / "settlement.log")
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
    """The database of all runs, made by the first."""
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
    return engine_at_work.run(_load(task))


async def _load(task: SettlementTask) -> SettlementResult:
    schedule, clock = demo(), ShiftableClock()
    clock.advance_to(task.after)
    clock.advance_to(quiet_moment(schedule, clock(), _UNDISTURBED_S))
    target = BenchTarget(task.conninfo, task.keys)
    async with engine_at_work.engine_with_models(target, schedule, clock) as (engine, models):
        players = range(_FIRST_PLAYER, _FIRST_PLAYER + _PLAYERS)
        await engine_at_work.register_players(engine, players)
        issues = await engine_at_work.rounds_on_sale(engine, clock)
        large = {_LARGE: issues[_LARGE]}
        run = await ClosedLoopLoad(engine, players, large, task.bets, task.name).play()
        await engine_at_work.wait_caught_up(models)
        others = OpenLoopLoad(
            engine, players[:_MEANWHILE], (_ELSEWHERE, issues[_ELSEWHERE]), task, clock
        )
        await _settle(engine, issues[_LARGE], clock, others)
        await engine_at_work.wait_caught_up(models)
    return SettlementResult(
        issues[_LARGE], run.accepted, others.accepted, others.sent_at, others.latencies
    )


async def _settle(engine: Engine, issue: str, clock: ShiftableClock, others: OpenLoopLoad) -> None:
    """Let the round's times come; the conductor does the rest."""
    opened = engine.state.rounds[_LARGE, issue].opened

    def is_closed() -> bool:
        return engine.state.rounds[_LARGE, issue].phase >= Phase.CLOSED

    def is_settled() -> bool:
        round_ = engine.state.rounds.get((_LARGE, issue))
        return round_ is None or round_.finished

    clock.advance_to(opened.closes_at)
    await engine_at_work.wait_until(is_closed, "the close")
    clock.advance_to(opened.draws_at - SECOND_US)
    playing = asyncio.create_task(others.play())
    await engine_at_work.wait_until(is_settled, "the settlement")
    await others.stop()
    await playing


if __name__ == "__main__":
    serve_worker(SettlementTask, _work)
