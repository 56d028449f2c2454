"""The writer in process: bets with keys by many players, with outcomes and receipts.

It runs in three ways, each on a fresh database. As in production, with the read models following
the log, and with a witness in a process of its own that cosigns what the sealer signs: that is the
figure of the goal. Without any sealing and cosigning, which shows their cost. And alone, with the
sealer but without the read models and the witness, which shows theirs.

A run takes seconds, and the machine changes in them. So the first two alternate, and change places
in each round: sealed, unsealed, unsealed, sealed.
"""

import asyncio
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import mean
from typing import Final, Literal

from msgspec import Struct

from api.witness.process import WitnessProcess, wait_until_listening
from engine.runtime.engine import Engine
from engine.runtime.log import schema
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.witness.local_witness import WITNESS_FOLDER
from engine.runtime.witness.remote_witness import WitnessAddress
from engine.schedule import demo
from projections.process import ProjectionWorker
from tests.instruments.load_tests import engine_fixture
from tests.instruments.load_tests.bench_clock import ShiftableClock, quiet_moment
from tests.instruments.load_tests.bench_database import BenchDatabase, check_stored, query
from tests.instruments.load_tests.closed_loop import ClosedLoopLoad
from tests.instruments.load_tests.engine_fixture import BenchTarget
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.unsealed import UnsealedWorker, without_sealer
from tests.instruments.load_tests.workers import NoFigureError, run_worker, serve_worker

_DATABASE = "writer"
_FIRST_PLAYER = 10_001
_NAME = "writer"
_UNDISTURBED_S = 125.0
_FACTS: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_COSIGNED: Final = "SELECT coalesce(max(size), 0) FROM log.cosigned"
_SEALED: Final = "SELECT (SELECT count(*) FROM log.tiles) + (SELECT count(*) FROM log.checkpoints)"
Setup = Literal["cosigned", "unsealed", "alone"]


class WriterTask(Struct, frozen=True):
    """The database, the players, the number of bets, and what runs with the writer."""

    conninfo: str
    keys: str
    players: int
    bets: int
    setup: Setup


class WriterResult(Struct, frozen=True):
    """Bets acknowledged and the duration in seconds; delays in facts at the end of the load."""

    acknowledged: int
    seconds: float
    lag_facts: int = 0
    uncosigned_facts: int = 0

    @property
    def per_second(self) -> float:
        """Bets acknowledged per second."""
        return self.acknowledged / self.seconds


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float | list[float]]:
    """Two runs each of the compared setups, and one of the writer alone."""
    first, second = _run(bench_db, sizes, "cosigned"), _run(bench_db, sizes, "unsealed")
    third, fourth = _run(bench_db, sizes, "unsealed"), _run(bench_db, sizes, "cosigned")
    alone = _run(bench_db, sizes, "alone")
    cosigned, unsealed = (first, fourth), (second, third)
    return {
        "writer_per_second": mean(run.per_second for run in cosigned),
        "writer_sealed_per_second": [run.per_second for run in cosigned],
        "writer_unsealed_per_second": [run.per_second for run in unsealed],
        "writer_uncosigned_facts": max(run.uncosigned_facts for run in cosigned),
        "writer_projection_lag_facts": max(run.lag_facts for run in cosigned),
        "writer_alone_per_second": alone.per_second,
    }


def _run(bench_db: BenchDatabase, sizes: Sizes, setup: Setup) -> WriterResult:
    conninfos = bench_db.fresh_database(_DATABASE)
    schema.create(conninfos.owner)
    keys = str(bench_db.fresh_folder(_DATABASE))
    task = WriterTask(conninfos.app, keys, sizes.writer_players, sizes.writer_bets, setup)
    result = run_worker(task, WriterResult, bench_db.folder / "writer.log")
    check_stored(conninfos.app, _NAME, result.acknowledged)
    if setup == "unsealed" and (rows := query(conninfos.owner, _SEALED)):
        raise NoFigureError(f"the log was to be unsealed, but has {rows} tiles and checkpoints")
    bench_db.drop(_DATABASE)
    return result


def _work(task: WriterTask) -> WriterResult:
    with ExitStack() as stack:
        witness: WitnessAddress | None = None
        if task.setup == "cosigned":
            keys = Path(task.keys)
            operator = OperatorKey(secret_file(keys / "operator.key"))
            witness_process = WitnessProcess(keys / WITNESS_FOLDER, operator.public)
            witness = stack.enter_context(closing(witness_process)).address
            wait_until_listening(witness)
        elif task.setup == "unsealed":
            stack.enter_context(without_sealer())
        return engine_fixture.run(_load(task, witness))


async def _load(task: WriterTask, witness: WitnessAddress | None) -> WriterResult:
    schedule, clock = demo(), ShiftableClock()
    clock.advance_to(quiet_moment(schedule, clock(), _UNDISTURBED_S))
    target = BenchTarget(task.conninfo, task.keys)
    if task.setup == "alone":
        async with engine_fixture.leading_engine(target, schedule, clock) as engine:
            run = await (await _closed_loop_load(task, engine, clock)).play()
        return WriterResult(run.accepted, run.seconds)
    worker = UnsealedWorker if task.setup == "unsealed" else ProjectionWorker
    async with engine_fixture.engine_with_models(target, schedule, clock, witness, worker) as (
        engine,
        models,
    ):
        load = await _closed_loop_load(task, engine, clock)
        await engine_fixture.wait_caught_up(models)
        run = await load.play()
        uncosigned = await asyncio.to_thread(_uncosigned, task) if witness else 0
        status = await asyncio.to_thread(models)
        await engine_fixture.wait_caught_up(models)
        if witness is not None:
            await engine_fixture.wait_until(lambda: not _uncosigned(task), "the last cosignature")
    return WriterResult(run.accepted, run.seconds, max(one.lag_facts for one in status), uncosigned)


def _uncosigned(task: WriterTask) -> int:
    """How many facts no cosigned checkpoint covers."""
    return query(task.conninfo, _FACTS) - query(task.conninfo, _COSIGNED)


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
