"""The writer in process: bets with keys by many players, with outcomes and receipts.

It runs twice: with the read models following the log, as in production and for the goal, and
without them, which shows their cost.
"""

import asyncio

from msgspec import Struct

from engine.runtime.engine import Engine
from engine.runtime.log import schema
from engine.schedule import demo
from tests.instruments.load_tests import engine_fixture
from tests.instruments.load_tests.bench_clock import ShiftableClock, quiet_moment
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored
from tests.instruments.load_tests.closed_loop import ClosedLoopLoad
from tests.instruments.load_tests.engine_fixture import BenchTarget
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import run_worker, serve_worker

_DATABASE = "writer"
_FIRST_PLAYER = 10_001
_NAME = "writer"
_UNDISTURBED_S = 125.0


class WriterTask(Struct, frozen=True):
    """The database, the players, and the number of bets."""

    conninfo: str
    keys: str
    players: int
    bets: int
    followed: bool


class WriterResult(Struct, frozen=True):
    """Bets acknowledged and the duration in seconds; the lag of the read models at the end."""

    acknowledged: int
    seconds: float
    lag_facts: int


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """One run with read models and one without, each on a fresh database."""
    followed = _run(bench_db, sizes, followed=True)
    alone = _run(bench_db, sizes, followed=False)
    return {
        "writer_per_second": followed.acknowledged / followed.seconds,
        "writer_projection_lag_facts": followed.lag_facts,
        "writer_alone_per_second": alone.acknowledged / alone.seconds,
    }


def _run(bench_db: BenchDatabase, sizes: Sizes, *, followed: bool) -> WriterResult:
    conninfos = bench_db.fresh_database(_DATABASE)
    schema.create(conninfos.owner)
    keys = str(bench_db.fresh_folder(_DATABASE))
    task = WriterTask(conninfos.app, keys, sizes.writer_players, sizes.writer_bets, followed)
    result = run_worker(task, WriterResult, bench_db.folder / "writer.log")
    check_stored(conninfos.app, _NAME, result.acknowledged)
    bench_db.drop(_DATABASE)
    return result


def _work(task: WriterTask) -> WriterResult:
    return engine_fixture.run(_load(task))


async def _load(task: WriterTask) -> WriterResult:
    schedule, clock = demo(), ShiftableClock()
    clock.advance_to(quiet_moment(schedule, clock(), _UNDISTURBED_S))
    target = BenchTarget(task.conninfo, task.keys)
    if not task.followed:
        async with engine_fixture.leading_engine(target, schedule, clock) as engine:
            run = await (await _closed_loop_load(task, engine, clock)).play()
        return WriterResult(run.accepted, run.seconds, 0)
    async with engine_fixture.engine_with_models(target, schedule, clock) as (engine, models):
        load = await _closed_loop_load(task, engine, clock)
        await engine_fixture.wait_caught_up(models)
        run = await load.play()
        status = await asyncio.to_thread(models)
        await engine_fixture.wait_caught_up(models)
    return WriterResult(run.accepted, run.seconds, max(one.lag_facts for one in status))


async def _closed_loop_load(
    task: WriterTask, engine: Engine, clock: ShiftableClock
) -> ClosedLoopLoad:
    """Players with money, and a round of every game for them to bet on."""
    players = range(_FIRST_PLAYER, _FIRST_PLAYER + task.players)
    await engine_fixture.register_players(engine, players)
    issues = await engine_fixture.rounds_on_sale(engine, clock)
    return ClosedLoopLoad(engine, players, issues, task.bets, _NAME)


if __name__ == "__main__":
    serve_worker(WriterTask, _work)
