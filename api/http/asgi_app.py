"""The Litestar application: API calls, event stream, health, metrics and the webapp."""

from collections.abc import Callable
from typing import Any, Final

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
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
from api.http.call_pipeline import BodyDecoder, CallLog, EnvelopeResponse, refusal_response
from api.http.call_request import CallRequest, Endpoint
from api.http.calls import calls_in, endpoint_of_handler
from api.http.hot_calls import on_bare_asgi
from api.http.middleware.request_checks import with_request_checks
from api.http.openapi import routes
from api.http.openapi.components import Schema
from api.http.openapi.document import description
from api.http.staff_auth import StaffAuth
from api.office import (
    account_changes,
    books,
    content,
    house_settings,
    identities,
    integrity,
    payments,
    queue,
    rounds,
    security_codes,
    staff,
)
from api.office import chat as office_chat
from api.ops import health, metrics
from api.realtime import heartbeat, sse
from api.services import Services

#: The modules that declare calls, in the order of the API's description.
_MODULES: Final = (
    app_config,
    news,
    lottery,
    charts,
    proofs,
    heartbeat,
    bets,
    chat,
    auth,
    profile,
    credentials,
    session_list,
    payout_accounts,
    withdraw_info,
    withdrawals,
    player_protection,
    history,
    statement_csv,
    inbox,
    deposits,
    payment_webhook,
    queue,
    payments,
    books,
    rounds,
    house_settings,
    security_codes,
    account_changes,
    identities,
    office_chat,
    integrity,
    staff,
    content,
)
_HANDLERS: Final = calls_in(*_MODULES)
#: What is declared about each call.
CALLS: Final[tuple[Endpoint, ...]] = tuple(map(endpoint_of_handler, _HANDLERS))
_HOT: Final = frozenset({heartbeat.PATH, bets.PLAY_ORDER})


def described() -> Schema:
    """Returns the OpenAPI document of everything that is served."""
    return description(
        CALLS, (sse.DESCRIBED, *health.DESCRIBED), payment_webhook.SECURITY | sse.SECURITY
    )


def create_app(services: Services) -> ASGIApp:
    """Returns the application: Litestar with the checks of every request around it."""
    state = _state(services)
    calls = Router(
        "/",
        route_handlers=[each for each in _HANDLERS if endpoint_of_handler(each).path not in _HOT],
        middleware=[CallLog, BodyDecoder],
        response_class=EnvelopeResponse,
    )
    litestar = Litestar(
        [
            calls,
            *(
                on_bare_asgi(each, state)
                for each in _HANDLERS
                if endpoint_of_handler(each).path in _HOT
            ),
            sse.route(services),
            health.alive(),
            health.ready(services),
            metrics.route(services),
            *routes.routes(described()),
            static_files.app(),
            static_files.root,
        ],
        dependencies={
            name: Provide(_provider(service), use_cache=True, sync_to_thread=False)
            for name, service in state["dependencies"].items()
        },
        request_class=CallRequest,
        exception_handlers={Exception: refusal_response},
        state=State(state, deep_copy=False),
        openapi_config=None,
        logging_config=None,
    )
    settings = services.settings
    return with_request_checks(
        litestar,
        services.rate_limiter,
        settings.trusted_proxies,
        services.counters,
        settings.lines,
        settings.support.ws,
    )


def _provider(service: Any) -> Callable[[], Any]:
    def provide() -> Any:
        return service

    return provide


def _state(services: Services) -> dict[str, Any]:
    """What guards need, and the services that handlers name."""
    staff_auth = StaffAuth(
        services.office_secret,
        services.engine.house,
        services.clock,
        lambda: services.settings.demo,
    )
    return {
        "counters": services.counters,
        "sessions": services.sessions,
        "staff_auth": staff_auth,
        "dependencies": {"services": services, "hub": services.hub},
    }
