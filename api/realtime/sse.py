"""GET /api/Lottery/stream: server-sent events (SSE) with the content of the heartbeat.

The cookie that login sets is enough to receive the player's own money events; without it the stream
is public. The server ends a stream when it shuts down, when the client is too slow, and when it
cannot replay what the client missed.

Events are `bet`, `recall`, `draw`, `chat`, `chat_removed` and `heart` of the room, `balance` and
`win` of the player. Their ids are log positions and never decrease. For a client that reconnects
with the last id (`Last-Event-ID`), the first event is one of:

- `resumed`: every bet, recall, draw, chat message, removal and own result after that position
  follows, once and in log order, and then a heart with the current state. The client keeps what it
  has.
- `heart`: the replay buffer no longer has all of that, or the position is unknown. The heart
  replaces everything: the client drops its bets and starts with the heart's list.

`Hub.attach` (`hub.py`) decides which, and replays; `rooms.py` has the replay buffer.
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

from api.http import envelope
from api.http.call_pipeline import authenticate
from api.http.db_pool import READ_OWN_TIMEOUT_S
from api.http.field_types import GameId, Language, PlanId, PlayerId
from api.http.localization import Translations, translations_for
from api.http.openapi.components import Schema, ref
from api.http.openapi.document import ExtraPath, refusals_by_status, undecided
from api.http.openapi.document import query_of as query_parameters
from api.http.refusals import CallRefused
from api.http.transport import (
    REQUEST_ID,
    STREAM_COOKIE,
    STREAM_PATH,
    Headers,
    client_of,
    headers_of,
    method_of,
    query_of,
    send_json,
    stream_cookie_name,
    until_disconnected,
)
from api.http.wire import converter
from api.realtime.chat_rooms import ChatMessage, ChatRemoval
from api.realtime.heartbeat import Heart, check_room
from api.realtime.player_caches import RoundResult, WireBalance
from api.realtime.rooms import BetMessage, DrawMessage, RecallMessage, Resumed
from api.realtime.subscribers import Subscriber
from api.services import Services
from engine.answers import Refused
from engine.refusals import Refusal
from engine.runtime import supervision

PATH: Final = STREAM_PATH
PING_S: Final = 15.0
_END_TIMEOUT_S: Final = 1.0
_PING: Final = b": ping\n\n"
_POSITION: Final = re.compile(rb"[0-9]{1,18}")
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]
_log = structlog.get_logger()


class StreamRequest(msgspec.Struct):
    """The query: the room, the language of its labels, and the player whose stream it is.

    If the cookie is not that of `user_id`, the stream is public: a browser may still have the
    cookie of a player who signed in by this line before.
    """

    game_id: GameId
    plan_id: PlanId
    lang: Language | None = None
    user_id: PlayerId | None = None


_read_request: Final = converter(StreamRequest, strict=False)


def route(services: Services) -> ASGIRouteHandler:
    """Returns the route of the event stream."""

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


def _parse_request(query: dict[str, str]) -> StreamRequest:
    try:
        request = _read_request(query)
    except msgspec.ValidationError:
        raise CallRefused(Refusal.REQUEST_MALFORMED) from None
    check_room(request.plan_id, request.game_id)
    return request


async def _refuse(send: Send, refused: Refused, texts: Translations) -> None:
    """Never with status 200: a browser would reconnect immediately, as after an ended stream."""
    body = envelope.refused(refused, texts, REQUEST_ID.get())
    status = envelope.status_of(refused.refusal)
    await send_json(send, 400 if status == 200 else status, body)  # noqa: PLR2004


async def _owner(services: Services, headers: Headers, expected: int | None) -> tuple[str, int]:
    """Returns the session's token and its player; "" and 0 without a valid cookie."""
    try:
        cookie = headers.get(b"cookie", b"").decode("latin-1")
        found = SimpleCookie(cookie).get(stream_cookie_name(headers))
        player = await authenticate(services.sessions, found.value) if found else 0
    except (CookieError, CallRefused):
        return "", 0
    if found is None or expected not in {None, player}:
        return "", 0
    return found.value, player


async def _serve(
    services: Services, subscriber: Subscriber, headers: Headers, receive: Receive, send: Send
) -> None:
    hub, after = services.hub, _position(headers)
    # Another process may have sent the client more than this one has read so far.
    await hub.wait_for(after or 0, READ_OWN_TIMEOUT_S)
    if subscriber.player:
        await hub.load_player(subscriber.player)
    try:
        hub.attach(subscriber, after)
        await _send_all(subscriber, receive, send)
    finally:
        hub.subscribers.remove(subscriber)


def _position(headers: Headers) -> int | None:
    """Returns the id of the last event that the client received; None if it is not a position."""
    last = headers.get(b"last-event-id", b"")
    return int(last) if _POSITION.fullmatch(last) else None


async def _send_all(subscriber: Subscriber, receive: Receive, send: Send) -> None:
    """Send until either side ends the stream.

    Sending may wait forever for a slow client, so it is cancelled `_END_TIMEOUT_S` after the end.
    """
    gone = supervision.owned(until_disconnected(receive))
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


#: The stream's events by name, with the type of their data.
EVENTS: Final[dict[str, type[msgspec.Struct]]] = {
    "resumed": Resumed,
    "heart": Heart,
    "bet": BetMessage,
    "recall": RecallMessage,
    "draw": DrawMessage,
    "balance": WireBalance,
    "win": RoundResult,
    "chat": ChatMessage,
    "chat_removed": ChatRemoval,
}
#: Refusals before routing, of other methods than GET, and of too many streams.
_REFUSED: Final = (
    Refusal.ENGINE_BUSY,
    Refusal.UNAVAILABLE,
    Refusal.RATE_LIMITED,
    Refusal.CROSS_SITE,
    Refusal.URL_TOO_LONG,
    Refusal.HEADERS_TOO_LARGE,
    Refusal.METHOD_NOT_ALLOWED,
    Refusal.INTERNAL_ERROR,
)
_STREAM: Final = f"""The data of the polled heartbeat, as server-sent events.

Each event has a name, its data as JSON in one line, and as its id a position of the log; ids never
decrease. The first event is a `heart` with the whole state of the room.

A client that reconnects with a buffered `Last-Event-ID` first receives `resumed`. Every bet,
recall, draw, chat message, removal and own result after that position follows, once and in log
order, and then a `heart`. If the replay buffer no longer has all of them, the first event is a
`heart` as for a new client: its lists are complete, and the client drops the bets it has.

`balance` and `win` are the caller's own. They are sent only with the cookie that login sets; if
`user_id` is sent, it must be the caller's. A comment is sent every {PING_S:.0f} s if there are no
events. The server disconnects a client that reads too slowly; it may reconnect.
"""


def _description(components: dict[str, Schema]) -> Schema:
    event = {"oneOf": [_event(name, kind) for name, kind in EVENTS.items()]}
    stream = {"type": "string", "description": "Events; `x-event` describes each of them."}
    bad = (Refusal.REQUEST_MALFORMED, Refusal.PLAN_UNKNOWN)
    return {
        "operationId": "lotteryStream",
        "tags": ["lottery"],
        "summary": "The live events of a room",
        "description": _STREAM,
        "security": [{"stream": []}, {}],
        "parameters": [*query_parameters(components["StreamRequest"]), _last_event_id()],
        "responses": {
            "200": {
                "description": "The stream, until one side closes it",
                "content": {"text/event-stream": {"schema": stream, "x-event": event}},
            },
            "400": undecided(400, bad),
            **{
                str(status): undecided(status, refusals)
                for status, refusals in refusals_by_status(_REFUSED).items()
            },
        },
    }


def _event(name: str, kind: type[msgspec.Struct]) -> Schema:
    return {
        "type": "object",
        "required": ["id", "event", "data"],
        "properties": {
            "id": {"type": "integer", "description": "Position in the log", "x-unit": "count"},
            "event": {"const": name},
            "data": ref(kind.__name__),
        },
    }


def _last_event_id() -> Schema:
    return {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The id of the last received event; browsers send it.",
        "schema": {"type": "string"},
    }


#: The event stream, for the description of the API.
DESCRIBED: Final = ExtraPath(PATH, _description, (StreamRequest,), tuple(EVENTS.values()))
SECURITY: Final[Schema] = {
    "stream": {
        "type": "apiKey",
        "in": "cookie",
        "name": STREAM_COOKIE,
        "description": "Set by login, for the event stream only; scripts cannot read it.",
    }
}
