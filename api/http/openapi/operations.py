"""An endpoint as an OpenAPI operation: request, responses and refusals."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from api.http.call_request import Auth, Endpoint
from api.http.endpoint_refusals import ALWAYS, OFFICE, refusals_of
from api.http.envelope import status_of
from api.http.middleware.security_headers import REQUEST_ID_HEADER
from api.http.openapi.components import Schema, ref
from api.http.openapi.examples import Example, accepted_example, is_list, refused_example
from api.http.refusals import RETRY_AFTER_S, is_worth_retrying
from engine.refusals import Refusal

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_DECIDED: Final = 200
_STATUSES: Final = {
    400: "The request is invalid",
    403: "A page of another site sent this request",
    404: "There is no such path",
    405: "The path does not accept this method",
    408: "The body arrived too slowly",
    413: "The body is larger than 64 kB",
    414: "The URL with its query is longer than 4 kB",
    429: "Too many requests: wait and retry",
    431: "There are too many headers, or they are too long",
    500: "Internal server error",
    503: "The server cannot decide now: retry",
}
#: Areas with an authentication scheme of the same name.
_SIGNED_AREAS: Final = frozenset({"office", "gateway"})
_KEY: Final = (
    "The client's id for this command, 1 to 128 printable characters. A repetition with the same"
    " id returns the first answer again and does nothing. A call without one gets the answer of an"
    " identical call that is in flight, or whose connection closed unanswered within a minute."
)


class ExtraPath(Struct, frozen=True):
    """A path that is no call: its operation, made from all components, and the types that it names.

    `requests` are the types of requests; `answers` those of responses and events.
    """

    path: str
    describe: Callable[[dict[str, Schema]], Schema]
    requests: tuple[Any, ...] = ()
    answers: tuple[Any, ...] = ()


def operation(
    call: Endpoint, schemas: tuple[Schema, Schema, Schema], components: dict[str, Schema]
) -> Schema:
    """Returns the operation; `schemas` are those of its body, its data and its message."""
    body, answer, message = schemas
    example = Example.of(call.path)
    described: Schema = {
        "operationId": operation_id(call.path),
        "tags": [area_of(call.path)],
        "summary": call.summary,
        "description": call.description,
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
    """Returns the operation's id: userPayInfo for /api/user/payInfo."""
    area, *rest = path.removeprefix("/api/").replace("/", " ").split()
    return area.lower() + "".join(word[0].upper() + word[1:] for word in rest)


def area_of(path: str) -> str:
    """Returns the area of a path, which is its tag."""
    return path.removeprefix("/api/").split("/")[0].lower()


def _security(call: Endpoint) -> list[Schema]:
    area = area_of(call.path)
    if area in _SIGNED_AREAS:
        return [{area: []}]
    schemes: dict[Auth, list[Schema]] = {
        Auth.NONE: [],
        Auth.OPTIONAL: [{"token": []}, {}],
        Auth.PLAYER: [{"token": []}],
    }
    return schemes[call.auth]


def _query(call: Endpoint, components: dict[str, Schema]) -> list[Schema]:
    return query_of(components[call.request_type.__name__]) if call.method == "GET" else []


def query_of(taken: Schema) -> list[Schema]:
    """Returns an object's fields as query parameters."""
    required = taken.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in taken["properties"].items()
    ]


def _headers(call: Endpoint) -> list[Schema]:
    found = [_header(each.name, each.description, each.pattern) for each in call.headers]
    if call.idempotent:
        required = call.path.startswith(OFFICE)
        found.append(_header("Idempotency-Key", _KEY, "^[!-~]{1,128}$", required=required))
    return found


def _header(name: str, description: str, pattern: str, *, required: bool = True) -> Schema:
    schema = {"type": "string", "pattern": pattern}
    return {
        "name": name,
        "in": "header",
        "description": description,
        "required": required,
        "schema": schema,
    }


def _body(body: Schema, example: Example | None) -> Schema:
    as_json: Schema = {"schema": body}
    if example is not None:
        as_json["example"] = example.request
    return {"required": True, "content": {JSON: as_json, FORM: {"schema": body}}}


def _responses(
    call: Endpoint, answer: Schema, message: Schema, example: Example | None
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
            "description": "The decision of the server",
            "headers": REQUEST_ID_SENT,
            "content": {JSON: content},
        },
    }
    return responses | {
        str(status): _undecided_or_ref(status, refusals) for status, refusals in by_status.items()
    }


def shared_responses() -> dict[str, Schema]:
    """Returns the components for responses that every call may have, by status other than 200."""
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
    """Returns refusals by their HTTP status, ordered by status."""
    found: defaultdict[int, list[Refusal]] = defaultdict(list)
    for refusal in refusals:
        found[status_of(refusal)].append(refusal)
    return {status: tuple(found[status]) for status in sorted(found)}


def undecided(status: int, refusals: Iterable[Refusal]) -> Schema:
    """Returns a response of another status than 200: a refusal, with Retry-After if retryable."""
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
        "description": "How long to wait before a retry, in whole seconds",
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


def _accepted(call: Endpoint, answer: Schema, message: Schema) -> Schema:
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
#: Every response has the id of its request in the server's log.
REQUEST_ID_SENT: Final[Schema] = {
    REQUEST_ID_HEADER.decode(): {
        "description": "The envelope's `request_id`",
        "schema": {"type": "string"},
    }
}
_LIST: Final[Schema] = {
    "more": {"type": "boolean", "description": "Whether the list continues on a next page."},
    "cursor": {
        "type": ["string", "null"],
        "description": "The cursor of the next page; null at the end.",
    },
}
