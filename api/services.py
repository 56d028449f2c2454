"""The dependencies of the handlers. The main program creates them once."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from api.account.player_sync import Players
from api.game.draw_statistics import StatisticsReader
from api.http.commands import Commands
from api.http.db_pool import Pool, ReadModels
from api.http.load_limits import ChatRateLimiter, HashPool, StreamLimiter
from api.http.long_lists import ListReader
from api.http.middleware.rate_limiter import RateLimiter
from api.ops.counters import Counters
from api.ops.health_probe import HealthProbe
from api.realtime.hub import Hub
from api.realtime.player_caches import BalanceCache
from api.settings import Settings
from engine.runtime.clock import GuardedClock
from engine.runtime.code_manifest import IntegrityMonitor
from engine.runtime.content_store import ContentStore
from engine.runtime.port import EnginePort
from engine.runtime.vault import Vault
from engine.runtime.vault.player_directory import NicknameCache
from engine.runtime.vault.sessions import Sessions
from projections.runner.fact_notifier import FactNotifier
from projections.runner.tables import ModelStatus

_POLL_S: Final = 0.05


async def wait_until(condition: Callable[[], bool]) -> None:
    """Poll until the condition is true, for conditions without a notification."""
    while True:
        if condition():
            return
        await asyncio.sleep(_POLL_S)


class Services(Struct, eq=False, frozen=True):
    """All dependencies of the handlers; `clock` returns microseconds since 1970.

    `guard` is the same clock if it is compared with the database's.
    """

    settings: Settings
    engine: EnginePort
    engine_ended: asyncio.Event
    vault: Vault
    sessions: Sessions
    pool: Pool
    read_models: ReadModels
    hub: Hub
    fact_notifier: FactNotifier
    balances: BalanceCache
    nicknames: NicknameCache
    hash_pool: HashPool
    clock: Callable[[], int]
    guard: GuardedClock | None
    models: Callable[[], tuple[ModelStatus, ...]]
    health_probe: HealthProbe
    counters: Counters
    program: IntegrityMonitor
    office_secret: str
    gateway_secret: bytes
    commands: Commands
    players: Players
    chat_rate_limiter: ChatRateLimiter
    rate_limiter: RateLimiter
    stream_limiter: StreamLimiter
    content_store: ContentStore
    lists: ListReader
    statistics: StatisticsReader
