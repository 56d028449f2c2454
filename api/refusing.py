"""Which refusals a call may be answered with: its row's own, and those that many calls share."""

from typing import Any, Final

from api.calls import Auth, Call, Use
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
COMMANDING: Final = (Refusal.ENGINE_BUSY, Refusal.OUTCOME_UNKNOWN, Refusal.DEADLINE_PASSED)
#: A token that opens no session.
UNRECOGNISED: Final = (Refusal.TOKEN_UNKNOWN, Refusal.TOKEN_REVOKED, Refusal.TOKEN_EXPIRED)
#: A pass that opens nothing, or not this.
UNADMITTED: Final = (
    Refusal.STAFF_UNKNOWN,
    Refusal.PASS_REVOKED,
    Refusal.PASS_EXPIRED,
    Refusal.ROLE_MISSING,
)
_PLACE: Final = {refusal: place for place, refusal in enumerate(Refusal)}


def may_refuse(call: Call[Any]) -> tuple[Refusal, ...]:
    """All refusals of a call, in their order of precedence."""
    return tuple(sorted({*shared(call), *call.refusals}, key=_PLACE.__getitem__))


def shared(call: Call[Any]) -> frozenset[Refusal]:
    """The refusals that follow from the other fields of a call's row."""
    found = {*ALWAYS}
    if call.auth in {Auth.ANYBODY, Auth.PLAYER}:
        found.update(UNRECOGNISED)
    if call.use is Use.MONEY:
        found.add(Refusal.STEP_UP_NEEDED)
    if call.keyed:
        found.update((*COMMANDING, Refusal.KEY_MALFORMED, Refusal.KEY_REUSED))
    if call.roles:
        found.update(UNADMITTED)
    return frozenset(found)
