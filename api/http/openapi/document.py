"""The complete OpenAPI document: each endpoint as an operation, with its refusals and an example.

msgspec derives the schemas from the types. Litestar's own document has no fields such as `x-unit`,
and no response that is either an accepted or a refused envelope. The examples are in the folder
`examples`, one file per area. Tests compare them with the types.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

import msgspec
from msgspec import Struct

from api.http.call_request import Auth, Endpoint, SessionUse
from api.http.envelope import status_of
from api.http.localization import TRANSLATED
from api.http.middleware.security_headers import REQUEST_ID_HEADER
from api.http.openapi.components import Schema, always_sent, envelope, ref, schemas_of
from api.http.refusals import (
    ALWAYS,
    COMMAND_REFUSALS,
    RETRY_AFTER_S,
    SESSION_REFUSALS,
    STAFF_REFUSALS,
    is_worth_retrying,
)
from api.messages import DEFAULT
from api.settings import VERSION
from engine.refusals import Refusal

#: The tags of the operations, by the first part of the path.
AREAS: Final = {
    "index": "Public content, which needs no login",
    "lottery": "Games, rounds, bets, draws",
    "user": "The player's account: session, identity, money, history, protection",
    "gateway": "Messages from the payment gateway",
    "office": "Staff calls, recorded under the name of the acting person",
    "fair": "The log's public tree and own facts in it, to check that none was changed or removed",
    "health": "Probes for the operation of the server",
}
_ABOUT: Final = """Each response is an envelope. With HTTP status 200 it contains a decision of the
server: `code` 1 with `data`, or `code` 0 with the `reason` of a refusal, after which nothing was
changed. The codes 50008, 50012 and 50014 mean that the session is invalid: log in again.
Other statuses mean that nothing was decided; 429 and 503 have a `Retry-After` header. Paths that
are not listed here answer 404 with the reason `route_unknown`.

Money is a JSON number in u with at most two decimals; requests may also send it as text. Each
number's schema names its unit under `x-unit`. Days are calendar days of the operator's time zone.
Lists are newest first, with at most 1,000 items. `more` and `cursor` next to the data say how they
continue.

A body may be JSON or form-encoded, up to 64 kB. Fields that a call does not define, such as `host`,
are ignored. `lang` chooses the language of all texts. The header `background` marks a call without
user action: it leaves an idle session idle. Balances have a version: of two, the one with the
higher version is newer.

The names of fields are those of the specification that this server implements. Where it leaves open
what a call returns or how the server decides, these descriptions define it."""
JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_OFFICE: Final = "/api/office/"
_PRECEDENCE: Final = {refusal: place for place, refusal in enumerate(Refusal)}
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
EXAMPLES_FOLDER: Final = Path(__file__).with_name("examples")
_TIME: Final = 1_795_226_725
_REQUEST_ID: Final = "5f0c2a91-1c"


class ExtraPath(Struct, frozen=True):
    """A path that is no call: its operation, made from all components, and the types that it names.

    `requests` are the types of requests; `answers` those of responses and events.
    """

    path: str
    describe: Callable[[dict[str, Schema]], Schema]
    requests: tuple[Any, ...] = ()
    answers: tuple[Any, ...] = ()


class Example(Struct, frozen=True):
    """A request's body or query, and a response's data; `success` is the key of its text."""

    request: dict[str, Any]
    data: Any
    success: str = ""

    @classmethod
    def of(cls, path: str) -> Self | None:
        """Returns the example of a call; None if there is none."""
        found = _examples().get(path)
        return None if found is None else cls(**found)


@lru_cache(maxsize=1)
def _examples() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(EXAMPLES_FOLDER.glob("*.json")):
        found |= msgspec.json.decode(file.read_bytes())
    return found


def description(calls: Sequence[Endpoint], extra: Sequence[ExtraPath], security: Schema) -> Schema:
    """Returns the document; `security` are the schemes of gateway and stream.

    Raises NoSchemaError if a request or response type has no schema.
    """
    bodies = [call.request_type for call in calls]
    answers = [call.response_type for call in calls]
    messages = [call.message for call in calls]
    requests = [kind for each in extra for kind in each.requests]
    named = [*requests, *(kind for each in extra for kind in each.answers)]
    schemas, components = schemas_of([*bodies, *answers, *messages, *named])
    taken = schemas_of([*bodies, *requests])[1].keys()
    components |= {name: always_sent(it) for name, it in components.items() if name not in taken}
    count = len(calls)
    rows = zip(schemas[:count], schemas[count:], schemas[2 * count :], strict=False)
    paths = {
        call.path: {call.method.lower(): operation(call, row, components)}
        for call, row in zip(calls, rows, strict=False)
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fairdraw", "version": VERSION, "description": _ABOUT},
        "tags": [{"name": name, "description": about} for name, about in AREAS.items()],
        "paths": paths | {each.path: {"get": each.describe(components)} for each in extra},
        "components": {
            "schemas": {**components, **envelope()},
            "responses": shared_responses(),
            "securitySchemes": _SCHEMES | security,
        },
    }


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
        required = call.path.startswith(_OFFICE)
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


def refusals_of(call: Endpoint) -> tuple[Refusal, ...]:
    """Returns all refusals of a call, in order of precedence."""
    return tuple(sorted({*shared(call), *call.refusals}, key=_PRECEDENCE.__getitem__))


def shared(call: Endpoint) -> frozenset[Refusal]:
    """Returns the refusals that follow from the other fields of an endpoint."""
    found = {*ALWAYS}
    if call.auth in {Auth.OPTIONAL, Auth.PLAYER}:
        found.update(SESSION_REFUSALS)
    if call.use is SessionUse.MONEY:
        found.add(Refusal.STEP_UP_NEEDED)
    if call.idempotent:
        found.update((*COMMAND_REFUSALS, Refusal.KEY_MALFORMED, Refusal.KEY_REUSED))
    if call.roles:
        found.update(STAFF_REFUSALS)
    return frozenset(found)


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


def accepted_example(call: Endpoint, data: Any, success: str) -> dict[str, Any]:
    """Returns an example envelope of a success with this data and the text of this key."""
    message = TRANSLATED[DEFAULT].success.get(success, "") if call.message is str else data
    ends = {"more": False, "cursor": None} if is_list(call) else {}
    accepted = {"code": 1, "msg": message, "time": _TIME, "data": data}
    return {**accepted, **ends, "request_id": _REQUEST_ID}


def is_list(call: Endpoint) -> bool:
    """Whether the call returns a paginated list."""
    return "cursor" in call.request_type.__struct_fields__


def refused_example(call: Endpoint, decided: Sequence[Refusal]) -> dict[str, Any]:
    """Returns an example envelope of a refusal with status 200, if possible of the call's own."""
    reason = next((each for each in decided if each in call.refusals), decided[0])
    return {
        "code": 0,
        "msg": TRANSLATED[DEFAULT].refusal(reason),
        "time": _TIME,
        "data": None,
        "reason": reason.value,
        "request_id": _REQUEST_ID,
    }


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
_SCHEMES: Final[Schema] = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "token",
        "description": "The session's token, which login returns.",
    },
    "office": {
        "type": "apiKey",
        "in": "header",
        "name": "office",
        "description": "The pass of a staff member with one of the call's roles.",
    },
}
