"""The schemas of requests and responses, in their wire form."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from api.http.localization import TRANSLATED
from api.messages import DEFAULT
from engine.refusals import Refusal

Schema = dict[str, Any]
_REF: Final = "#/components/schemas/{name}"
_EXACT: Final = {"type": "string", "format": "decimal"}
_NOTHING: Final[Schema] = {}


class NoSchemaError(TypeError):
    """No schema can be made for a type; the message names it."""


def schemas_of(types: Sequence[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """Returns each type's schema and the components. Raises NoSchemaError if a type has none."""
    for kind in types:
        try:
            msgspec.json.schema(kind)
        except TypeError as error:
            raise NoSchemaError(f"{kind!r} has no schema: {error}") from error
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    return [_wire(each) for each in schemas], {
        name: _wire(each) for name, each in components.items()
    }


def always_sent(component: Schema) -> Schema:
    """Returns the component of a response: fields with a default are always sent, so required."""
    fields = component.get("properties", {}).items()
    sent = [name for name, schema in fields if "default" in schema]
    return {**component, "required": [*component.get("required", ()), *sent]} if sent else component


def ref(name: str) -> Schema:
    """Returns a reference to a component."""
    return {"$ref": _REF.format(name=name)}


def resolved(document: Schema, response: Schema) -> Schema:
    """Returns the response, or the component that it refers to."""
    if "$ref" not in response:
        return response
    found: Schema = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return found


def _wire(schema: Any) -> Any:
    """Returns the schema of the encoded values: exact decimals are sent as numbers."""
    if isinstance(schema, list):
        return [_wire(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: _wire(each) for name, each in schema.items()}
    if result.items() >= _EXACT.items():
        del result["format"]
        result["type"] = "number"
    if "anyOf" in result:
        # In a union with a type, encoded JSON (msgspec.Raw) is of that type.
        result["anyOf"] = [each for each in result["anyOf"] if each != _NOTHING]
        if len(result["anyOf"]) == 1:
            result |= result.pop("anyOf")[0]
    return result


def _reasons() -> Schema:
    words = TRANSLATED[DEFAULT].refusals
    listed = "\n".join(f"- `{refusal}`: {words[refusal]}" for refusal in Refusal)
    return {
        "type": "string",
        "enum": [refusal.value for refusal in Refusal],
        "description": "Why the request was refused. If several apply, the first in this order is"
        f" returned.\n\n{listed}",
    }


def envelope() -> dict[str, Schema]:
    """Returns the components of the response envelope."""
    text = {"type": "string"}
    return {
        "Reason": _reasons(),
        "Time": {
            "type": "integer",
            "description": "Time of the response: whole seconds since 1970 (UTC)",
            "x-unit": "seconds since 1970",
        },
        "RequestId": {**text, "description": "Identifies this request in the server's log."},
        "Refused": {
            "type": "object",
            "description": "A refusal: nothing was changed, unless it is `outcome_unknown`.",
            "required": ["code", "msg", "time", "data", "reason", "request_id"],
            "properties": {
                "code": {
                    "type": "integer",
                    "enum": [0, 50008, 50012, 50014],
                    "description": "0, or for an invalid session: 50008 the token is missing or"
                    " unknown, 50012 revoked, 50014 expired",
                },
                "msg": {**text, "description": "The refusal in the caller's language."},
                "time": ref("Time"),
                "data": {"type": "null"},
                "reason": ref("Reason"),
                "field": {**text, "description": "The request field that caused the refusal."},
                "request_id": ref("RequestId"),
            },
        },
    }
