"""Everything that is served, on Litestar: the calls, the stream, health, the webapp."""

from typing import Any, Final

import structlog
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp

from api import (
    bets,
    charts,
    chat,
    deposits,
    gateway,
    health,
    heart,
    history,
    home,
    inbox,
    lottery,
    metrics,
    news,
    office,
    payouts,
    profile,
    proofs,
    protection,
    security,
    sessions,
    statements,
    static,
    stream,
    users,
    withdraw_info,
    withdrawals,
)
from api.calls import Endpoint, route
from api.envelope import refused, status_of
from api.front.front import with_guards
from api.openapi import serving
from api.services import Services
from api.texts import translations_for
from api.transport import REQUEST_ID
from engine.answers import Refused
from engine.refusals import Refusal

CALLS: Final[tuple[Endpoint[Any], ...]] = (
    *home.CALLS,
    *news.CALLS,
    *lottery.CALLS,
    *charts.CALLS,
    *proofs.CALLS,
    *heart.CALLS,
    *bets.CALLS,
    *chat.CALLS,
    *users.CALLS,
    *profile.CALLS,
    *security.CALLS,
    *sessions.CALLS,
    *payouts.CALLS,
    *withdraw_info.CALLS,
    *withdrawals.CALLS,
    *protection.CALLS,
    *history.CALLS,
    *statements.CALLS,
    *inbox.CALLS,
    *deposits.CALLS,
    *gateway.CALLS,
    *office.CALLS,
)
_NOT_FOUND, _WRONG_METHOD = 404, 405
_log = structlog.get_logger()


def create_app(services: Services) -> ASGIApp:
    """The whole application."""
    litestar = Litestar(
        [
            *(route(call, services) for call in CALLS),
            stream.route(services),
            health.alive(),
            health.ready(services),
            metrics.route(services),
            *serving.routes(CALLS),
            static.app(),
            static.root,
        ],
        exception_handlers={HTTPException: _http_error, Exception: _server_error},
        openapi_config=None,
        logging_config=None,
    )
    settings = services.settings
    return with_guards(
        litestar,
        services.rate_limiter,
        settings.trusted_proxies,
        services.counters,
        settings.lines,
        settings.support.ws,
    )


def _http_error(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    if error.status_code == _NOT_FOUND:
        return _refused(Refusal.ROUTE_UNKNOWN)
    if error.status_code == _WRONG_METHOD:
        return _refused(Refusal.METHOD_NOT_ALLOWED)
    return _server_error(_, error)


def _server_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    _log.error("request failed", path=request.url.path, exc_info=error)
    return _refused(Refusal.INTERNAL_ERROR)


def _refused(refusal: Refusal) -> Response[bytes]:
    body = refused(Refused(refusal), translations_for(None), REQUEST_ID.get())
    return Response(body, status_code=status_of(refusal), media_type="application/json")
