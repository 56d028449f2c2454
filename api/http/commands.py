"""Commands of the API's handlers, on their way to the engine and back.

Every change of money, bets and players is a command. The engine decides it, and its answer is
awaited for a limited time. `idempotency.py` gives a command its key.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from api.http.call_request import CallRequest
from api.http.idempotency import IdempotentRequests
from api.http.refusals import CallRefused
from api.ops import request_log
from engine.answers import Refused
from engine.command_handler import Command
from engine.facts import player_stream
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.writer.reply import Reply

ANSWER_TIMEOUT_S: Final = 6.0


class Commands:
    """Submits commands to the engine; `once` does whatever else must be done once per key."""

    def __init__(self, engine: EnginePort, monotonic: Callable[[], float]) -> None:
        """`monotonic` returns seconds."""
        self._engine = engine
        self.once = IdempotentRequests(monotonic)
        self.last_seen = LastSeenPositions()

    async def submit(self, actor: str, key: str | None, command: Command) -> Reply:
        """Returns the engine's reply. Raises CallRefused if it refused or did not answer in 6 s."""
        reply = self._engine.submit(actor, key, command)
        if not reply.done():
            # The writer skips a future that is already resolved.
            give_up = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, _give_up, reply)
            await reply
            give_up.cancel()
        answer = reply.result()
        request_log.record_command(actor, command, answer)
        if isinstance(answer.answer, Refused):
            raise CallRefused(answer.answer.refusal, answer.answer.field)
        return answer

    async def submit_for_player(self, request: CallRequest, path: str, command: Command) -> Reply:
        """Submit a player's command under the client's key, or under the key of its retries."""
        async with self.once.key(request, path) as key:
            return await self.submit_under(request.player, key, command)

    async def submit_under(self, player: int, key: str | None, command: Command) -> Reply:
        """Submit a player's command under this key; the player's reads wait for its position."""
        reply = await self.submit(player_stream(player), key, command)
        self.last_seen.record(player, reply.position)
        return reply

    async def submit_all(self, player: int, commands: Sequence[tuple[str, Command]]) -> list[Reply]:
        """Submit a player's commands together, each under its key.

        Returns all replies in order; a refusal, or no answer in 6 s, is a reply too.
        """
        actor = player_stream(player)
        replies = [self._engine.submit(actor, key, command) for key, command in commands]
        give_up = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, _give_up, *replies)
        answers = await asyncio.gather(*replies)
        give_up.cancel()
        for (_, command), answer in zip(commands, answers, strict=True):
            request_log.record_command(actor, command, answer)
        self.last_seen.record(player, max((each.position for each in answers), default=0))
        return answers


def _give_up(*replies: asyncio.Future[Reply]) -> None:
    for reply in replies:
        if not reply.done():
            reply.set_result(Reply(Refused(Refusal.OUTCOME_UNKNOWN)))


_MAX_KEPT: Final = 50_000


class LastSeenPositions:
    """The log position after each player's last command, for read-your-writes consistency."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}

    def record(self, player: int, position: int) -> None:
        """Record the position of an answer to this player; 0 if it is unknown."""
        previous = self._positions.pop(player, 0)
        self._positions[player] = max(previous, position)
        while len(self._positions) > _MAX_KEPT:
            del self._positions[next(iter(self._positions))]

    def of(self, player: int) -> int:
        """Returns the log position after the player's last command; 0 if it is unknown."""
        return self._positions.get(player, 0)
