"""What the handlers work with, put together once by the program."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.balances import Balances
from api.front.rates import Limits
from api.hashing import Hashing
from api.list_pool import ListPool
from api.live import Hub
from api.lookout import Lookout
from api.measures import Measures
from api.names import Names
from api.once import Once
from api.pace import Pace
from api.pool import Pool
from api.program import Program
from api.retries import Retries, Seen
from api.settings import Settings
from api.turnstile import Turnstile
from engine.dispatch import Command
from engine.forked import Forked
from engine.players.facts import BetPlaced
from engine.runtime.contents import Contents
from engine.runtime.looking import Looking
from engine.runtime.observing import RoundView
from engine.runtime.replies import Proof, Reply
from engine.runtime.sessions import Sessions
from engine.runtime.vault import Vault
from projections.status import ModelStatus

OWN_WITHIN_S: Final = 1.0
_POLL_S: Final = 0.05
ReadT = TypeVar("ReadT")


class Holder(Protocol):
    """A player at hand, with the bets that are open."""

    @property
    def bets(self) -> Forked[BetPlaced]:
        """By their ids."""


class AtHand(Protocol):
    """What the writer has in memory, as far as the calls care."""

    @property
    def players(self) -> Mapping[int, Holder]:
        """By their ids; one who is not at hand may well exist."""


class Commands(Protocol):
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
    def rounds(self) -> tuple[RoundView, ...]:
        """The rounds that are not finished; empty on standby."""

    def forget_outcomes(self) -> None:
        """Look outcomes up in the log again, after old ones were deleted there."""

    @property
    def ended(self) -> asyncio.Event:
        """Set when it will take no more commands, for good."""

    @property
    def world(self) -> AtHand:
        """What the writer has at hand; empty on standby."""

    @property
    def looking(self) -> Looking | None:
        """What the writer knows, to be asked; None on standby."""

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """The future answer to a command; it never raises."""

    def proof(self, player: int, version: int) -> Coroutine[Any, Any, Proof | None]:
        """The proof of a receipt that was given before."""


async def until(true: Callable[[], bool]) -> None:
    """Wait for what nobody announces."""
    while True:
        if true():
            return
        await asyncio.sleep(_POLL_S)


class Services(Struct, eq=False, frozen=True):
    """The parts of the house that calls reach; `clock` gives microseconds since 1970."""

    settings: Settings
    engine: Commands
    vault: Vault
    sessions: Sessions
    pool: Pool
    hub: Hub
    balances: Balances
    names: Names
    hashing: Hashing
    clock: Callable[[], int]
    models: Callable[[], tuple[ModelStatus, ...]]
    lookout: Lookout
    measures: Measures
    program: Program
    office_secret: str
    gateway_secret: bytes
    retries: Retries
    seen: Seen
    once: Once
    pace: Pace
    limits: Limits
    turnstile: Turnstile
    contents: Contents
    lists: ListPool

    async def read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Ask the read models, in a thread of its own."""
        return await asyncio.to_thread(self._read, query)

    def _read(self, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        with self.pool.connection() as connection:
            return query(connection)

    async def read_own(self, player: int, query: Callable[[Connection[TupleRow]], ReadT]) -> ReadT:
        """Ask the read models once they hold the player's last command, or a second later."""
        await self.reach_own(player)
        return await self.read(query)

    async def reach_own(self, player: int) -> None:
        """Wait until the read models hold the player's last command, or for a second."""
        await self.hub.reach(self.seen.of(player), OWN_WITHIN_S)

    async def nickname(self, player: int) -> str:
        """A player's full nickname, for themselves."""
        found = self.names(player)
        if not found:
            await asyncio.to_thread(self.names.read, (player,))
        return found or self.names(player)
