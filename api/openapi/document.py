"""The whole description."""

import inspect
from collections.abc import Sequence
from typing import Any, Final

from api import gateway
from api.calls import Endpoint
from api.openapi import beside
from api.openapi.components import Schema, always_sent, envelope, schemas_of
from api.openapi.operations import operation, shared_responses
from api.settings import VERSION
from api.stream import COOKIE, StreamRequest

#: The parts of the house, as operations are grouped.
AREAS: Final = {
    "index": "What is shown before anybody signs in",
    "lottery": "Games, rounds, bets, draws",
    "user": "The member's account: session, identity, money, history, protection",
    "gateway": "The payment gateway's own messages",
    "office": "The staff's side, recorded in the name of who acts",
    "health": "For those who run the house",
}
_ABOUT: Final = """Each answer is an envelope. With HTTP status 200 it carries what the house
decided: `code` 1 with `data`, or `code` 0 with the `reason` of a refusal, in whose case nothing
happened. The codes 50008, 50012 and 50014 say that the session serves no more: sign in again.
Other statuses say that nothing was decided; 429 and 503 come with `Retry-After`. Addresses that
are not listed here answer 404 with the reason `route_unknown`.

Money is a JSON number in u with at most two decimals; send it as such, or as text. Each number's
schema names its unit under `x-unit`. Days are calendar days of the operator's time zone. Lists
are newest first, at most 1,000 long; `more` and `cursor` beside the data say how they continue.

A body may be JSON or form-encoded, up to 64 kB; fields that a call does not know, such as `host`,
are ignored. `lang` chooses the language of all texts. A call with the header `background` was made
without its user: it leaves an idle session idle. Balances carry a version: of two, the one
with the higher version counts.

The names of fields are those of the specification that this house keeps to. Where it leaves open
what a call answers or how the house decides, the descriptions here say what was chosen."""


def description(calls: Sequence[Endpoint[Any]]) -> Schema:
    """The document; NoSchemaError for a call whose body or answer no schema can be made for."""
    bodies = [call.request_type for call in calls]
    answers = [call.response_type for call in calls]
    messages = [call.message for call in calls]
    schemas, components = schemas_of([*bodies, *answers, *messages, *beside.TYPES])
    taken = schemas_of([*bodies, StreamRequest])[1].keys()
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
        "paths": {**paths, **beside.paths(components)},
        "components": {
            "schemas": {**components, **envelope()},
            "responses": shared_responses(),
            "securitySchemes": _SCHEMES,
        },
    }


_SCHEMES: Final[Schema] = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "token",
        "description": "A session's token, from signing in.",
    },
    "office": {
        "type": "apiKey",
        "in": "header",
        "name": "office",
        "description": "The pass of somebody of the staff, with a role that the call names.",
    },
    "gateway": {
        "type": "apiKey",
        "in": "header",
        "name": gateway.SIGNATURE_HEADER.decode(),
        "description": inspect.getdoc(gateway),
    },
    "stream": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "Left by signing in, for the event stream alone; scripts cannot read it.",
    },
}
