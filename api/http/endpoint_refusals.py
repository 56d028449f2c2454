"""The documented refusals of an endpoint: its own, and those that follow from its other fields."""

from typing import Final

from api.http.call_request import Auth, Endpoint, SessionUse
from engine.refusals import Refusal

OFFICE: Final = "/api/office/"
#: For every request: the server may be unavailable, or the request invalid.
ALWAYS: Final = (
    Refusal.UNAVAILABLE,
    Refusal.INTERNAL_ERROR,
    Refusal.RATE_LIMITED,
    Refusal.CROSS_SITE,
    Refusal.URL_TOO_LONG,
    Refusal.HEADERS_TOO_LARGE,
    Refusal.BODY_TOO_LARGE,
    Refusal.BODY_TOO_SLOW,
    Refusal.REQUEST_MALFORMED,
    Refusal.METHOD_NOT_ALLOWED,
)
#: For every command, with a key from the client or from the server.
COMMAND_REFUSALS: Final = (Refusal.ENGINE_BUSY, Refusal.OUTCOME_UNKNOWN, Refusal.DEADLINE_PASSED)
#: For a token without a valid session.
SESSION_REFUSALS: Final = (Refusal.TOKEN_UNKNOWN, Refusal.TOKEN_REVOKED, Refusal.TOKEN_EXPIRED)
#: For a pass that is invalid, or whose roles do not allow the call.
STAFF_REFUSALS: Final = (
    Refusal.STAFF_UNKNOWN,
    Refusal.PASS_REVOKED,
    Refusal.PASS_EXPIRED,
    Refusal.ROLE_MISSING,
)
_PRECEDENCE: Final = {refusal: place for place, refusal in enumerate(Refusal)}


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
