"""The house put together: engine, projections, live rooms and the calls, on one event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from itertools import chain
from typing import Final

import structlog

from api import lines
from api.balances import Balances
from api.chat_rooms import Lines
from api.front.rates import Limits
from api.hashing import Hashing
from api.list_pool import ListPool
from api.live import Hub
from api.lookout import Lookout
from api.measures import Measures
from api.names import Names
from api.once import Once
from api.pace import Pace
from api.pages import Pages
from api.pool import Pool, open_pool
from api.program import Program
from api.results import ROUNDS_KEPT, Results
from api.retries import Retries, Seen
from api.services import OWN_WITHIN_S, Services
from api.settings import Settings
from api.start import looked_up, read_start
from api.turnstile import Turnstile
from engine.catalogue import GAMES
from engine.runtime import supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.contents import Contents
from engine.runtime.engine import Engine
from engine.runtime.keys import secret_file
from engine.runtime.sessions import Sessions
from engine.runtime.vault import Vault, VaultKeys
from projections.accounts import queries as accounts
from projections.accounts.queries import Account
from projections.bets import queries as bets
from projections.bets.queries import Order
from projections.follower import Follower
from projections.models import read_models
from projections.process import RunnerProcess
from projections.runner import Runner
from projections.status import status_of

_ENDED_WITHIN_S: Final = 1.0
_CLOSED_WITHIN_S: Final = 0.5
_RESULTS_SINCE_US: Final = 24 * 3600 * 1_000_000
_log = structlog.get_logger()


@asynccontextmanager
async def opened(
    settings: Settings,
    conninfo: str,
    clock: Callable[[], int],
    guard: GuardedClock | None = None,
) -> AsyncIterator[Services]:
    """A house that takes bets as soon as it leads; closed again on leaving.

    `conninfo` is the application's role on a database whose schema exists; `clock` gives
    microseconds since 1970, and is compared with the database's where it is the `guard`.
    """
    measures = Measures()
    engine = Engine(
        conninfo,
        settings.keys,
        settings.operator_schedule,
        settings.odds_table,
        clock,
        observer=measures,
        guard=guard,
        mode=settings.mode,
    )
    follower = Follower(conninfo, read_models(settings.timezone), engine.recent.page)
    pool = open_pool(conninfo)
    services = _services(settings, engine, measures, conninfo, pool, clock)
    await asyncio.to_thread(engine.check_start)
    await asyncio.to_thread(_begin, services, conninfo, follower)
    pages = Pages(
        pool,
        services.names,
        Lines(services.names, services.vault.words),
        services.hub.follows,
        services.hub.receive,
        asyncio.get_running_loop(),
        services.hub.position,
    )
    follower.listeners.append(pages.on_page)
    projecting = await asyncio.to_thread(RunnerProcess, conninfo, settings.timezone)
    following = supervision.thread("follower", follower.run, follower.closing)
    leading = supervision.task("engine", engine.run)
    try:
        yield services
    finally:
        services.hub.listeners.close()
        engine.stop()
        # At once: the read models take in the engine's last facts at the next start.
        await asyncio.gather(_ended(leading), asyncio.to_thread(projecting.close))
        await asyncio.to_thread(follower.close)
        following.join()
        services.hashing.close()
        services.lists.close()
        pool.close(_CLOSED_WITHIN_S)
        engine.close()
        lines.flush()


async def _ended(leading: asyncio.Task[None]) -> None:
    """Let the engine answer what has arrived, but do not wait for a database that is away."""
    await asyncio.wait({leading}, timeout=_ENDED_WITHIN_S)
    leading.cancel()
    await asyncio.wait({leading}, timeout=_ENDED_WITHIN_S)


def _services(
    settings: Settings,
    engine: Engine,
    measures: Measures,
    conninfo: str,
    pool: Pool,
    clock: Callable[[], int],
) -> Services:
    def account_of(player: int) -> Account | None:
        with pool.connection() as connection:
            return accounts.account(connection, player)

    async def load(player: int) -> Account | None:
        # Whoever registered a moment ago has an account here only once the models have got there.
        await hub.reach(seen.of(player), OWN_WITHIN_S)
        return await asyncio.to_thread(account_of, player)

    def settled_of(player: int) -> tuple[tuple[Order, ...], ...]:
        since = clock() - _RESULTS_SINCE_US
        with pool.connection() as connection:
            found = (
                bets.newest_settled(connection, player, game, since, ROUNDS_KEPT) for game in GAMES
            )
            return tuple(chain.from_iterable(found))

    async def load_results(player: int) -> tuple[tuple[Order, ...], ...]:
        return await asyncio.to_thread(settled_of, player)

    vault, balances = Vault(pool, clock, VaultKeys.at(settings.keys)), Balances(load)
    names, seen = Names(vault.nicknames), Seen()
    hub = Hub(names, balances, Results(load_results), clock)
    models = partial(status_of, conninfo, read_models(settings.timezone), clock)
    return Services(
        settings=settings,
        engine=engine,
        vault=vault,
        sessions=Sessions(pool, clock),
        pool=pool,
        hub=hub,
        balances=balances,
        names=names,
        hashing=Hashing(),
        clock=clock,
        models=models,
        lookout=Lookout(models, engine.is_led),
        measures=measures,
        program=Program(clock),
        office_secret=secret_file(settings.keys / "office.key").hex(),
        gateway_secret=secret_file(settings.keys / "gateway.key"),
        retries=Retries(asyncio.get_running_loop().time),
        seen=seen,
        once=Once(),
        pace=Pace(),
        limits=Limits(settings.rate_factor, asyncio.get_running_loop().time),
        turnstile=Turnstile(settings.streams),
        contents=Contents(pool),
        lists=ListPool(),
    )


def _begin(services: Services, conninfo: str, follower: Follower) -> None:
    """Check the keys, make the read models' tables, and take up what they hold."""
    services.vault.check_keys()
    with closing(Runner(conninfo, read_models(services.settings.timezone))) as runner:
        runner.install()
    follower.step()
    position = min(model.position for model in services.models())
    with services.pool.connection() as connection:
        start = read_start(connection, position)
    lines = Lines(services.names, services.vault.words)
    services.hub.begin(looked_up(start, services.names, lines))
