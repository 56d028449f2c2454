"""Whether what is answered over HTTP or sent on the stream is what the OpenAPI description says.

Every answer of the whole suite is held against it; `mismatches` says at the end what was not.
"""

from functools import cache, lru_cache
from typing import Any, Final

import httpx
import jsonschema_rs

from api.front.front import normalize_path
from api.openapi.beside import EVENTS
from api.openapi.components import resolved
from api.openapi.document import description
from api.openapi.examples import Example
from api.texts import TRANSLATED
from api.web import CALLS

#: What is served for people or for browsers alone.
NOT_DESCRIBED: Final = ("/schema", "/vip")
#: Before anybody looks which address is asked for, and because there is no such one.
REFUSED_ANYWHERE: Final = frozenset({403, 404, 405, 414, 429, 431})
_MAX_SHOWN: Final = 300
_found: dict[tuple[str, str], str] = {}


def check_answer(response: httpx.Response, envelope: Any) -> None:
    """Hold an answer, a JSON value, against the description."""
    request = response.request
    why = mismatch(request.method, request.url.path, response.status_code, envelope)
    if why:
        reason = envelope.get("reason", "") if isinstance(envelope, dict) else ""
        _found.setdefault((request.url.path, reason), why)


def check_event(name: str, data: Any) -> None:
    """Hold an event of the stream against the description."""
    why = event_mismatch(name, data)
    if why:
        _found.setdefault(("stream", name), why)


def event_mismatch(name: str, data: Any) -> str:
    """Why this is no event of the stream; empty when it is one."""
    kind = EVENTS.get(name)
    if kind is None:
        return f"the stream sends {name}: describe it in api/openapi/beside.py"
    error = next(_event_validator(kind.__name__).iter_errors(data), None)
    return f"the stream's {name}: {str(error)[:_MAX_SHOWN]}" if error else ""


def mismatch(method: str, path: str, status: int, answer: Any) -> str:
    """Why this is no answer of the operation; empty when it is one."""
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
    """Why a refusal blames what its caller has not sent, under a name of ours."""
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
    """What the body of the operation may hold."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    return set(document()["components"]["schemas"].get(name, schema).get("properties", ()))


def _wrong_message(path: str, answer: Any) -> str:
    """Why a success says something else than its example, in whatever language."""
    example = Example.of(path)
    message = answer.get("msg") if isinstance(answer, dict) and answer.get("code") == 1 else None
    if example is None or not isinstance(message, str):
        return ""
    expected = {texts.success.get(example.success, "") for texts in TRANSLATED.values()}
    return (
        "" if message in expected else f"{path} says {message!r}: name it as its example's success"
    )


def mismatches() -> list[str]:
    """What has been answered, so far, that no description says."""
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
    """The description of all calls."""
    return description(CALLS)


@lru_cache(maxsize=1)
def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """The described operations by method and path, references to responses followed."""
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
