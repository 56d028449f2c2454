"""The schemas of what is taken and answered, as they look on the wire."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from api.texts import DEFAULT, TRANSLATED
from engine.refusals import Refusal

Schema = dict[str, Any]
_REF: Final = "#/components/schemas/{name}"
_EXACT: Final = {"type": "string", "format": "decimal"}
_NOTHING: Final[Schema] = {}


class NoSchemaError(TypeError):
    """A type that no schema can be made for; the message names it."""


def schemas_of(types: Sequence[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """A schema for each type, and what they refer to; NoSchemaError if one has none."""
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
    """The component of an answer: what has a default is sent all the same."""
    fields = component.get("properties", {}).items()
    sent = [name for name, schema in fields if "default" in schema]
    return {**component, "required": [*component.get("required", ()), *sent]} if sent else component


def ref(name: str) -> Schema:
    """A reference to a component."""
    return {"$ref": _REF.format(name=name)}


def resolved(document: Schema, response: Schema) -> Schema:
    """A response, or the one among the components that it refers to."""
    if "$ref" not in response:
        return response
    found: Schema = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return found


def _wire(schema: Any) -> Any:
    """The schema as values are encoded: exact numbers are numbers."""
    if isinstance(schema, list):
        return [_wire(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: _wire(each) for name, each in schema.items()}
    if result.items() >= _EXACT.items():
        del result["format"]
        result["type"] = "number"
    if "anyOf" in result:
        # Beside a type, JSON that is encoded already is of that type.
        result["anyOf"] = [each for each in result["anyOf"] if each != _NOTHING]
    return result


def _reasons() -> Schema:
    words = TRANSLATED[DEFAULT].refusals
    listed = "\n".join(f"- `{refusal}`: {words[refusal]}" for refusal in Refusal)
    return {
        "type": "string",
        "enum": [refusal.value for refusal in Refusal],
        "description": f"Why nothing happened. In their order, the first one is given.\n\n{listed}",
    }


def envelope() -> dict[str, Schema]:
    """The components round every answer."""
    text = {"type": "string"}
    return {
        "Reason": _reasons(),
        "Time": {
            "type": "integer",
            "description": "When this was answered: whole seconds since 1970 (UTC)",
            "x-unit": "seconds since 1970",
        },
        "RequestId": {**text, "description": "Names this request in the house's own log."},
        "Refused": {
            "type": "object",
            "description": "A refusal: nothing happened, or with `outcome_unknown` maybe.",
            "required": ["code", "msg", "time", "data", "reason", "request_id"],
            "properties": {
                "code": {
                    "type": "integer",
                    "enum": [0, 50008, 50012, 50014],
                    "description": "0, or of a session that serves no more: 50008 the token is"
                    " missing or unknown, 50012 revoked, 50014 expired",
                },
                "msg": {**text, "description": "The refusal in the caller's language."},
                "time": ref("Time"),
                "data": {"type": "null"},
                "reason": ref("Reason"),
                "field": {**text, "description": "The part of the request that is to blame."},
                "request_id": ref("RequestId"),
            },
        },
    }
