"""Our writer in process: keyed bets of many players, outcomes, receipts, read models running."""

import asyncio

from msgspec import Struct

from engine.runtime import schema
from engine.schedule import demo
from scripts.benchmarks import engine_at_work
from scripts.benchmarks.bettors import Crowd
from scripts.benchmarks.engine_at_work import Place
from scripts.benchmarks.ground import Ground
from scripts.benchmarks.sizes import Sizes
from scripts.benchmarks.stored import check_stored
from scripts.benchmarks.times import Clock, quiet_moment
from scripts.benchmarks.workers import run_worker, serve_worker

_DATABASE = "writer"
_FIRST_PLAYER = 10_001
_NAME = "writer"
_UNDISTURBED_S = 125.0


class Task(Struct, frozen=True):
    """Where, by how many players and how much."""

    conninfo: str
    keys: str
    players: int
    bets: int


class Result(Struct, frozen=True):
    """Bets acknowledged in so many seconds; how far the read models were behind then."""

    acknowledged: int
    seconds: float
    lag_facts: int


def measure(ground: Ground, sizes: Sizes) -> dict[str, float]:
    """One run on a fresh database."""
    conninfos = ground.fresh_database(_DATABASE)
    schema.create(conninfos.owner)
    keys = str(ground.fresh_folder(_DATABASE))
    task = Task(conninfos.app, keys, sizes.writer_players, sizes.writer_bets)
    result = run_worker("writer", task, Result, ground.folder / "writer.log")
    check_stored(conninfos.app, _NAME, result.acknowledged)
    ground.drop(_DATABASE)
    return {
        "writer_per_second": result.acknowledged / result.seconds,
        "writer_projection_lag_facts": result.lag_facts,
    }


def _work(task: Task) -> Result:
    return engine_at_work.run(_load(task))


async def _load(task: Task) -> Result:
    schedule, clock = demo(), Clock()
    clock.pass_to(quiet_moment(schedule, clock(), _UNDISTURBED_S))
    async with engine_at_work.house(Place(task.conninfo, task.keys), schedule, clock) as (
        engine,
        runner,
    ):
        players = range(_FIRST_PLAYER, _FIRST_PLAYER + task.players)
        await engine_at_work.join(engine, players)
        issues = await engine_at_work.rounds_on_sale(engine, clock)
        await engine_at_work.caught_up(runner)
        run = await Crowd(engine, players, issues, task.bets, _NAME).play()
        status = await asyncio.to_thread(runner.status)
        await engine_at_work.caught_up(runner)
    return Result(run.accepted, run.seconds, max(one.lag_facts for one in status))


if __name__ == "__main__":
    serve_worker(Task, _work)
