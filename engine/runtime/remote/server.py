"""Serves an engine to the other processes of the house, which have the same `engine.key`."""

import asyncio
import hmac
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from typing import Final, assert_never

import msgspec
import structlog
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from engine.runtime import supervision
from engine.runtime.port import EnginePort, EngineUnavailableError
from engine.runtime.remote.messages import (
    MAX_MESSAGE_BYTES,
    DryRun,
    EvictOutcomes,
    ReadCall,
    ReadCredit,
    ReadHouse,
    ReadPlayer,
    ReadProof,
    ReadStatus,
    ReadStoredAnswer,
    ReadUndrawnRounds,
    ReadWaiting,
    SubmitCommands,
    decode_call,
    encode,
)
from engine.runtime.writer.reply import Reply

CLOSE_TIMEOUT_S: Final = 0.5
OPEN_TIMEOUT_S: Final = 3.0
#: What the library logs of a connection is logged here already, and without tracebacks.
LIBRARY_LOG: Final = logging.getLogger("websockets.engine")
LIBRARY_LOG.setLevel(logging.CRITICAL)
_log = structlog.get_logger()


def listen(address: str) -> tuple[socket.socket, str]:
    """Listen on `host:port`; port 0 is a free one. Returns the address with the actual port.

    Raises OSError if that is not possible.
    """
    host, _, port = address.rpartition(":")
    listening = socket.create_server((host, int(port)))
    return listening, f"{host}:{listening.getsockname()[1]}"


@asynccontextmanager
async def port_server(
    engine: EnginePort, secrets: Sequence[bytes], listening: socket.socket
) -> AsyncIterator[None]:
    """Answer the calls of other processes to this engine until exit.

    They have one of these `secrets`, which the files `engine.key` and `engine-old.key` contain.
    """
    async with serve(
        partial(_answer, engine),
        sock=listening,
        process_request=partial(_authenticate, [bearer(each).encode() for each in secrets]),
        compression=None,
        max_size=MAX_MESSAGE_BYTES,
        open_timeout=OPEN_TIMEOUT_S,
        close_timeout=CLOSE_TIMEOUT_S,
        ping_interval=None,  # the client polls the status
        server_header=None,
        logger=LIBRARY_LOG,
    ):
        yield


def bearer(secret: bytes) -> str:
    """Returns the value of the header Authorization for this engine.key."""
    return f"Bearer {secret.hex()}"


def _authenticate(
    expected: Sequence[bytes], connection: ServerConnection, request: Request
) -> Response | None:
    sent = request.headers.get("Authorization", "").encode(errors="replace")
    if any(hmac.compare_digest(sent, each) for each in expected):
        return None
    _log.warning("a process with another engine.key was refused", client=connection.remote_address)
    return connection.respond(HTTPStatus.UNAUTHORIZED, "the engine.key is not the engine's\n")


async def _answer(engine: EnginePort, connection: ServerConnection) -> None:
    """Answer the calls of one connection; commands are submitted in the order of their arrival."""
    answers = set[asyncio.Task[None]]()
    try:
        async for message in connection:
            assert isinstance(message, bytes)
            number, call = decode_call(message)
            if isinstance(call, SubmitCommands):
                replies = [engine.submit(it.actor, it.key, it.command) for it in call.commands]
                answer = supervision.owned(_send(connection, number, _all(replies)))
            else:
                answer = supervision.owned(_send(connection, number, _read(engine, call)))
            answers.add(answer)
            answer.add_done_callback(answers.discard)
    except ConnectionClosed:
        pass  # clients cut the connection, because a frozen engine would not confirm its end
    except msgspec.MsgspecError as error:
        _log.error("a process of another version was refused", error=str(error))
        await connection.close(CloseCode.POLICY_VIOLATION, "another version")


async def _all(replies: Sequence[asyncio.Future[Reply]]) -> list[Reply]:
    return [await reply for reply in replies]


async def _send(connection: ServerConnection, number: int, work: Awaitable[object]) -> None:
    """Send the result of a call, or that it failed; the caller may be gone."""
    try:
        message = encode((number, True, await work))
    except EngineUnavailableError:
        message = encode((number, False, None))
    except Exception:  # noqa: BLE001 - the caller learns that its call failed
        _log.exception("call of another process failed")
        message = encode((number, False, None))
    with suppress(ConnectionClosed):
        await connection.send(message)


async def _read(engine: EnginePort, call: ReadCall) -> object:
    match call:
        case ReadStatus():
            return engine.status()
        case DryRun(command=command):
            return await engine.dry_run(command)
        case ReadStoredAnswer(actor=actor, key=key, command=submitted):
            return await engine.stored_answer(actor, key, submitted)
        case ReadPlayer(player=player):
            return await engine.player(player)
        case ReadHouse():
            return await engine.house()
        case ReadCredit(reference=reference):
            return await engine.credit(reference)
        case ReadUndrawnRounds():
            return await engine.undrawn_rounds()
        case ReadWaiting(game=game, issue=issue):
            return await engine.waiting(game, issue)
        case ReadProof(player=player, version=version):
            return await engine.proof(player, version)
        case EvictOutcomes():
            await engine.evict_outcomes()
            return None
        case _ as never:
            assert_never(never)
