"""The response envelope, and the table from refusals to codes and HTTP statuses.

HTTP 200 carries every decision, refusals included. Other statuses carry none: the server is too
busy, the request too large, the path unknown. With one of them, `OUTCOME_UNKNOWN`, the command may
still have been decided; a repeat with the same key learns its outcome.
"""

import time
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from api.http.localization import Translations
from api.http.refusals import NO_VALUES, TextValues
from api.http.wire import encode
from engine.answers import Refused
from engine.refusals import Refusal

SUCCESS: Final = 1
REFUSED: Final = 0

_CODES: Final = {
    Refusal.TOKEN_UNKNOWN: 50008,
    Refusal.TOKEN_REVOKED: 50012,
    Refusal.TOKEN_EXPIRED: 50014,
}
_STATUSES: Final = {
    Refusal.ENGINE_BUSY: 503,
    Refusal.UNAVAILABLE: 503,
    Refusal.OUTCOME_UNKNOWN: 503,
    Refusal.DEADLINE_PASSED: 503,
    Refusal.RATE_LIMITED: 429,
    Refusal.INTERNAL_ERROR: 500,
    Refusal.BODY_TOO_LARGE: 413,
    Refusal.BODY_TOO_SLOW: 408,
    Refusal.URL_TOO_LONG: 414,
    Refusal.HEADERS_TOO_LARGE: 431,
    Refusal.CROSS_SITE: 403,
    Refusal.ROUTE_UNKNOWN: 404,
    Refusal.METHOD_NOT_ALLOWED: 405,
}


class Envelope(Struct, frozen=True, gc=False):
    """The envelope of every response; a list also has `more` and `cursor`."""

    code: int
    msg: Any
    time: int
    data: Any
    reason: str | UnsetType = UNSET
    field: str | UnsetType = UNSET
    more: bool | UnsetType = UNSET
    cursor: str | UnsetType | None = UNSET
    request_id: str | UnsetType = UNSET


DataT = TypeVar("DataT")


class CallResult(Struct, Generic[DataT], frozen=True, gc=False):
    """The result of a handler. `success` is the key of a text; `message` replaces that text.

    `data` may be encoded already. A list has `more`, and if it is true a `cursor` that continues
    it. `cookie` is a Set-Cookie header. Caches may keep a public result for `fresh_s`.
    """

    data: DataT | msgspec.Raw
    success: str = ""
    message: Any = None
    more: bool | UnsetType = UNSET
    cursor: str | UnsetType | None = UNSET
    cookie: str = ""
    fresh_s: int = 0


def accepted(result: CallResult[Any], texts: Translations, request_id: str) -> bytes:
    """Returns the encoded envelope of a success."""
    message = result.message
    if message is None:
        message = texts.success[result.success] if result.success else ""
    now = int(time.time())
    return encode(
        Envelope(
            SUCCESS,
            message,
            now,
            result.data,
            more=result.more,
            cursor=result.cursor,
            request_id=request_id,
        )
    )


def refused(
    answer: Refused, texts: Translations, request_id: str, values: TextValues = NO_VALUES
) -> bytes:
    """Returns the encoded envelope of a refusal: its name, its text and the field at fault."""
    return encode(
        Envelope(
            _CODES.get(answer.refusal, REFUSED),
            texts.refusal(answer.refusal, **values),
            int(time.time()),
            None,
            reason=answer.refusal,
            field=answer.field or UNSET,
            request_id=request_id,
        )
    )


def status_of(refusal: Refusal) -> int:
    """Returns the HTTP status of a refusal."""
    return _STATUSES.get(refusal, 200)
