"""Submits commands to the engine, with a timeout and a key for clients that send none."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Final

from api.http.call_request import CallRequest
from api.http.envelope import CallRefused, CallResult, DataT
from api.http.transport import has_disconnected
from api.ops import request_log
from api.services import Services
from engine.answers import Refused
from engine.command_handler import Command
from engine.refusals import Refusal
from engine.runtime import supervision
from engine.runtime.writer.reply import Reply

ANSWER_TIMEOUT_S: Final = 6.0


async def submit(services: Services, actor: str, key: str | None, command: Command) -> Reply:
    """Returns the engine's reply. Raises CallRefused if it refused or did not answer in 6 s."""
    reply = services.engine.submit(actor, key, command)
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


def _give_up(reply: asyncio.Future[Reply]) -> None:
    if not reply.done():
        reply.set_result(Reply(Refused(Refusal.OUTCOME_UNKNOWN)))


async def submit_for_player(
    request: CallRequest, services: Services, path: str, command: Command
) -> Reply:
    """Submit a player's command under the client's key, or under the key shared by its retries."""
    actor = actor_of(request.player)
    async with idempotency_key(request, services, path) as key:
        reply = await submit(services, actor, key, command)
    services.last_seen.record(request.player, reply.position)
    return reply


def actor_of(player: int) -> str:
    """Returns the actor name of a player."""
    return f"player-{player}"


@asynccontextmanager
async def idempotency_key(
    request: CallRequest, services: Services, path: str
) -> AsyncIterator[str]:
    """Yields the client's idempotency key, or without one a key that the call's retries share."""
    if request.key is not None:
        yield request.key
        return
    retries, actor = services.retry_dedup, actor_of(request.player)
    identity = sha256(b"%s\0%s\0%s" % (actor.encode(), path.encode(), request.content)).digest()
    key = retries.begin(identity)
    disconnected = supervision.owned(_abandon_on_disconnect(request, services, identity, key))
    unanswered = False
    try:
        yield key
    except CallRefused as refusal:
        unanswered = refusal.refused.refusal is Refusal.OUTCOME_UNKNOWN
        raise
    finally:
        if unanswered:
            retries.abandon(identity, key)
        elif not disconnected.done():
            retries.answered(identity, key)
        disconnected.cancel()


async def run_once(
    request: CallRequest,
    services: Services,
    path: str,
    request_fields: Mapping[str, object],
    work: Callable[[str], Awaitable[CallResult[DataT]]],
) -> CallResult[DataT]:
    """Returns the result of the work, which runs once per key, under the player's lock.

    `request_fields` are the wire fields that a repetition must repeat unchanged, without secrets.
    """
    async with idempotency_key(request, services, path) as key:
        return await services.idempotent_requests(
            request.player, path, key, request_fields, lambda: work(key)
        )


async def _abandon_on_disconnect(
    request: CallRequest, services: Services, identity: bytes, key: str
) -> None:
    await has_disconnected(request.receive)
    services.retry_dedup.abandon(identity, key)
