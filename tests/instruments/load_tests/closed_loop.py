"""A closed loop of players in process: each sends the next bet after the last answer."""

import asyncio
import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from engine.answers import BetAccepted
from engine.runtime.engine import Engine
from engine.runtime.writer.reply import Reply
from tests.instruments.load_tests.bet_mix import bet_of
from tests.instruments.load_tests.workers import NoFigureError


class ClosedLoopResult(Struct):
    """The result of a load: bets accepted, the first refusal, and the duration."""

    accepted: int = 0
    refused: str = ""
    seconds: float = 0.0


class ClosedLoopLoad:
    """`players` place `bets` bets in the games of `issues`, with keys that begin with `name`.

    Callbacks instead of tasks, because the figure includes the load's own cost.
    """

    def __init__(
        self, engine: Engine, players: range, issues: Mapping[int, str], bets: int, name: str
    ) -> None:
        self._engine = engine
        self._players = players
        self._games = tuple(issues.items())
        self._bets = bets
        self._name = name
        self._sent = 0
        self._waiting = 0
        self._run = ClosedLoopResult()
        self._done = asyncio.get_running_loop().create_future()

    async def play(self) -> ClosedLoopResult:
        """Play until every bet is answered. Raises NoFigureError if one was refused."""
        began = time.perf_counter()
        for place in range(min(len(self._players), self._bets)):
            self._next(place)
        await self._done
        self._run.seconds = time.perf_counter() - began
        if self._run.refused:
            raise NoFigureError(f"a bet was refused: {self._run.refused}")
        return self._run

    def _next(self, place: int) -> None:
        number = self._sent
        self._sent += 1
        self._waiting += 1
        player = self._players[place]
        # Each lap starts one game later, so that all players bet on all games.
        lap = number // len(self._players)
        game, issue = self._games[(place + lap) % len(self._games)]
        bet = bet_of(player, game, issue, number)
        reply = self._engine.submit(f"player-{player}", f"{self._name}-{number}", bet)
        reply.add_done_callback(self._answered(place))

    def _answered(self, place: int) -> Callable[[asyncio.Future[Reply]], None]:
        def answered(reply: asyncio.Future[Reply]) -> None:
            self._waiting -= 1
            answer = reply.result().answer
            if type(answer) is BetAccepted:
                self._run.accepted += 1
            else:
                self._run.refused = str(answer)
            if self._sent < self._bets and not self._run.refused:
                self._next(place)
            elif not self._waiting and not self._done.done():
                self._done.set_result(None)

        return answered
