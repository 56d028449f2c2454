"""The complete OpenAPI document, with the schemas that msgspec derives from the types.

Litestar's own document has no fields such as `x-unit`, and no response that is either an accepted
or a refused envelope.
"""

from collections.abc import Sequence
from typing import Final

from api.http.call_request import Endpoint
from api.http.openapi.components import Schema, always_sent, envelope, schemas_of
from api.http.openapi.operations import ExtraPath, operation, shared_responses
from api.settings import VERSION

#: The tags of the operations, by the first part of the path.
AREAS: Final = {
    "index": "Public content, which needs no login",
    "lottery": "Games, rounds, bets, draws",
    "user": "The player's account: session, identity, money, history, protection",
    "gateway": "Messages from the payment gateway",
    "office": "Staff calls, recorded under the name of the acting person",
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
