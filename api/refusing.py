"""Which refusals a call may be answered with: its row's own, and those that many calls share."""

from typing import Any, Final

from api.calls import Auth, Endpoint, SessionUse
from engine.refusals import Refusal

OFFICE: Final = "/api/office/"
#: Whatever is asked for, the house may be in trouble, or the request no request at all.
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
#: What every command may come back with, whether its key is the client's or ours.
COMMAND_REFUSALS: Final = (Refusal.ENGINE_BUSY, Refusal.OUTCOME_UNKNOWN, Refusal.DEADLINE_PASSED)
#: A token that opens no session.
SESSION_REFUSALS: Final = (Refusal.TOKEN_UNKNOWN, Refusal.TOKEN_REVOKED, Refusal.TOKEN_EXPIRED)
#: A pass that opens nothing, or not this.
STAFF_REFUSALS: Final = (
    Refusal.STAFF_UNKNOWN,
    Refusal.PASS_REVOKED,
    Refusal.PASS_EXPIRED,
    Refusal.ROLE_MISSING,
)
_PRECEDENCE: Final = {refusal: place for place, refusal in enumerate(Refusal)}


def refusals_of(call: Endpoint[Any]) -> tuple[Refusal, ...]:
    """All refusals of a call, in their order of precedence."""
    return tuple(sorted({*shared(call), *call.refusals}, key=_PRECEDENCE.__getitem__))


def shared(call: Endpoint[Any]) -> frozenset[Refusal]:
    """The refusals that follow from the other fields of a call's row."""
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
