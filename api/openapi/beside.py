"""What is served beside the calls: the event stream, and whether the house is well."""

from typing import Any, Final

from msgspec import Struct

from api.balances import WireBalance
from api.chat_rooms import ChatMessage, ChatRemoval
from api.happenings import Resumed
from api.health import Readiness
from api.heart import Heart
from api.openapi.components import Schema, ref
from api.openapi.operations import JSON, query_of, refusals_by_status, undecided
from api.results import RoundResult
from api.rooms import BetMessage, DrawMessage, RecallMessage
from api.stream import PATH, PING_S, StreamRequest
from engine.refusals import Refusal

#: The stream's events by their names, and what each carries.
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
#: At the door, by another method than GET, and when there are too many streams.
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
_STREAM: Final = f"""What the heartbeat polls, as server-sent events.

Each event has a name, its data as JSON in one line, and as its id a position of the log; ids never
go back. The first is a `heart` with the whole state of the room. To whoever comes back with
`Last-Event-ID` the first event says where they stand: `resumed`, and every bet, recall, draw and
own result behind that position follows, once and in the order of the log, and then a heart; or a
`heart` as for a newcomer, when the house no longer holds all of that: its lists stand for
everything, and the reader drops the bets they have. `balance` and `win` are the caller's own and
come only with the cookie that signing in has left; where `user_id` is given, it must be theirs. A
comment is sent every {PING_S:.0f} s when nothing happens; a reader who is too slow is cut off, and
comes back.
"""


def paths(components: dict[str, Schema]) -> dict[str, Schema]:
    """Their paths."""
    return {
        PATH: {"get": _stream(components["StreamRequest"])},
        "/healthz": {"get": _alive()},
        "/readyz": {"get": _ready()},
    }


def _stream(request: Schema) -> Schema:
    event = {"oneOf": [_event(name, kind) for name, kind in EVENTS.items()]}
    stream = {"type": "string", "description": "Events, as x-event describes each of them."}
    bad = (Refusal.REQUEST_MALFORMED, Refusal.PLAN_UNKNOWN)
    return {
        "operationId": "lotteryStream",
        "tags": ["lottery"],
        "summary": "What happens in a room, as it happens",
        "description": _STREAM,
        "security": [{"stream": []}, {}],
        "parameters": [*query_of(request), _last_event_id()],
        "responses": {
            "200": {
                "description": "The stream, until one side ends it",
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
        "description": "The id of the last event that was heard; browsers send it by themselves.",
        "schema": {"type": "string"},
    }


def _alive() -> Schema:
    schema = {"type": "object", "properties": {"status": {"const": "alive"}}}
    return {
        "operationId": "healthz",
        "tags": ["health"],
        "summary": "The process lives",
        "security": [],
        "responses": {"200": {"description": "It does", "content": {JSON: {"schema": schema}}}},
    }


def _ready() -> Schema:
    content = {JSON: {"schema": ref("Readiness")}}
    return {
        "operationId": "readyz",
        "tags": ["health"],
        "summary": "Whether bets are taken, or the reasons why not",
        "security": [],
        "responses": {
            "200": {"description": "Bets are taken", "content": content},
            "500": undecided(500, (Refusal.INTERNAL_ERROR,)),
            "503": {"description": "No bets are taken", "content": content},
        },
    }
