"""Our engine and read models, put together and run as the product runs them."""

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
from engine.catalogue import GAMES
from engine.odds import CARD
from engine.players.commands import MEMBER, RegisterPlayer
from engine.runtime.engine import Engine
from engine.schedule import Schedule
from projections.follower import Follower
from projections.models import read_models
from projections.process import RunnerProcess
from projections.runner import Runner
from projections.status import ModelStatus, status_of
from scripts.benchmarks.spread import FUNDS_MINOR
from scripts.benchmarks.workers import NoFigureError

_POLL_S = 0.02
_LIMIT_S = 60.0
_CAUGHT_UP_S = 120.0
# More at once would not all be in time on a slow machine.
_AT_THE_DOOR = 200
WorkT = TypeVar("WorkT")
Status = Callable[[], Sequence[ModelStatus]]
"""Where each read model stands."""


class Place(Struct, frozen=True):
    """A database whose schema exists, and the folder of the secret files."""

    conninfo: str
    keys: str


def run(work: Coroutine[Any, Any, WorkT]) -> WorkT:
    """Run on the product's event loop, and with whatever else its process sets for itself."""
    return uvloop.run(work)


@asynccontextmanager
async def leading_engine(
    place: Place, schedule: Schedule, clock: Callable[[], int]
) -> AsyncIterator[Engine]:
    """An engine that leads, without read models."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    engine = Engine(place.conninfo, Path(place.keys), schedule, CARD.id, clock)
    running = asyncio.create_task(engine.run())
    try:
        await until(lambda: engine.ready, "the engine to lead")
        yield engine
    finally:
        engine.stop()
        await running
        engine.close()


@asynccontextmanager
async def house(
    place: Place, schedule: Schedule, clock: Callable[[], int]
) -> AsyncIterator[tuple[Engine, Status]]:
    """A leading engine with its read models, and how far those are: as the product runs them.

    A process of their own feeds the models, and this one hears again of what they have taken in.
    """
    models = read_models(schedule.timezone)
    with closing(Runner(place.conninfo, models)) as runner:
        runner.install()
    async with leading_engine(place, schedule, clock) as engine:
        follower = Follower(place.conninfo, models, engine.recent.page)
        following = threading.Thread(target=follower.run, name="follower")
        following.start()
        projecting = RunnerProcess(place.conninfo, schedule.timezone)
        try:
            yield engine, partial(status_of, place.conninfo, models)
        finally:
            await asyncio.to_thread(projecting.close)
            await asyncio.to_thread(follower.close)
            following.join()


async def until(holds: Callable[[], bool], what: str, seconds: float = _LIMIT_S) -> None:
    """Wait for something to come true; NoFigureError when it does not."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise NoFigureError(f"waited {seconds:.0f} s for {what}")
        await asyncio.sleep(_POLL_S)


async def join(engine: Engine, players: Sequence[int]) -> None:
    """Make all of these members with plenty of money."""
    for first in range(0, len(players), _AT_THE_DOOR):
        commands = (
            RegisterPlayer(player, MEMBER, None, "", gift_minor=FUNDS_MINOR)
            for player in players[first : first + _AT_THE_DOOR]
        )
        replies = await asyncio.gather(
            *(engine.submit("registration", None, command) for command in commands)
        )
        refused = [reply.answer for reply in replies if isinstance(reply.answer, Refused)]
        if refused:
            raise NoFigureError(f"registering: {refused[0]}")


async def rounds_on_sale(engine: Engine, now: Callable[[], int]) -> dict[int, str]:
    """Each game's issue, once all of them sell."""

    def sell() -> bool:
        world = engine.world
        newest = [world.newest.get(game) for game in GAMES]
        return all(key is not None and world.rounds[key].sells_at(now()) for key in newest)

    await until(sell, "a round of every game")
    return {game: engine.world.newest[game][1] for game in GAMES}


async def caught_up(models: Status) -> None:
    """Wait until every read model stands at the log's end; NoFigureError if one has stopped."""

    def stands() -> bool:
        status = models()
        stopped = [f"{one.name}: {one.failed.error}" for one in status if one.failed]
        if stopped:
            raise NoFigureError(stopped[0])
        return all(one.lag_facts == 0 for one in status)

    deadline = time.monotonic() + _CAUGHT_UP_S
    while not await asyncio.to_thread(stands):
        if time.monotonic() > deadline:
            raise NoFigureError("the read models did not catch up")
        await asyncio.sleep(_POLL_S)
