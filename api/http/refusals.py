"""A refused call: its exception, the request field at fault, and the refusals of many calls.

`envelope.py` has the code and the HTTP status of each refusal, `call_pipeline.py` sends the answer.
"""

from collections.abc import Collection
from typing import Final, TypedDict

from engine.answers import Refused
from engine.refusals import Refusal

RETRY_AFTER_S: Final = 1
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
_RETRYABLE_STATUSES: Final = frozenset({429, 503})
#: The possible wire names of a command's field; the first one among the request's fields is used.
_WIRE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "game": ("game_id",),
    "plan": ("plan_id",),
    "kind": ("play_type",),
    "bet": ("orderNo",),
    "stake_minor": ("money",),
    "amount_minor": ("amount", "money"),
    "method": ("type",),
    "until": ("hours", "days"),
    "deposit": ("order", "id"),
    "withdrawal": ("id",),
    "adjustment": ("id",),
    "gift": ("id",),
    "booking": ("id",),
    "proposal": ("id",),
    "commitment": ("words",),
    "reason_commitment": ("reason",),
    "reference_commitment": ("reference",),
    "digest": ("texts",),
}
_HEADERS: Final = frozenset({"Idempotency-Key", "gateway-timestamp"})


class TextValues(TypedDict, total=False):
    """Values for the placeholders in the texts of refusals; see `Translations.refusal`."""

    least: int
    earlier: str
    ended: tuple[str, str, str]


NO_VALUES: Final = TextValues()


class CallRefused(Exception):  # noqa: N818 - a response, not an error
    """Ends a handler with a refusal; `field` is the request field that caused it.

    `text_values` replace the default values in the refusal's text. A client may retry after
    `retry_after_s` seconds if the status allows it.
    """

    def __init__(
        self, refusal: Refusal, field: str = "", *, retry_after_s: int = RETRY_AFTER_S
    ) -> None:
        super().__init__(refusal)
        self.retry_after_s = retry_after_s
        self.refused = Refused(refusal, field)
        self.text_values: TextValues = {}


def is_worth_retrying(status: int) -> bool:
    """Whether a response with this status has a Retry-After header."""
    return status in _RETRYABLE_STATUSES


def wire_field(field: str, request_fields: Collection[str]) -> str:
    """Returns the request field, or the header, that caused the refusal; empty if there is none."""
    if field in _HEADERS or field.partition(".")[0] in request_fields:
        return field
    names = _WIRE_NAMES.get(field, (field.removesuffix("_minor"), f"{field.removesuffix('_us')}_s"))
    return next((name for name in names if name in request_fields), "")
