"""The dependencies of the handlers. The main program creates them once."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.account.player_sync import Players
from api.game.chat_rate_limiter import ChatRateLimiter
from api.http.db_pool import Pool
from api.http.idempotency import Commands
from api.http.long_lists import ListReader
from api.http.middleware.rate_limiter import RateLimiter
from api.http.password_hash_pool import HashPool
from api.ops.counters import Counters
from api.ops.health_probe import HealthProbe
from api.ops.integrity import IntegrityMonitor
from api.realtime.balance_cache import BalanceCache
from api.realtime.hub import Hub
from api.realtime.nickname_cache import NicknameCache
from api.realtime.stream_limiter import StreamLimiter
from api.settings import Settings
from engine.runtime.content_store import ContentStore
from engine.runtime.port import EnginePort
from engine.runtime.vault import Vault
from engine.runtime.vault.sessions import Sessions
from projections.runner.status import ModelStatus

READ_OWN_TIMEOUT_S: Final = 1.0
_POLL_S: Final = 0.05
ReadT = TypeVar("ReadT")


async def wait_until(condition: Callable[[], bool]) -> None:
    """Poll until the condition is true, for conditions without a notification."""
    while True:
        if condition():
            return
        await asyncio.sleep(_POLL_S)


class Services(Struct, eq=False, frozen=True):
    """All dependencies of the handlers; `clock` returns microseconds since 1970."""

    settings: Settings
    engine: EnginePort
    engine_ended: asyncio.Event
    vault: Vault
    sessions: Sessions
    pool: Pool
    hub: Hub
    balances: BalanceCache
    nicknames: NicknameCache
    hash_pool: HashPool
    clock: Callable[[], int]
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

    async def read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Query the read models in another thread."""
        return await asyncio.to_thread(self._read, query)

    def _read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        with self.pool.connection() as connection:
            return query(connection)

    async def read_own(self, player: int, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Query the read models after they applied the player's last command, or after 1 s."""
        await self.wait_for_own_writes(player)
        return await self.read(query)

    async def wait_for_own_writes(self, player: int) -> None:
        """Wait until the read models have applied the player's last command, at most 1 s."""
        await self.hub.wait_for(self.commands.last_seen.of(player), READ_OWN_TIMEOUT_S)

    async def nickname(self, player: int) -> str:
        """Returns a player's full nickname, which only they may see."""
        found = self.nicknames(player)
        if not found:
            await asyncio.to_thread(self.nicknames.ensure_loaded, (player,))
        return found or self.nicknames(player)
