"""The dependencies of the handlers. The main program creates them once."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.game.chat_rate_limiter import ChatRateLimiter
from api.http.db_pool import Pool
from api.http.idempotent_requests import IdempotentRequests
from api.http.list_pool import ListPool
from api.http.middleware.rate_limiter import RateLimiter
from api.http.password_hash_pool import HashPool
from api.http.retry_dedup import KeylessRetryDedup, LastSeenPositions
from api.ops.counters import Counters
from api.ops.health_probe import HealthProbe
from api.ops.integrity import IntegrityMonitor
from api.realtime.balance_cache import BalanceCache
from api.realtime.hub import Hub
from api.realtime.nickname_cache import NicknameCache
from api.realtime.stream_limiter import StreamLimiter
from api.settings import Settings
from engine.bets.facts import BetPlaced
from engine.command_handler import Command
from engine.cow_map import CopyOnWriteMap
from engine.runtime.content_store import ContentStore
from engine.runtime.vault import Vault
from engine.runtime.vault.sessions import Sessions
from engine.runtime.writer.engine_reader import EngineReader
from engine.runtime.writer.observer import UnfinishedRound
from engine.runtime.writer.reply import ReceiptProof, Reply
from projections.runner.status import ModelStatus

READ_OWN_TIMEOUT_S: Final = 1.0
_POLL_S: Final = 0.05
ReadT = TypeVar("ReadT")


class PlayerBets(Protocol):
    """A loaded player with the open bets."""

    @property
    def bets(self) -> CopyOnWriteMap[BetPlaced]:
        """The open bets by id."""


class EngineMemory(Protocol):
    """The part of the writer's memory that the handlers read."""

    @property
    def players(self) -> Mapping[int, PlayerBets]:
        """The loaded players by id; a player who is not loaded may still exist."""


class EnginePort(Protocol):
    """The engine's interface to the handlers."""

    @property
    def ready(self) -> bool:
        """Whether commands are accepted."""

    @property
    def recovering(self) -> bool:
        """Whether this process leads and is still reading the log."""

    @property
    def damage(self) -> tuple[str, ...]:
        """Descriptions of the facts missing from the log; if any, no command is accepted."""

    @property
    def queued(self) -> int:
        """The number of commands waiting for a decision."""

    @property
    def stuck_s(self) -> float:
        """For how many seconds the oldest batch has been waiting for the log; 0 if none is."""

    @property
    def clock_trouble(self) -> str:
        """Why this clock does not allow the engine to lead; empty if it does."""

    @property
    def clock_jump_s(self) -> float:
        """By how many seconds the machine's clock is ahead of the time that the engine uses."""

    @property
    def rounds(self) -> tuple[UnfinishedRound, ...]:
        """The unfinished rounds; empty on standby."""

    def evict_outcomes(self) -> None:
        """Empty the outcome cache after old outcomes were deleted from the log."""

    @property
    def ended(self) -> asyncio.Event:
        """Set when the engine has stopped permanently."""

    @property
    def state(self) -> EngineMemory:
        """The writer's memory; empty on standby."""

    @property
    def reader(self) -> EngineReader | None:
        """Read-only access to the writer's state; None on standby."""

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """Returns the future reply to a command; it never raises."""

    def proof(self, player: int, version: int) -> Coroutine[Any, Any, ReceiptProof | None]:
        """Returns the proof of an earlier receipt; None if there is none."""


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
    retry_dedup: KeylessRetryDedup
    last_seen: LastSeenPositions
    idempotent_requests: IdempotentRequests
    chat_rate_limiter: ChatRateLimiter
    rate_limiter: RateLimiter
    stream_limiter: StreamLimiter
    content_store: ContentStore
    list_pool: ListPool

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
        await self.hub.wait_for(self.last_seen.of(player), READ_OWN_TIMEOUT_S)

    async def nickname(self, player: int) -> str:
        """Returns a player's full nickname, which only they may see."""
        found = self.nicknames(player)
        if not found:
            await asyncio.to_thread(self.nicknames.ensure_loaded, (player,))
        return found or self.nicknames(player)
