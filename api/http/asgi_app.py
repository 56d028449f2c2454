"""The Litestar application: API calls, event stream, health, metrics and the webapp."""

from typing import Any, Final

import structlog
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp

from api.account import auth, credentials, inbox, player_protection, profile, session_list
from api.cashier import (
    deposits,
    history,
    payment_webhook,
    payout_accounts,
    statement_csv,
    withdraw_info,
    withdrawals,
)
from api.content import app_config, news
from api.fair import proofs
from api.game import bets, charts, chat, lottery
from api.http import static_files
from api.http.endpoints import Endpoint, route
from api.http.envelope import refused, status_of
from api.http.localization import translations_for
from api.http.middleware.guards import with_guards
from api.http.openapi import routes
from api.http.transport import REQUEST_ID
from api.office import endpoints
from api.ops import health, metrics
from api.realtime import heartbeat, sse
from api.services import Services
from engine.answers import Refused
from engine.refusals import Refusal

CALLS: Final[tuple[Endpoint[Any], ...]] = (
    *app_config.CALLS,
    *news.CALLS,
    *lottery.CALLS,
    *charts.CALLS,
    *proofs.CALLS,
    *heartbeat.CALLS,
    *bets.CALLS,
    *chat.CALLS,
    *auth.CALLS,
    *profile.CALLS,
    *credentials.CALLS,
    *session_list.CALLS,
    *payout_accounts.CALLS,
    *withdraw_info.CALLS,
    *withdrawals.CALLS,
    *player_protection.CALLS,
    *history.CALLS,
    *statement_csv.CALLS,
    *inbox.CALLS,
    *deposits.CALLS,
    *payment_webhook.CALLS,
    *endpoints.CALLS,
)
_NOT_FOUND, _WRONG_METHOD = 404, 405
_log = structlog.get_logger()


def create_app(services: Services) -> ASGIApp:
    """Returns the application: Litestar with the guards around it."""
    litestar = Litestar(
        [
            *(route(call, services) for call in CALLS),
            sse.route(services),
            health.alive(),
            health.ready(services),
            metrics.route(services),
            *routes.routes(CALLS),
            static_files.app(),
            static_files.root,
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
