"""GET /api/Lottery/stream: what the heartbeat polls, sent as it happens.

The cookie that signing in leaves is enough to hear of one's own money; without it the stream is
public. Streams end from our side when the house shuts down, when their reader is too slow, and
when the house cannot tell what they missed.

Events are `bet`, `recall`, `draw` and `heart` of the room, `balance` and `win` of the player. Their
ids are positions of the log and never go back. A reader who comes back with the last one
(`Last-Event-ID`) is told by the first event where they stand:

- `resumed`: every bet, recall, draw and own result behind that position follows, once and in the
  order of the log, and then a heart with the state as it is now. What the reader has stands.
- `heart`: the house no longer holds all of that, or does not know the position. The heart stands
  for everything: the reader drops the bets they have and begins with its list.
"""

import asyncio
import re
from http.cookies import CookieError, SimpleCookie
from typing import Final

import msgspec
import psycopg
import structlog
from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send
from psycopg_pool import PoolTimeout

from api import envelope
from api.calls import authenticate, client_of
from api.envelope import CallRefused
from api.heart import check_room
from api.listeners import Subscriber
from api.services import READ_OWN_TIMEOUT_S, Services
from api.texts import Translations, translations_for
from api.transport import (
    REQUEST_ID,
    Headers,
    has_disconnected,
    headers_of,
    method_of,
    query_of,
    send_json,
)
from api.units import GameId, Language, PlanId, PlayerId
from engine.answers import Refused
from engine.refusals import Refusal
from engine.runtime import supervision

PATH: Final = "/api/Lottery/stream"
PING_S: Final = 15.0
COOKIE: Final = "fairdraw_stream"
# Which no neighbouring site and no unencrypted answer can have set (RFC 6265bis, 4.1.3.2).
_COOKIE_OVER_TLS: Final = f"__Host-{COOKIE}"
_END_TIMEOUT_S: Final = 1.0
_PING: Final = b": ping\n\n"
_POSITION: Final = re.compile(rb"[0-9]{1,18}")
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]
_log = structlog.get_logger()


class StreamRequest(msgspec.Struct):
    """The query: the room, the language of its labels, and whose the stream is to be.

    With the cookie of anybody but `user_id` the stream is public: a browser may still have that of
    somebody who signed in by this line before.
    """

    game_id: GameId
    plan_id: PlanId
    lang: Language | None = None
    user_id: PlayerId | None = None


def route(services: Services) -> ASGIRouteHandler:
    """The route of the event stream."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        texts = translations_for(None)
        try:
            if method_of(scope) != "GET":
                raise CallRefused(Refusal.METHOD_NOT_ALLOWED)
            request = _parse_request(query_of(scope))
            texts = translations_for(request.lang)
            headers = headers_of(scope)
            session, player = await _owner(services, headers, request.user_id)
            with services.stream_limiter.slot(session, client_of(scope)):
                await _serve(
                    services, Subscriber(request.plan_id, player, texts), headers, receive, send
                )
        except CallRefused as refusal:
            await _refuse(send, refusal.refused, texts)
        except (psycopg.OperationalError, PoolTimeout) as error:
            _log.warning("database is away", path=PATH, error=str(error))
            await _refuse(send, Refused(Refusal.UNAVAILABLE), texts)

    return asgi(PATH, copy_scope=False)(answer)


def stream_cookie(token: str, seconds: int, headers: Headers) -> str:
    """Lets the browser's event stream in for so long, and nothing else; scripts cannot read it."""
    name = _cookie_name(headers)
    where = f"Path={PATH}" if name == COOKIE else "Path=/; Secure"
    return f"{name}={token}; {where}; Max-Age={seconds}; HttpOnly; SameSite=Strict"


def _cookie_name(headers: Headers) -> str:
    """By what a trusted proxy says; anybody else's word for it api/front has taken out."""
    return _COOKIE_OVER_TLS if headers.get(b"x-forwarded-proto") == b"https" else COOKIE


def _parse_request(query: dict[str, str]) -> StreamRequest:
    try:
        request = msgspec.convert(query, StreamRequest, strict=False)
    except msgspec.ValidationError:
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None
    check_room(request.plan_id, request.game_id)
    return request


async def _refuse(send: Send, refused: Refused, texts: Translations) -> None:
    """Not with 200: a browser would take that for a stream that ended and come back at once."""
    body = envelope.refused(refused, texts, REQUEST_ID.get())
    status = envelope.status_of(refused.refusal)
    await send_json(send, 400 if status == 200 else status, body)  # noqa: PLR2004


async def _owner(services: Services, headers: Headers, expected: int | None) -> tuple[str, int]:
    """The session's token and its player; "" and 0 without a cookie that serves."""
    try:
        cookie = headers.get(b"cookie", b"").decode("latin-1")
        found = SimpleCookie(cookie).get(_cookie_name(headers))
        player = await authenticate(services, found.value) if found else 0
    except (CookieError, CallRefused):
        return "", 0
    if found is None or expected not in {None, player}:
        return "", 0
    return found.value, player


async def _serve(
    services: Services, subscriber: Subscriber, headers: Headers, receive: Receive, send: Send
) -> None:
    hub, after = services.hub, _position(headers)
    # Another process may have told them more than this one has read so far.
    await hub.wait_for(after or 0, READ_OWN_TIMEOUT_S)
    if subscriber.player:
        await hub.load_player(subscriber.player)
    try:
        hub.attach(subscriber, after)
        await _send_all(subscriber, receive, send)
    finally:
        hub.subscribers.remove(subscriber)


def _position(headers: Headers) -> int | None:
    """The id of the last event that the reader had; None for what is no position."""
    last = headers.get(b"last-event-id", b"")
    return int(last) if _POSITION.fullmatch(last) else None


async def _send_all(subscriber: Subscriber, receive: Receive, send: Send) -> None:
    """Until either side ends it. Sending may wait for a reader for ever, so it is cut off."""
    gone = supervision.owned(has_disconnected(receive))
    sending = supervision.owned(_send_until_ended(subscriber, send))
    for task in (gone, sending):
        task.add_done_callback(lambda _: subscriber.end())
    try:
        await subscriber.ended.wait()
        if not gone.done():
            await asyncio.wait({sending}, timeout=_END_TIMEOUT_S)
    finally:
        left = gone.done()
        gone.cancel()
        sending.cancel()
        _, fault = await asyncio.gather(gone, sending, return_exceptions=True)
    if isinstance(fault, Exception) and not left:
        raise fault


async def _send_until_ended(subscriber: Subscriber, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    while not subscriber.ended.is_set():
        content = await subscriber.take(PING_S)
        body = _PING if content is None else content
        await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
