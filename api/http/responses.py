"""Responses: the envelope of a handler's result, and of every refusal and error."""

from typing import Any, Final

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Scope, Send

from api.http import envelope
from api.http.call_request import CallRequest, call_of, endpoint_of, fallback_texts, with_wire_field
from api.http.envelope import CallResult
from api.http.middleware.call_middleware import DATABASE_AWAY, UNAVAILABLE
from api.http.refusals import NO_VALUES, RETRY_AFTER_S, CallRefused, TextValues
from api.http.transport import REQUEST_ID, Headers, send_json, should_gzip
from engine.answers import Refused
from engine.refusals import Refusal

_STATUS_REFUSALS: Final = {404: Refusal.ROUTE_UNKNOWN, 405: Refusal.METHOD_NOT_ALLOWED}
_log = structlog.get_logger()


class EnvelopeResponse(Response[CallResult[Any]]):
    """The response class of all calls: a handler's `CallResult` in its envelope."""

    def to_asgi_response(  # type: ignore[override]  # the library's type names its own class
        self, *, request: Request[Any, Any, Any], **_: Any
    ) -> ASGIApp:
        """Encode the envelope in the language of the request."""
        assert isinstance(request, CallRequest)
        body = envelope.accepted(self.content, request.texts, REQUEST_ID.get())
        return _sending(request.call.headers, 200, body, self.content.cookie, RETRY_AFTER_S)


class RefusalResponse(Response[bytes]):
    """A refusal in its envelope."""

    def __init__(
        self,
        refused: Refused,
        retry_after_s: int = RETRY_AFTER_S,
        values: TextValues = NO_VALUES,
    ) -> None:
        super().__init__(b"")
        self._refused = refused
        self._retry_after_s = retry_after_s
        self._values = values

    def encoded(self, request: Request[Any, Any, Any]) -> tuple[int, bytes, str, int]:
        """Returns status, envelope, cookie and Retry-After, and sets the call's outcome.

        The text is in the language of the request, so far as it is known.
        """
        scope = request.scope
        call = call_of(scope)
        refused = with_wire_field(endpoint_of(scope), self._refused)
        call.outcome = refused.refusal
        texts = call.texts or fallback_texts(scope, call)
        body = envelope.refused(refused, texts, REQUEST_ID.get(), self._values)
        return envelope.status_of(refused.refusal), body, "", self._retry_after_s

    def to_asgi_response(  # type: ignore[override]  # the library's type names its own class
        self, *, request: Request[Any, Any, Any], **_: Any
    ) -> ASGIApp:
        """Encode the envelope."""
        return _sending(call_of(request.scope).headers, *self.encoded(request))


def _sending(
    headers: Headers, status: int, body: bytes, cookie: str, retry_after_s: int
) -> ASGIApp:
    async def respond(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        compress = should_gzip(body, headers)
        await send_json(send, status, body, cookie, retry_after_s, compress=compress)

    return respond


def refusal_response(request: Request[Any, Any, Any], error: Exception) -> RefusalResponse:
    """The exception handler of the whole API: the caller gets an answer after any error."""
    if isinstance(error, CallRefused):
        return RefusalResponse(error.refused, error.retry_after_s, error.text_values)
    if isinstance(error, DATABASE_AWAY):
        _log.warning("database is away", path=request.scope["path"], error=str(error))
    if isinstance(error, UNAVAILABLE):
        return RefusalResponse(Refused(Refusal.UNAVAILABLE))
    if isinstance(error, HTTPException) and error.status_code in _STATUS_REFUSALS:
        return RefusalResponse(Refused(_STATUS_REFUSALS[error.status_code]))
    _log.error("call failed", path=request.scope["path"], exc_info=error)
    return RefusalResponse(Refused(Refusal.INTERNAL_ERROR))
