"""The composition root: engine, projections, live rooms and calls on one event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import partial
from itertools import chain
from typing import Final

from msgspec.structs import replace

from api.account.player_sync import Players
from api.game.draw_statistics import StatisticsReader
from api.http.commands import Commands
from api.http.db_pool import READ_OWN_TIMEOUT_S, Pool, ReadModels, open_pool
from api.http.load_limits import ChatRateLimiter, HashPool, StreamLimiter
from api.http.long_lists import ListReader
from api.http.middleware.rate_limiter import RateLimiter
from api.keys import engine_secrets
from api.ops import request_log
from api.ops.counters import Counters
from api.ops.health_probe import HealthProbe
from api.realtime.chat_rooms import MessageRenderer
from api.realtime.hub import Hub
from api.realtime.hub_feed import PageEnricher, load_snapshot, with_names
from api.realtime.player_caches import MAX_RESULT_ROUNDS_KEPT, BalanceCache, ResultCache
from api.services import Services
from api.setting_types import ServerRole, SettingsError
from api.settings import Settings
from api.witness.process import own_witnesses
from engine.catalogue import GAMES
from engine.runtime import supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.code_manifest import IntegrityMonitor
from engine.runtime.content_store import ContentStore
from engine.runtime.engine import Engine
from engine.runtime.log.fact_log import datastore
from engine.runtime.remote.client import RemoteEngine
from engine.runtime.remote.server import listen, port_server
from engine.runtime.secret_keys import secret_file
from engine.runtime.vault import Vault, VaultKeys
from engine.runtime.vault.player_directory import NicknameCache
from engine.runtime.vault.sessions import Sessions
from engine.runtime.vault.vault_follower import VaultFollower
from projections import accounts, bets
from projections.accounts import Account
from projections.bets import BetRow
from projections.process import ProjectionWorker
from projections.registry import read_models
from projections.runner.fact_notifier import FactNotifier
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import status_of

_ENGINE_STOP_TIMEOUT_S: Final = 1.0
_POOL_CLOSE_TIMEOUT_S: Final = 0.5
_MAX_RESULT_AGE_US: Final = 24 * 3600 * 1_000_000


@asynccontextmanager
async def open_services(
    settings: Settings,
    conninfo: str,
    clock: Callable[[], int],
    guard: GuardedClock | None = None,
) -> AsyncIterator[Services]:
    """Open the services of a server that accepts bets once it leads; close them on exit.

    In the role `api` another process leads, and in the role `engine` it leads for others. Both
    leave the read models to a projector.

    `conninfo` is the application's role on a database whose schema exists. `clock` returns
    microseconds since 1970. The `guard`, if any, is the clock that is compared with the database's.
    """
    measures, loop = Counters(), asyncio.get_running_loop()
    listening, address = _listen(settings)
    engine = _engine(settings, conninfo, clock, guard, measures, address)
    pool = open_pool(conninfo)
    settings = replace(settings, own_witnesses=own_witnesses(settings))
    services = _build_services(settings, engine, measures, conninfo, pool, clock, guard)
    follower = services.fact_notifier
    await asyncio.to_thread(engine.check_start)
    await asyncio.to_thread(_load_state, services, conninfo)
    pages = PageEnricher(
        pool,
        services.nicknames,
        MessageRenderer(services.nicknames, services.vault.texts),
        services.hub.follows,
        services.hub.apply_page,
        loop,
        services.hub.position,
    )
    follower.listeners.append(pages.on_page)
    answering = AsyncExitStack()
    if listening is not None:
        secrets = engine_secrets(settings.keys)
        await answering.enter_async_context(port_server(engine, secrets, listening))
    if guard is not None:
        await answering.enter_async_context(_compared(guard, conninfo))
    helper = await asyncio.to_thread(_start_helper, services, conninfo, loop)
    follower_thread = supervision.thread("follower", follower.run, follower.closing)
    part = "engine" if isinstance(engine, Engine) else "engine connection"
    engine_task = supervision.task(part, engine.run)
    try:
        yield services
    finally:
        services.hub.subscribers.close()
        engine.stop()
        # In parallel: the read models apply the engine's last facts at the next start.
        await asyncio.gather(_stop_engine(engine_task), asyncio.to_thread(helper.close))
        await answering.aclose()
        await asyncio.to_thread(follower.close)
        follower_thread.join()
        services.hash_pool.close()
        services.lists.close()
        pool.close(_POOL_CLOSE_TIMEOUT_S)
        engine.close()
        request_log.flush()


def _start_helper(
    services: Services, conninfo: str, loop: asyncio.AbstractEventLoop
) -> ProjectionWorker | VaultFollower:
    """Start what a whole house has in addition, or one of several processes; blocks."""
    if services.settings.role is ServerRole.ALL:
        return ProjectionWorker(conninfo, services.settings.timezone)
    hub = services.hub

    def changed(player: int, is_erased: bool) -> None:  # noqa: FBT001 - called by the follower
        services.sessions.evict(player)
        services.nicknames.evict(player)
        services.nicknames.ensure_loaded((player,))
        loop.call_soon_threadsafe(hub.subscribers.end_streams, player)
        if is_erased:
            loop.call_soon_threadsafe(hub.remove_messages_of, player)

    def missed() -> None:
        services.sessions.evict_all()
        services.nicknames.evict_all()
        loop.call_soon_threadsafe(hub.subscribers.end_all)

    changes = VaultFollower(conninfo, changed, missed)
    supervision.thread("vault follower", changes.run, changes.closing)
    return changes


@asynccontextmanager
async def _compared(guard: GuardedClock, conninfo: str) -> AsyncIterator[None]:
    """Compare the clock with the database's: in each role, or a corrected one is never followed."""
    with closing(datastore(conninfo)) as store:
        watching = supervision.task("clock", partial(guard.watch, store))
        try:
            yield
        finally:
            watching.cancel()


async def _stop_engine(engine_task: asyncio.Task[None]) -> None:
    """Let the engine answer queued commands, but do not wait for an unreachable database."""
    await asyncio.wait({engine_task}, timeout=_ENGINE_STOP_TIMEOUT_S)
    engine_task.cancel()
    await asyncio.wait({engine_task}, timeout=_ENGINE_STOP_TIMEOUT_S)


def _listen(settings: Settings) -> tuple[socket.socket | None, str]:
    """Listen for the processes that an engine of its own answers; returns the address too."""
    if settings.role is not ServerRole.ENGINE:
        return None, ""
    try:
        return listen(settings.engine_address)
    except OSError as error:
        why = f"the engine cannot listen on {settings.engine_address}: {error.strerror or error}"
        raise SettingsError(why) from None


def _engine(
    settings: Settings,
    conninfo: str,
    clock: Callable[[], int],
    guard: GuardedClock | None,
    measures: Counters,
    address: str,
) -> Engine | RemoteEngine:
    if settings.role is ServerRole.API:
        return RemoteEngine(conninfo, secret_file(settings.keys / "engine.key"), settings.mode)
    return Engine(
        conninfo,
        settings.keys,
        settings.operator_schedule,
        settings.odds_table,
        clock,
        observer=measures,
        guard=guard,
        mode=settings.mode,
        witness=settings.witness,
        former_witnesses=settings.former_witnesses,
        cosigners=settings.cosigners,
        quorum=settings.quorum,
        beacon=settings.beacon,
        beacon_relays=settings.beacon_relays,
        address=address,
    )


def _build_services(
    settings: Settings,
    engine: Engine | RemoteEngine,
    measures: Counters,
    conninfo: str,
    pool: Pool,
    clock: Callable[[], int],
    guard: GuardedClock | None,
) -> Services:
    async def load(player: int) -> Account | None:
        # A new player has an account here only after the read models have applied the registration.
        await own_writes(player)
        return await asyncio.to_thread(_account_of, pool, player)

    async def load_results(player: int) -> tuple[tuple[BetRow, ...], ...]:
        return await asyncio.to_thread(_settled_of, pool, player, clock() - _MAX_RESULT_AGE_US)

    vault, balances = Vault(pool, clock, VaultKeys.at(settings.keys)), BalanceCache(load)
    names = NicknameCache(vault.nicknames)
    commands = Commands(engine, asyncio.get_running_loop().time)
    hub = Hub(names, balances, ResultCache(load_results), clock)
    limiter = RateLimiter(settings.rate_factor, asyncio.get_running_loop().time)

    async def own_writes(player: int) -> None:
        await hub.wait_for(commands.last_seen.of(player), READ_OWN_TIMEOUT_S)

    views = read_models(settings.timezone)
    models = partial(status_of, conninfo, views, clock)
    lists = ListReader(pool, limiter, own_writes)
    return Services(
        settings=settings,
        engine=engine,
        engine_ended=engine.ended,
        vault=vault,
        sessions=Sessions(pool, clock),
        pool=pool,
        read_models=ReadModels(pool, own_writes),
        hub=hub,
        fact_notifier=FactNotifier(conninfo, views, engine.recent.page, hub.is_watched),
        balances=balances,
        nicknames=names,
        hash_pool=HashPool(),
        clock=clock,
        guard=guard,
        models=models,
        health_probe=HealthProbe(models, engine.is_led),
        counters=measures,
        program=IntegrityMonitor(clock),
        office_secret=secret_file(settings.keys / "office.key").hex(),
        gateway_secret=secret_file(settings.keys / "gateway.key"),
        commands=commands,
        players=Players(vault, engine, commands, clock),
        chat_rate_limiter=ChatRateLimiter(),
        rate_limiter=limiter,
        stream_limiter=StreamLimiter(settings.streams),
        content_store=ContentStore(pool),
        lists=lists,
        statistics=StatisticsReader(lists, clock),
    )


def _account_of(pool: Pool, player: int) -> Account | None:
    with pool.connection() as connection:
        return accounts.account(connection, player)


def _settled_of(pool: Pool, player: int, since: int) -> tuple[tuple[BetRow, ...], ...]:
    """Returns the bets of the player's newest settled rounds in all games."""
    with pool.connection() as connection:
        found = (
            bets.newest_settled(connection, player, game, since, MAX_RESULT_ROUNDS_KEPT)
            for game in GAMES
        )
        return tuple(chain.from_iterable(found))


def _load_state(services: Services, conninfo: str) -> None:
    """Check the keys, create the read models' tables, and load the hub's state from them."""
    services.vault.check_keys()
    with closing(ProjectionRunner(conninfo, read_models(services.settings.timezone))) as runner:
        runner.install()
    services.fact_notifier.step()
    position = min(model.position for model in services.models())
    with services.pool.connection() as connection:
        snapshot = load_snapshot(connection, position)
    renderer = MessageRenderer(services.nicknames, services.vault.texts)
    services.hub.load(with_names(snapshot, services.nicknames, renderer))
