"""The engine and the read models, composed and run as in production."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog
import uvloop
from msgspec import Struct

from engine.answers import Refused
from engine.cashier.commands import ApproveDeposit, DecideDeposit
from engine.catalogue import GAMES
from engine.command_handler import Command
from engine.house.facts import Mode
from engine.odds import SPECIFIED
from engine.players.commands import MEMBER, RegisterPlayer
from engine.runtime.child_process import ChildProcess
from engine.runtime.engine import Engine
from engine.runtime.witness.remote_witness import WitnessAddress
from engine.schedule import Schedule
from projections.process import ProjectionWorker
from projections.registry import read_models
from projections.runner.fact_notifier import FactNotifier
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import ModelStatus, status_of
from tests.instruments.load_tests.bet_mix import FUNDS_MINOR
from tests.instruments.load_tests.workers import NoFigureError

_POLL_S = 0.02
_LIMIT_S = 60.0
_CATCH_UP_TIMEOUT_S = 120.0
# More at once would exceed the deadline on a slow machine.
_MAX_CONCURRENT_REGISTRATIONS = 200
WorkT = TypeVar("WorkT")
Status = Callable[[], Sequence[ModelStatus]]
"""Returns the position of each read model."""


class BenchTarget(Struct, frozen=True):
    """A database with its schema, and the folder of the secret files."""

    conninfo: str
    keys: str


def run(work: Coroutine[Any, Any, WorkT]) -> WorkT:
    """Run a coroutine on the product's event loop with the process settings of production."""
    return uvloop.run(work)


@asynccontextmanager
async def leading_engine(
    target: BenchTarget,
    schedule: Schedule,
    clock: Callable[[], int],
    mode: Mode = Mode.DEMO,
    witness: WitnessAddress | None = None,
) -> AsyncIterator[Engine]:
    """An engine that leads, without read models; a `witness` draws with it and cosigns its log."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    parts = target.conninfo, Path(target.keys), schedule, SPECIFIED.id, clock
    engine = Engine(*parts, mode=mode, witness=witness)
    running = asyncio.create_task(engine.run())
    try:
        await wait_until(lambda: engine.ready, "the engine to lead")
        yield engine
    finally:
        engine.stop()
        await running
        engine.close()


@asynccontextmanager
async def engine_with_models(
    target: BenchTarget,
    schedule: Schedule,
    clock: Callable[[], int],
    witness: WitnessAddress | None = None,
    worker: Callable[[str, str], ChildProcess] = ProjectionWorker,
) -> AsyncIterator[tuple[Engine, Status]]:
    """A leading engine with read models and their positions, as in production.

    A `worker` process feeds the read models and notifies this one of their progress.
    """
    models = read_models(schedule.timezone)
    with closing(ProjectionRunner(target.conninfo, models)) as runner:
        runner.install()
    async with leading_engine(target, schedule, clock, witness=witness) as engine:
        follower = FactNotifier(target.conninfo, models, engine.recent.page)
        following = threading.Thread(target=follower.run, name="follower")
        following.start()
        projecting = worker(target.conninfo, schedule.timezone)
        try:
            yield engine, partial(status_of, target.conninfo, models)
        finally:
            await asyncio.to_thread(projecting.close)
            await asyncio.to_thread(follower.close)
            following.join()


async def wait_until(condition: Callable[[], bool], what: str, seconds: float = _LIMIT_S) -> None:
    """Wait until the condition is true. Raises NoFigureError on a timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise NoFigureError(f"waited {seconds:.0f} s for {what}")
        await asyncio.sleep(_POLL_S)


async def register_players(engine: Engine, players: Sequence[int]) -> None:
    """Register these players with enough play money for the load."""
    await _submit_all(
        engine,
        [RegisterPlayer(player, MEMBER, None, "", gift_minor=FUNDS_MINOR) for player in players],
    )


async def register_depositors(engine: Engine, players: Sequence[int]) -> None:
    """Register these players with deposits that two of the staff approved, for real money."""
    await _submit_all(engine, [RegisterPlayer(player, MEMBER, None, "") for player in players])
    await _submit_all(
        engine,
        [
            ApproveDeposit(player, f"bench-{player}", "bank", FUNDS_MINOR, "", "staff:ann")
            for player in players
        ],
    )
    await _submit_all(
        engine,
        [DecideDeposit(player, f"bench-{player}", True, "staff:ben", "") for player in players],
    )


async def _submit_all(engine: Engine, commands: Sequence[Command]) -> None:
    for first in range(0, len(commands), _MAX_CONCURRENT_REGISTRATIONS):
        replies = await asyncio.gather(
            *(
                engine.submit("registration", None, command)
                for command in commands[first : first + _MAX_CONCURRENT_REGISTRATIONS]
            )
        )
        refused = [reply.answer for reply in replies if isinstance(reply.answer, Refused)]
        if refused:
            raise NoFigureError(f"registering: {refused[0]}")


async def rounds_on_sale(engine: Engine, now: Callable[[], int]) -> dict[int, str]:
    """Each game's issue, once all games are on sale."""

    def sell() -> bool:
        world = engine.state
        newest = [world.newest.get(game) for game in GAMES]
        return all(key is not None and world.rounds[key].sells_at(now()) for key in newest)

    await wait_until(sell, "a round of every game")
    return {game: engine.state.newest[game][1] for game in GAMES}


async def wait_caught_up(models: Status) -> None:
    """Wait until all read models are at the log's end. Raises NoFigureError if one stopped."""

    def is_caught_up() -> bool:
        status = models()
        stopped = [f"{one.name}: {one.failed.error}" for one in status if one.failed]
        if stopped:
            raise NoFigureError(stopped[0])
        return all(one.lag_facts == 0 for one in status)

    deadline = time.monotonic() + _CATCH_UP_TIMEOUT_S
    while not await asyncio.to_thread(is_caught_up):
        if time.monotonic() > deadline:
            raise NoFigureError("the read models did not catch up")
        await asyncio.sleep(_POLL_S)
