"""OpenAPI of the paths outside the endpoint table: the event stream and the health probes."""

from typing import Any, Final

from msgspec import Struct

from api.http.openapi.components import Schema, ref
from api.http.openapi.operations import JSON, query_of, refusals_by_status, undecided
from api.ops.health import Readiness
from api.realtime.balance_cache import WireBalance
from api.realtime.chat_rooms import ChatMessage, ChatRemoval
from api.realtime.heartbeat import Heart
from api.realtime.result_cache import RoundResult
from api.realtime.room_events import Resumed
from api.realtime.rooms import BetMessage, DrawMessage, RecallMessage
from api.realtime.sse import PATH, PING_S, StreamRequest
from engine.refusals import Refusal

#: The stream's events by name, with the type of their data.
EVENTS: Final[dict[str, type[Struct]]] = {
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
TYPES: Final[tuple[Any, ...]] = (*EVENTS.values(), Readiness, StreamRequest)
#: Refusals of the guards, of other methods than GET, and of too many streams.
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
recall, draw and own result after that position follows, once and in log order, and then a `heart`.
If the replay buffer no longer has all of them, the first event is a `heart` as for a new client:
its lists are complete, and the client drops the bets it has.

`balance` and `win` are the caller's own. They are sent only with the cookie that login sets; if
`user_id` is sent, it must be the caller's. A comment is sent every {PING_S:.0f} s if there are no
events. The server disconnects a client that reads too slowly; it may reconnect.
"""


def paths(components: dict[str, Schema]) -> dict[str, Schema]:
    """Returns these paths."""
    return {
        PATH: {"get": _stream(components["StreamRequest"])},
        "/healthz": {"get": _alive()},
        "/readyz": {"get": _ready()},
    }


def _stream(request: Schema) -> Schema:
    event = {"oneOf": [_event(name, kind) for name, kind in EVENTS.items()]}
    stream = {"type": "string", "description": "Events; `x-event` describes each of them."}
    bad = (Refusal.REQUEST_MALFORMED, Refusal.PLAN_UNKNOWN)
    return {
        "operationId": "lotteryStream",
        "tags": ["lottery"],
        "summary": "The live events of a room",
        "description": _STREAM,
        "security": [{"stream": []}, {}],
        "parameters": [*query_of(request), _last_event_id()],
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


def _event(name: str, kind: type[Struct]) -> Schema:
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


def _alive() -> Schema:
    schema = {"type": "object", "properties": {"status": {"const": "alive"}}}
    return {
        "operationId": "healthz",
        "tags": ["health"],
        "summary": "Liveness probe",
        "security": [],
        "responses": {
            "200": {"description": "The process is alive", "content": {JSON: {"schema": schema}}}
        },
    }


def _ready() -> Schema:
    content = {JSON: {"schema": ref("Readiness")}}
    return {
        "operationId": "readyz",
        "tags": ["health"],
        "summary": "Readiness probe: whether bets are accepted, else the reasons",
        "security": [],
        "responses": {
            "200": {"description": "Bets are accepted", "content": content},
            "500": undecided(500, (Refusal.INTERNAL_ERROR,)),
            "503": {"description": "No bets are accepted", "content": content},
        },
    }
