"""A call's row as an operation: what it takes, what it answers, what it refuses."""

import inspect
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from api import gateway
from api.calls import Auth, Endpoint
from api.envelope import RETRY_AFTER_S, is_worth_retrying, status_of
from api.front.headers import REQUEST_ID_HEADER
from api.openapi.components import Schema, ref
from api.openapi.examples import Example, accepted_example, is_list, refused_example
from api.refusing import ALWAYS, OFFICE, refusals_of
from engine.refusals import Refusal

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_DECIDED: Final = 200
_STATUSES: Final = {
    400: "What was asked for makes no sense",
    403: "A page of another site has sent this",
    404: "There is no such address",
    405: "This address takes another method",
    408: "The body came too slowly",
    413: "The body is larger than 64 kB",
    414: "The address with its query is longer than 4 kB",
    429: "Too many requests: wait",
    431: "There are too many headers, or they are too long",
    500: "Something went wrong on our side",
    503: "The house cannot decide now: ask again",
}
#: Areas with a way of their own to say who calls, which is named as they are.
_SIGNED_AREAS: Final = frozenset({"office", "gateway"})
_KEY: Final = (
    "The client's id for this command, 1 to 128 printable characters: a repetition with the same"
    " id gets the first answer again and does nothing. Without one, an identical call that is"
    " still in flight, or whose connection closed unanswered a minute ago, is joined."
)


def operation(
    call: Endpoint[Any], schemas: tuple[Schema, Schema, Schema], components: dict[str, Schema]
) -> Schema:
    """The operation; `schemas` are those of its body, its data and its message."""
    body, answer, message = schemas
    example = Example.of(call.path)
    described: Schema = {
        "operationId": operation_id(call.path),
        "tags": [area_of(call.path)],
        "summary": call.summary,
        "description": inspect.getdoc(call.handle) or "",
        "security": _security(call),
        "parameters": [*_query(call, components), *_headers(call)],
        "responses": _responses(call, answer, message, example),
    }
    if call.roles:
        described["x-roles"] = sorted(call.roles)
    if call.method == "POST":
        described["requestBody"] = _body(body, example)
    return described


def operation_id(path: str) -> str:
    """The name that a client's function gets: of /api/user/payInfo it is userPayInfo."""
    area, *rest = path.removeprefix("/api/").replace("/", " ").split()
    return area.lower() + "".join(word[0].upper() + word[1:] for word in rest)


def area_of(path: str) -> str:
    """The part of the house that a path belongs to."""
    return path.removeprefix("/api/").split("/")[0].lower()


def _security(call: Endpoint[Any]) -> list[Schema]:
    area = area_of(call.path)
    if area in _SIGNED_AREAS:
        return [{area: []}]
    schemes: dict[Auth, list[Schema]] = {
        Auth.NONE: [],
        Auth.OPTIONAL: [{"token": []}, {}],
        Auth.PLAYER: [{"token": []}],
    }
    return schemes[call.auth]


def _query(call: Endpoint[Any], components: dict[str, Schema]) -> list[Schema]:
    return query_of(components[call.request_type.__name__]) if call.method == "GET" else []


def query_of(taken: Schema) -> list[Schema]:
    """An object's fields as parameters of a query."""
    required = taken.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in taken["properties"].items()
    ]


def _headers(call: Endpoint[Any]) -> list[Schema]:
    if call.path == gateway.PATH:
        return [_sent_at()]
    if not call.idempotent:
        return []
    required = call.path.startswith(OFFICE)
    schema = {"type": "string", "pattern": "^[!-~]{1,128}$"}
    name = "Idempotency-Key"
    return [
        {"name": name, "in": "header", "description": _KEY, "required": required, "schema": schema}
    ]


def _sent_at() -> Schema:
    return {
        "name": gateway.TIMESTAMP_HEADER.decode(),
        "in": "header",
        "description": "When the message was signed, in seconds since 1970.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9]{1,12}$"},
    }


def _body(body: Schema, example: Example | None) -> Schema:
    as_json: Schema = {"schema": body}
    if example is not None:
        as_json["example"] = example.request
    return {"required": True, "content": {JSON: as_json, FORM: {"schema": body}}}


def _responses(
    call: Endpoint[Any], answer: Schema, message: Schema, example: Example | None
) -> dict[str, Schema]:
    by_status = refusals_by_status(refusals_of(call))
    decided = by_status.pop(_DECIDED, ())
    schema = {"oneOf": [_accepted(call, answer, message), _refused(decided)]}
    content: Schema = {"schema": schema}
    if example is not None:
        content["examples"] = {
            "accepted": {"value": accepted_example(call, example.data, example.success)},
            "refused": {"value": refused_example(call, decided)},
        }
    responses = {
        "200": {
            "description": "What the house decided",
            "headers": REQUEST_ID_SENT,
            "content": {JSON: content},
        },
    }
    return responses | {
        str(status): _undecided_or_ref(status, refusals) for status, refusals in by_status.items()
    }


def shared_responses() -> dict[str, Schema]:
    """The responses of other statuses than 200 that any call may have, as components."""
    return {
        _shared_name(status): undecided(status, refusals) for status, refusals in _SHARED.items()
    }


def _undecided_or_ref(status: int, refusals: tuple[Refusal, ...]) -> Schema:
    if _SHARED.get(status) != refusals:
        return undecided(status, refusals)
    return {"$ref": f"#/components/responses/{_shared_name(status)}"}


def _shared_name(status: int) -> str:
    return f"Refused{status}"


def refusals_by_status(refusals: Iterable[Refusal]) -> dict[int, tuple[Refusal, ...]]:
    """Refusals by the HTTP status that carries them, in the order of the statuses."""
    found: defaultdict[int, list[Refusal]] = defaultdict(list)
    for refusal in refusals:
        found[status_of(refusal)].append(refusal)
    return {status: tuple(found[status]) for status in sorted(found)}


def undecided(status: int, refusals: Iterable[Refusal]) -> Schema:
    """The response of another status than 200: a refusal, maybe with a time to wait."""
    response: Schema = {
        "description": _STATUSES.get(status, "Refused"),
        "headers": {**REQUEST_ID_SENT},
        "content": {JSON: {"schema": _refused(refusals)}},
    }
    if is_worth_retrying(status):
        response["headers"]["Retry-After"] = _retry_after()
    return response


def _retry_after() -> Schema:
    return {
        "description": "How long to wait before asking again, in whole seconds",
        "schema": {"type": "integer", "minimum": RETRY_AFTER_S, "x-unit": "seconds"},
    }


def _refused(refusals: Iterable[Refusal]) -> Schema:
    reasons = [refusal.value for refusal in refusals]
    narrowed = {
        "type": "object",
        "required": ["reason"],
        "properties": {"reason": {"type": "string", "enum": reasons}},
    }
    return {"allOf": [ref("Refused"), narrowed]}


def _accepted(call: Endpoint[Any], answer: Schema, message: Schema) -> Schema:
    accepted: Schema = {
        "type": "object",
        "required": ["code", "msg", "time", "data", "request_id"],
        "properties": {
            "code": {"type": "integer", "const": 1},
            "msg": message,
            "time": ref("Time"),
            "data": answer,
            "request_id": ref("RequestId"),
        },
    }
    if is_list(call):
        accepted["required"] += ["more", "cursor"]
        accepted["properties"] |= _LIST
    return accepted


_SHARED: Final = {
    status: refusals
    for status, refusals in refusals_by_status((*ALWAYS, Refusal.ROUTE_UNKNOWN)).items()
    if status != _DECIDED
}
#: Each answer says how the house's log names its request.
REQUEST_ID_SENT: Final[Schema] = {
    REQUEST_ID_HEADER.decode(): {
        "description": "The envelope's `request_id`",
        "schema": {"type": "string"},
    }
}
_LIST: Final[Schema] = {
    "more": {"type": "boolean", "description": "Whether the list continues."},
    "cursor": {
        "type": ["string", "null"],
        "description": "What continues the list; null where it ends.",
    },
}
