"""Serves the desk: the web socket of its conversations, and the page with its instructions."""

import logging
import socket
import time
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from scripts.reference_desk.conversations import Conversation, Desk
from scripts.reference_desk.protocol import MAX_FRAME_BYTES, SUBPROTOCOL, FromApp, FromDesk, Hello

PATH: Final = "/chat"
_MAX_QUEUED_FRAMES: Final = 16
_OPEN_TIMEOUT_S: Final = 10
_PAGE: Final = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Customer service</title>
<h1>Customer service</h1>
<p>This is the reference desk of the Fairdraw demo. It answers automatically in the app: open
<b>Service</b> in the bottom bar and write a message. No person reads it.</p>
<p>An operator names their own page here, with their opening hours, telephone and address.</p>
</html>
"""
_HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Connection": "close",
}
_decoder: Final[msgspec.json.Decoder[FromApp]] = msgspec.json.Decoder(FromApp)
_encoder: Final = msgspec.json.Encoder()


class ProtocolViolationError(Exception):
    """A frame that the protocol does not allow."""


async def start_server(listening: socket.socket, *, away: bool) -> Server:
    """Start serving on a listening socket."""
    desk = Desk(time.monotonic, away=away)
    # Requests that are not the app's are answered with their status; they are not our errors.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)

    async def converse(connection: ServerConnection) -> None:
        try:
            await _converse(desk, connection)
        except ProtocolViolationError:
            await connection.close(CloseCode.POLICY_VIOLATION)
        except ConnectionClosed:
            pass

    return await serve(
        converse,
        sock=listening,
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        process_request=_page,
        max_size=MAX_FRAME_BYTES,
        max_queue=_MAX_QUEUED_FRAMES,
        open_timeout=_OPEN_TIMEOUT_S,
        compression=None,
        server_header=None,
    )


def _page(_: ServerConnection, request: Request) -> Response | None:
    """Returns the page, or None if the request is for the web socket."""
    path = request.path.partition("?")[0]
    if path == PATH:
        return None
    found = path == "/"
    status = HTTPStatus.OK if found else HTTPStatus.NOT_FOUND
    body = _PAGE if found else b"Not found\n"
    headers = Headers(_HEADERS | {"Content-Length": str(len(body))})
    return Response(status, status.phrase, headers, body)


async def _converse(desk: Desk, connection: ServerConnection) -> None:
    hello = await _read(connection)
    if not isinstance(hello, Hello):
        raise ProtocolViolationError
    conversation, first = desk.open(hello)
    await _send(connection, first)
    while True:
        await _answer(desk, conversation, connection)


async def _answer(desk: Desk, conversation: Conversation, connection: ServerConnection) -> None:
    message = await _read(connection)
    if isinstance(message, Hello):
        raise ProtocolViolationError
    await _send(connection, desk.take(conversation, message))


async def _read(connection: ServerConnection) -> FromApp:
    frame = await connection.recv()
    try:
        if isinstance(frame, bytes):
            raise ProtocolViolationError
        return _decoder.decode(frame)
    except msgspec.MsgspecError:
        raise ProtocolViolationError from None


async def _send(connection: ServerConnection, messages: Iterable[FromDesk]) -> None:
    for message in messages:
        await connection.send(_encoder.encode(message).decode())
