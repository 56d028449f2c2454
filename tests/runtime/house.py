"""A house for tests: a real engine on a real database, with time and ticks set by the test."""

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar
from zoneinfo import ZoneInfo

import psycopg
import pytest

from engine.answers import Answer
from engine.bets.commands import PlaceBet
from engine.command_handler import Command
from engine.facts import RecordedFact
from engine.fairness.beacon import BEACON_OFF
from engine.players.commands import RegisterPlayer
from engine.rounds.state import Round
from engine.runtime.engine import Engine
from engine.runtime.log.fact_log import Batch, FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.scheduler.round_scheduler import RoundScheduler
from engine.runtime.witness.remote_witness import WitnessAddress
from engine.runtime.writer.reply import Reply
from engine.schedule import demo

OPENING = datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Asia/Singapore"))
SECOND = 1_000_000
ODDS = "card-21.04.02"
PLAYER = 10_001
P = ParamSpec("P")
F = TypeVar("F")


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose clock the test can advance."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s

    def forward(self, seconds: float) -> None:
        self.ahead_s += seconds


def driven(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a coroutine test on such a loop; a test that hangs fails after a minute."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(60) as deadline:
                await test(*args, **kwargs)
            assert not deadline.expired()

        with asyncio.Runner(loop_factory=Loop) as runner:
            runner.run(bounded())

    return run


async def until(condition: Callable[[], bool]) -> None:
    """Return once the condition is true. The test's own deadline limits the wait."""
    while True:
        if condition():
            return
        await asyncio.sleep(0.005)


class Clock:
    """A clock that stays at the opening of the draw day until the test advances it."""

    def __init__(self) -> None:
        self.now = int(OPENING.timestamp()) * SECOND

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


class NoTicks:
    """Replaces the timers: the test calls the ticks itself."""

    def stop(self) -> None:
        pass


class Gate:
    """Blocks appends to the log until opened; with `after`, only their acknowledgements."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, after: bool = False) -> None:
        self._open = threading.Event()
        self._reached = threading.Event()
        append = FactLog.append

        def blocked_append(log: FactLog, batch: Batch, **options: Any) -> Any:
            done = append(log, batch, **options) if after else None
            self._reached.set()
            assert self._open.wait(60)
            return done if after else append(log, batch, **options)

        monkeypatch.setattr(FactLog, "append", blocked_append)

    async def reached(self) -> None:
        """Return when a batch waits at the gate."""
        await until(self._reached.is_set)

    def open(self) -> None:
        """Let this batch and all later ones through."""
        self._open.set()


class EngineHarness:
    """An engine that starts at 10:00 with one tick, so that round 1 of every game is open."""

    def __init__(self, conninfos: Conninfos, keys: Path, clock: Clock) -> None:
        self.conninfos = conninfos
        self.clock = clock
        self.schedule = demo(10)
        self.engine: Engine
        self._keys = keys
        #: The address of a witness elsewhere; without one the engine has its own.
        self.witness: WitnessAddress | None = None
        self.former_witnesses: tuple[WitnessAddress, ...] = ()
        self.cosigners: tuple[WitnessAddress, ...] = ()
        self.quorum: int | None = None
        self.beacon = BEACON_OFF
        self.beacon_relays: tuple[str, ...] = ()
        #: Where it answers other processes; empty if it answers none.
        self.address = ""
        self.running: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.crash()

    async def start(self) -> None:
        """Start a new engine, let it become leader and take one tick."""
        await self.lead()
        await self.tick()

    async def lead(self) -> None:
        """Start a new engine and let it become leader, without a tick."""
        await self.begin()
        await until(lambda: self.engine.ready or self.running.done())

    async def begin(self) -> None:
        """Start a new engine, with an expired lease that it may take."""
        self.expire_lease()
        self.stand_by()

    def expire_lease(self) -> None:
        """Let a standby take the lease at once."""
        with psycopg.connect(self.conninfos.owner) as connection:
            connection.execute("UPDATE log.lease SET renewed_at = '-infinity'")

    def stand_by(self) -> None:
        """Start a new engine, which leads once the lease has expired."""
        conninfo = self.conninfos.app
        self.engine = Engine(
            conninfo,
            self._keys,
            self.schedule,
            ODDS,
            self.clock,
            witness=self.witness,
            former_witnesses=self.former_witnesses,
            cosigners=self.cosigners,
            quorum=self.quorum,
            beacon=self.beacon,
            beacon_relays=self.beacon_relays,
            address=self.address,
        )
        self.running = asyncio.create_task(self.engine.run())

    async def crash(self) -> None:
        """End the engine abruptly: unstored data is lost, and the lease is not released."""
        self.engine._stopping.set()
        self.running.cancel()
        with suppress(asyncio.CancelledError):
            await self.running
        self.engine.close()

    async def stop(self) -> None:
        """Stop the engine in the regular way."""
        self.engine.stop()
        await self.running
        self.engine.close()

    @property
    def scheduler(self) -> RoundScheduler:
        assert self.engine.scheduler is not None
        return self.engine.scheduler

    async def tick(self) -> None:
        """Take the steps that are due."""
        await self.scheduler.tick()

    def sale(self, game: int = 1) -> Round:
        """The game's newest round."""
        return self.engine.state.rounds[self.engine.state.newest[game]]

    def send(self, key: str | None, command: Command, actor: str = "") -> asyncio.Future[Reply]:
        """Submit a command as its player, or as `actor`. Returns the future reply."""
        player = getattr(command, "player", None)
        return self.engine.submit(actor or f"player-{player}", key, command)

    async def submit(self, key: str | None, command: Command, actor: str = "") -> Answer:
        """Submit a command. Returns its answer."""
        return (await self.send(key, command, actor)).answer

    async def join(self, player: int = PLAYER, units: int = 1_000) -> None:
        """Register a player with this much money."""
        command = RegisterPlayer(player, 1, None, "", gift_minor=units * 100)
        await self.submit(f"join-{player}", command)

    def bet(self, units: int = 10, kind: str = "big", player: int = PLAYER) -> PlaceBet:
        """A bet on the open round of game 1."""
        return PlaceBet(player, 1, 1, self.sale().issue, kind, units * 100)

    def facts(self) -> list[RecordedFact]:
        """The whole log."""
        with datastore(self.conninfos.owner) as store:
            return FactLog(store).page(0, 1_000_000)

    def facts_of(self, kind: type[F]) -> list[F]:
        """The log's facts of one kind."""
        return [each.fact for each in self.facts() if isinstance(each.fact, kind)]
