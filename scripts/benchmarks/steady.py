"""Players who bet at a steady rate, whether or not earlier bets have been answered."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from engine.answers import BetAccepted
from engine.runtime.engine import Engine
from engine.runtime.replies import Reply
from scripts.benchmarks.spread import bet_of
from scripts.benchmarks.workers import NoFigureError

_TICK_S = 0.01


class LoadRate(Protocol):
    """How often, and under which keys."""

    @property
    def name(self) -> str:
        """What the keys begin with."""

    @property
    def per_second(self) -> int:
        """Bets a second."""


class OpenLoopLoad:
    """Bets in one game from `play` to `stop`. Each one's time counts from when it was due.

    So a writer that stands still for a moment is charged for every bet that came meanwhile.
    """

    def __init__(
        self,
        engine: Engine,
        players: range,
        game: tuple[int, str],
        rate: LoadRate,
        clock: Callable[[], int],
    ) -> None:
        self._engine = engine
        self._players = players
        self._game, self._issue = game
        self._name = f"{rate.name}.meanwhile"
        self._bets_per_tick = max(1, round(rate.per_second * _TICK_S))
        self._clock = clock
        self._stopping = False
        self._replies: list[asyncio.Future[Reply]] = []
        self.accepted = 0
        self.sent_at: list[int] = []
        self.latencies: list[float] = []

    async def play(self) -> None:
        """Send a few bets every tick until stopped."""
        due = time.perf_counter()
        while not self._stopping:
            while due <= time.perf_counter():
                for _ in range(self._bets_per_tick):
                    self._send(due)
                due += _TICK_S
            await asyncio.sleep(due - time.perf_counter())

    def _send(self, due: float) -> None:
        number = len(self.sent_at)
        player = self._players[number % len(self._players)]
        bet = bet_of(player, self._game, self._issue, number)
        reply = self._engine.submit(f"player-{player}", f"{self._name}-{number}", bet)
        late_us = int((time.perf_counter() - due) * 1e6)
        self.sent_at.append(self._clock() - late_us)
        self.latencies.append(0.0)

        def answered(_: asyncio.Future[Reply]) -> None:
            self.latencies[number] = (time.perf_counter() - due) * 1e3

        reply.add_done_callback(answered)
        self._replies.append(reply)

    async def stop(self) -> None:
        """Send no more, and wait for the answers; NoFigureError if a bet was refused."""
        self._stopping = True
        for reply in await asyncio.gather(*self._replies):
            if type(reply.answer) is not BetAccepted:
                raise NoFigureError(f"a bet was refused meanwhile: {reply.answer}")
            self.accepted += 1
