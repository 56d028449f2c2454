"""Compares HTTP answers and stream events with the OpenAPI description.

Every answer of the whole suite is checked; `mismatches` returns the differences at the end.
"""

from functools import cache, lru_cache
from typing import Any, Final

import httpx
import jsonschema_rs

from api.http.asgi_app import described
from api.http.localization import TRANSLATED
from api.http.middleware.request_checks import normalize_path
from api.http.openapi.components import resolved
from api.http.openapi.document import Example
from api.realtime.sse import EVENTS

#: Paths that serve people or browsers only.
NOT_DESCRIBED: Final = ("/schema", "/vip")
#: Statuses of refusals made before the path is looked up, or because the path does not exist.
REFUSED_ANYWHERE: Final = frozenset({403, 404, 405, 414, 429, 431})
_MAX_SHOWN: Final = 300
_found: dict[tuple[str, str], str] = {}


def check_answer(response: httpx.Response, envelope: Any) -> None:
    """Check an answer, a JSON value, against the description and record a mismatch."""
    request = response.request
    why = mismatch(request.method, request.url.path, response.status_code, envelope)
    if why:
        reason = envelope.get("reason", "") if isinstance(envelope, dict) else ""
        _found.setdefault((request.url.path, reason), why)


def check_event(name: str, data: Any) -> None:
    """Check an event of the stream against the description and record a mismatch."""
    why = event_mismatch(name, data)
    if why:
        _found.setdefault(("stream", name), why)


def event_mismatch(name: str, data: Any) -> str:
    """Why this is not a valid event of the stream; empty when it is one."""
    kind = EVENTS.get(name)
    if kind is None:
        return f"the stream sends {name}: describe it in api/realtime/sse.py"
    error = next(_event_validator(kind.__name__).iter_errors(data), None)
    return f"the stream's {name}: {str(error)[:_MAX_SHOWN]}" if error else ""


def mismatch(method: str, path: str, status: int, answer: Any) -> str:
    """Why this is not a valid answer of the operation; empty when it is one."""
    path = normalize_path(path)
    operation = operations().get((method.lower(), path))
    if operation is None:
        refused = status in REFUSED_ANYWHERE
        is_expected = refused or path == "/" or path.startswith(NOT_DESCRIBED)
        return "" if is_expected else f"{method} {path} is in no description"
    if str(status) not in operation["responses"]:
        return f"{method} {path} answers with status {status}, which its description lacks"
    reason = answer.get("reason") if isinstance(answer, dict) else None
    declared = reasons(operation["responses"][str(status)])
    if reason and reason not in declared:
        return f"{path} refuses with {reason}: name it in `refusals` of the call's row"
    error = next(_validator(method.lower(), path, status).iter_errors(answer), None)
    if error:
        return f"{path}: {str(error)[:_MAX_SHOWN]}"
    return _misblamed(operation, path, answer) or _wrong_message(path, answer)


def _misblamed(operation: dict[str, Any], path: str, answer: Any) -> str:
    """Why the blamed field of a refusal is no field of the request; empty when it is one."""
    field = answer.get("field") if isinstance(answer, dict) else None
    if not field or field in {each["name"] for each in operation.get("parameters", ())}:
        return ""
    reason = answer.get("reason")
    taken = _fields(operation)
    return (
        ""
        if field.partition(".")[0] in taken
        else f"{path} blames {field!r} for {reason}: no field of the call"
    )


def _fields(operation: dict[str, Any]) -> set[str]:
    """The field names that the body of the operation may have."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    return set(document()["components"]["schemas"].get(name, schema).get("properties", ()))


def _wrong_message(path: str, answer: Any) -> str:
    """Why a success has another message than its example in all languages; empty if not."""
    example = Example.of(path)
    message = answer.get("msg") if isinstance(answer, dict) and answer.get("code") == 1 else None
    if example is None or not isinstance(message, str):
        return ""
    expected = {texts.success.get(example.success, "") for texts in TRANSLATED.values()}
    return (
        "" if message in expected else f"{path} says {message!r}: name it as its example's success"
    )


def mismatches() -> list[str]:
    """The mismatches recorded so far."""
    return list(_found.values())


def reasons(response: dict[str, Any]) -> list[str]:
    """The refusals that a described response may carry."""
    schema = response["content"].get("application/json", {}).get("schema", {})
    refused = schema.get("oneOf", [schema])[-1]
    parts = refused.get("allOf", [{}])
    found: list[str] = parts[-1].get("properties", {}).get("reason", {}).get("enum", [])
    return found


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The OpenAPI description of all calls."""
    return described()


@lru_cache(maxsize=1)
def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """The described operations by method and path, with resolved response references."""
    paths = document()["paths"].items()
    return {
        (method, path): {**operation, "responses": _resolved(operation["responses"])}
        for path, methods in paths
        for method, operation in methods.items()
    }


def _resolved(responses: dict[str, Any]) -> dict[str, Any]:
    return {status: resolved(document(), response) for status, response in responses.items()}


@cache
def _event_validator(component: str) -> jsonschema_rs.Draft202012Validator:
    schema = {"$ref": f"#/components/schemas/{component}", "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(schema)


@cache
def _validator(method: str, path: str, status: int) -> jsonschema_rs.Draft202012Validator:
    response = operations()[method, path]["responses"][str(status)]
    schema = response["content"]["application/json"]["schema"]
    return jsonschema_rs.Draft202012Validator({**schema, "components": document()["components"]})
