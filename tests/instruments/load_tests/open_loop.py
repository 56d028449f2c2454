"""An open loop of players who bet at a steady rate, whether or not earlier bets are answered."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from engine.answers import BetAccepted
from engine.runtime.engine import Engine
from engine.runtime.writer.reply import Reply
from tests.instruments.load_tests.bet_mix import bet_of
from tests.instruments.load_tests.workers import NoFigureError

_TICK_S = 0.01


class LoadRate(Protocol):
    """The rate, and the prefix of the keys."""

    @property
    def name(self) -> str:
        """Prefix of the keys."""

    @property
    def per_second(self) -> int:
        """Bets per second."""


class OpenLoopLoad:
    """Bets in one game from `play` to `stop`. A latency counts from the time the bet was due.

    So a stall of the writer counts for every bet that became due during it.
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
        """Send the bets that are due in each tick until stopped."""
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
        """Stop sending and wait for the answers. Raises NoFigureError if a bet was refused."""
        self._stopping = True
        for reply in await asyncio.gather(*self._replies):
            if type(reply.answer) is not BetAccepted:
                raise NoFigureError(f"a bet was refused meanwhile: {reply.answer}")
            self.accepted += 1
