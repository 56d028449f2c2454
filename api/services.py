"""What the handlers work with, put together once by the program."""

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
    """A player at hand, with the bets that are open."""

    @property
    def bets(self) -> CopyOnWriteMap[BetPlaced]:
        """By their ids."""


class EngineMemory(Protocol):
    """What the writer has in memory, as far as the calls care."""

    @property
    def players(self) -> Mapping[int, PlayerBets]:
        """By their ids; one who is not at hand may well exist."""


class EnginePort(Protocol):
    """The engine, as the calls see it."""

    @property
    def ready(self) -> bool:
        """Whether commands are taken."""

    @property
    def recovering(self) -> bool:
        """Whether this process leads, and still reads what the log holds."""

    @property
    def damage(self) -> tuple[str, ...]:
        """What is missing from the log, in words; while anything is, no command is taken."""

    @property
    def queued(self) -> int:
        """Commands that wait to be decided."""

    @property
    def stuck_s(self) -> float:
        """For how many seconds the oldest batch has been on its way to the log; 0 for none."""

    @property
    def clock_trouble(self) -> str:
        """Why the clock is not one to lead by; empty if it is."""

    @property
    def clock_jump_s(self) -> float:
        """By how many seconds the machine's clock is ahead of the time that is believed."""

    @property
    def rounds(self) -> tuple[UnfinishedRound, ...]:
        """The rounds that are not finished; empty on standby."""

    def evict_outcomes(self) -> None:
        """Look outcomes up in the log again, after old ones were deleted there."""

    @property
    def ended(self) -> asyncio.Event:
        """Set when it will take no more commands, for good."""

    @property
    def state(self) -> EngineMemory:
        """What the writer has at hand; empty on standby."""

    @property
    def reader(self) -> EngineReader | None:
        """What the writer knows, to be asked; None on standby."""

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """The future answer to a command; it never raises."""

    def proof(self, player: int, version: int) -> Coroutine[Any, Any, ReceiptProof | None]:
        """The proof of a receipt that was given before."""


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what nobody announces."""
    while True:
        if condition():
            return
        await asyncio.sleep(_POLL_S)


class Services(Struct, eq=False, frozen=True):
    """The parts of the house that calls reach; `clock` gives microseconds since 1970."""

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
        """Ask the read models, in a thread of its own."""
        return await asyncio.to_thread(self._read, query)

    def _read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        with self.pool.connection() as connection:
            return query(connection)

    async def read_own(self, player: int, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Ask the read models once they hold the player's last command, or a second later."""
        await self.wait_for_own_writes(player)
        return await self.read(query)

    async def wait_for_own_writes(self, player: int) -> None:
        """Wait until the read models hold the player's last command, or for a second."""
        await self.hub.wait_for(self.last_seen.of(player), READ_OWN_TIMEOUT_S)

    async def nickname(self, player: int) -> str:
        """A player's full nickname, for themselves."""
        found = self.nicknames(player)
        if not found:
            await asyncio.to_thread(self.nicknames.ensure_loaded, (player,))
        return found or self.nicknames(player)
