"""GET /api/Lottery/stream: what the heartbeat polls, sent as it happens.

The cookie that signing in leaves is enough to hear of one's own money; without it the stream is
public. Streams end from our side when the house shuts down.
"""

import asyncio
from http.cookies import CookieError, SimpleCookie
from typing import Final

import msgspec
from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from api import envelope
from api.calls import recognise
from api.envelope import CallRefused
from api.heart import check_room
from api.listeners import Listener
from api.services import Services
from api.texts import Texts, texts_for
from api.transport import (
    REQUEST_ID,
    Headers,
    has_disconnected,
    headers_of,
    method_of,
    query_of,
    send_json,
)
from api.units import GameId, Language, PlanId
from engine.answers import Refused
from engine.catalogue import PLANS
from engine.refusals import Refusal
from projections.bets import queries as bets

PATH: Final = "/api/Lottery/stream"
PING_S: Final = 15.0
COOKIE: Final = "fairdraw_stream"
# Which no neighbouring site and no unencrypted answer can have set (RFC 6265bis, 4.1.3.2).
_COOKIE_OVER_TLS: Final = f"__Host-{COOKIE}"
_PING: Final = b": ping\n\n"
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]


class StreamAsking(msgspec.Struct):
    """The query: the room, and the language of its labels."""

    game_id: GameId
    plan_id: PlanId
    lang: Language | None = None


def route(services: Services) -> ASGIRouteHandler:
    """The route of the event stream."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        texts = texts_for(None)
        try:
            if method_of(scope) != "GET":
                raise CallRefused(Refusal.METHOD_NOT_ALLOWED)
            asking = _asking(query_of(scope))
            texts = texts_for(asking.lang)
            headers = headers_of(scope)
            player = await _owner(services, headers)
        except CallRefused as refusal:
            await _refuse(send, refusal.refused, texts)
            return
        listener = Listener(asking.plan_id, player, texts)
        after = headers.get(b"last-event-id", b"")
        services.hub.listeners.add(listener)
        try:
            await _greet(services, listener, int(after) if after.isdigit() else None)
            await _send_all(listener, receive, send)
        finally:
            services.hub.listeners.remove(listener)

    return asgi(PATH, copy_scope=False)(answer)


def stream_cookie(token: str, seconds: int, headers: Headers) -> str:
    """Lets the browser's event stream in for so long, and nothing else; scripts cannot read it."""
    name = _cookie_name(headers)
    where = f"Path={PATH}" if name == COOKIE else "Path=/; Secure"
    return f"{name}={token}; {where}; Max-Age={seconds}; HttpOnly; SameSite=Strict"


def _cookie_name(headers: Headers) -> str:
    """By what a trusted proxy says; anybody else's word for it api/front has taken out."""
    return _COOKIE_OVER_TLS if headers.get(b"x-forwarded-proto") == b"https" else COOKIE


def _asking(query: dict[str, str]) -> StreamAsking:
    try:
        asking = msgspec.convert(query, StreamAsking, strict=False)
    except msgspec.ValidationError:
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None
    check_room(asking.plan_id, asking.game_id)
    return asking


async def _refuse(send: Send, refused: Refused, texts: Texts) -> None:
    """Not with 200: a browser would take that for a stream that ended and come back at once."""
    body = envelope.refused(refused, texts, REQUEST_ID.get())
    status = envelope.status_of(refused.refusal)
    await send_json(send, 400 if status == 200 else status, body)  # noqa: PLR2004


async def _owner(services: Services, headers: Headers) -> int:
    """The player whose cookie this is; 0 for none, or for one that no longer serves."""
    try:
        cookie = headers.get(b"cookie", b"").decode("latin-1")
        found = SimpleCookie(cookie).get(_cookie_name(headers))
        return await recognise(services, found.value) if found else 0
    except (CookieError, CallRefused):
        return 0


async def _greet(services: Services, listener: Listener, after: int | None) -> None:
    """The whole state of the room, and what a listener who comes back has missed."""
    if listener.player:
        await services.balances.fetch(listener.player)
    hub = services.hub
    hub.tell_heart(listener, hub.position)
    if after is None:
        return
    for missed in hub.missed(listener.plan, listener.texts, after):
        listener.send(missed)
    game = PLANS[listener.plan].game
    issue, settled_at = hub.games[game].settled
    if listener.player and settled_at > after:
        orders = await services.read(lambda c: bets.in_round(c, listener.player, game, issue))
        hub.listeners.tell_result(listener.player, orders, settled_at)


async def _send_all(listener: Listener, receive: Receive, send: Send) -> None:
    gone = asyncio.ensure_future(has_disconnected(receive))
    gone.add_done_callback(lambda _: listener.end())
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    try:
        while not listener.ended:
            content = await listener.take(PING_S)
            body = _PING if content is None else content
            await send({"type": "http.response.body", "body": body, "more_body": True})
        if not gone.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
