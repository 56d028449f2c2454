"""The OpenAPI description, made from the table of calls, so that it cannot say anything else."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from litestar import MediaType, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response

from api.calls import Auth, Call
from api.settings import VERSION
from api.stream import PATH as STREAM_PATH
from api.wire import encode
from engine.refusals import Refusal

_REF: Final = "#/components/schemas/{name}"
_JSON: Final = "application/json"
_REFUSED: Final = {
    "type": "object",
    "description": "A refusal: nothing happened.",
    "required": ["code", "msg", "time", "data", "reason", "request_id"],
    "properties": {
        "code": {"type": "integer", "enum": [0, 50008, 50012, 50014]},
        "msg": {"type": "string"},
        "time": {"type": "integer"},
        "data": {"type": "null"},
        "reason": {"type": "string", "enum": list(Refusal)},
        "field": {"type": "string", "description": "The part of the request that is to blame."},
        "request_id": {"type": "string"},
    },
}
_STREAM: Final = {
    "get": {
        "operationId": "stream",
        "summary": "What the heartbeat polls, as server-sent events",
        "description": "Events: heart, bet, recall, draw, balance, win; ids are log positions.",
        "parameters": [
            {"name": name, "in": "query", "required": name != "lang", "schema": {"type": kind}}
            for name, kind in (("game_id", "integer"), ("plan_id", "integer"), ("lang", "string"))
        ],
        "responses": {
            "200": {"description": "The stream", "content": {"text/event-stream": {}}},
        },
    }
}


def description(calls: Sequence[Call[Any]]) -> dict[str, Any]:
    """The whole document."""
    types = [*(call.takes for call in calls), *(call.answer for call in calls)]
    schemas, components = msgspec.json.schema_components(
        types, schema_hook=_unknown, ref_template=_REF
    )
    bodies, answers = schemas[: len(calls)], schemas[len(calls) :]
    paths: dict[str, Any] = {
        call.path: {call.method.lower(): _operation(call, body, answer)}
        for call, body, answer in zip(calls, bodies, answers, strict=True)
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fairdraw", "version": VERSION},
        "paths": {**paths, STREAM_PATH: _STREAM},
        "components": {"schemas": {**components, "Refused": _REFUSED}},
    }


def _operation(call: Call[Any], body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": call.path.rpartition("/")[2],
        "summary": call.summary,
        "parameters": list(_parameters(call)),
        "responses": {"200": _answered(call, answer)},
    }
    if call.method == "POST":
        content = {"schema": body}
        operation["requestBody"] = {
            "required": True,
            "content": {_JSON: content, "application/x-www-form-urlencoded": content},
        }
    return operation


def _parameters(call: Call[Any]) -> list[dict[str, Any]]:
    found = []
    if call.method == "GET":
        found += [
            {"name": name, "in": "query", "schema": {"type": "string"}}
            for name in call.takes.__struct_fields__
        ]
    if call.auth is not Auth.NOBODY:
        required = call.auth is Auth.PLAYER
        found.append(_header("token", "The session's token.", required=required))
    if call.keyed:
        meaning = "The client's id for this command: the same id gets the first answer again."
        found.append(_header("Idempotency-Key", meaning, required=False))
    return found


def _header(name: str, meaning: str, *, required: bool) -> dict[str, Any]:
    schema = {"type": "string"}
    return {
        "name": name,
        "in": "header",
        "description": meaning,
        "required": required,
        "schema": schema,
    }


def _answered(call: Call[Any], answer: dict[str, Any]) -> dict[str, Any]:
    accepted: dict[str, Any] = {
        "type": "object",
        "required": ["code", "msg", "time", "data", "request_id"],
        "properties": {
            "code": {"const": 1},
            "msg": answer if call.path.endswith("userInfo") else {"type": "string"},
            "time": {"type": "integer"},
            "data": answer,
            "request_id": {"type": "string"},
        },
    }
    if "cursor" in call.takes.__struct_fields__:
        accepted["properties"]["more"] = {"type": "boolean"}
        accepted["properties"]["cursor"] = {"type": ["string", "null"]}
    refused = {"$ref": _REF.format(name="Refused")}
    return {
        "description": "What the house decided",
        "content": {_JSON: {"schema": {"oneOf": [accepted, refused]}}},
    }


def _unknown(kind: type) -> dict[str, Any]:
    """Types that msgspec has no schema for: bytes that are JSON already stand for an object."""
    if kind is msgspec.Raw:
        return {"type": "object"}
    raise NotImplementedError(kind)


def route(calls: Sequence[Call[Any]]) -> HTTPRouteHandler:
    """Serves the document, made once."""
    content = encode(description(calls))

    @get("/schema/openapi.json", include_in_schema=False)
    async def answer() -> Response[bytes]:
        return Response(content, media_type=MediaType.JSON)

    return answer
