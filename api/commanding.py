"""Handing commands to the engine: a bound on the wait, and retries of clients without keys."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final

from api import lines
from api.calls import Asked
from api.envelope import CallRefused, Done
from api.services import Services
from api.transport import has_disconnected
from engine.answers import Refused
from engine.dispatch import Command
from engine.refusals import Refusal
from engine.runtime import supervision
from engine.runtime.replies import Reply

ANSWERED_WITHIN_S: Final = 6.0


async def answered(services: Services, actor: str, key: str | None, command: Command) -> Reply:
    """The engine's reply; CallRefused when it refused, or did not answer in time."""
    reply = services.engine.submit(actor, key, command)
    if not reply.done():
        # The writer leaves alone what is answered already.
        give_up = asyncio.get_running_loop().call_later(ANSWERED_WITHIN_S, _give_up, reply)
        await reply
        give_up.cancel()
    answer = reply.result()
    lines.note(actor, command, answer)
    if isinstance(answer.answer, Refused):
        raise CallRefused(answer.answer.refusal, answer.answer.field)
    return answer


def _give_up(reply: asyncio.Future[Reply]) -> None:
    if not reply.done():
        reply.set_result(Reply(Refused(Refusal.OUTCOME_UNKNOWN)))


async def command(asked: Asked[Any], path: str, command: Command) -> Reply:
    """A player's command, under the client's key or the one its repetitions share."""
    actor = actor_of(asked.player)
    async with key_of(asked, path) as key:
        reply = await answered(asked.services, actor, key, command)
    asked.services.seen.note(asked.player, reply.position)
    return reply


def actor_of(player: int) -> str:
    """The player as one who commands."""
    return f"player-{player}"


@asynccontextmanager
async def key_of(asked: Asked[Any], path: str) -> AsyncIterator[str]:
    """The client's key, or without one a key that this call shares with its repetitions."""
    if asked.key is not None:
        yield asked.key
        return
    retries, actor = asked.services.retries, actor_of(asked.player)
    identity = sha256(b"%s\0%s\0%s" % (actor.encode(), path.encode(), asked.content)).digest()
    key = retries.begin(identity)
    gone = supervision.owned(_abandon(asked, identity, key))
    unanswered = False
    try:
        yield key
    except CallRefused as refusal:
        unanswered = refusal.refused.refusal is Refusal.OUTCOME_UNKNOWN
        raise
    finally:
        if unanswered:
            retries.abandon(identity, key)
        elif not gone.done():
            retries.heard(identity, key)
        gone.cancel()


async def once(
    asked: Asked[Any],
    path: str,
    asks: Mapping[str, object],
    work: Callable[[str], Awaitable[Done]],
) -> Done:
    """What the work answers under this call's key, done in the member's turn and once for it.

    `asks` is what a repetition must have the same of, by the names of the wire: no secrets.
    """
    async with key_of(asked, path) as key:
        return await asked.services.once(asked.player, path, key, asks, lambda: work(key))


async def _abandon(asked: Asked[Any], identity: bytes, key: str) -> None:
    await has_disconnected(asked.receive)
    asked.services.retries.abandon(identity, key)
