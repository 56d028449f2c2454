"""The Litestar application: API calls, event stream, health, metrics and the webapp."""

from collections.abc import Callable
from typing import Any, Final

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ASGIApp

from api.account import auth, credentials, inbox, player_protection, profile
from api.cashier import (
    deposits,
    history,
    payment_webhook,
    payout_accounts,
    withdrawals,
)
from api.content import public_content
from api.game import bets, charts, chat, log_entries, log_tree, lottery, proofs, statistics
from api.http import static_files
from api.http.call_pipeline import BodyDecoder, CallLog, EnvelopeResponse, handle_exception
from api.http.call_request import CallRequest, Endpoint
from api.http.calls import calls_in, endpoint_of_handler, with_hot_calls
from api.http.middleware.request_checks import with_request_checks
from api.http.openapi import routes
from api.http.openapi.components import Schema
from api.http.openapi.document import description
from api.http.staff_auth import StaffAuth
from api.office import (
    books,
    content,
    house_settings,
    integrity,
    payments,
    players,
    queue,
    rounds,
    staff,
)
from api.office import chat as office_chat
from api.ops import health, metrics
from api.realtime import heartbeat, sse
from api.services import Services
from api.setting_types import ServerRole

#: The modules that declare calls, in the order of the API's description.
_MODULES: Final = (
    public_content,
    lottery,
    charts,
    proofs,
    log_entries,
    statistics,
    heartbeat,
    bets,
    chat,
    auth,
    profile,
    credentials,
    payout_accounts,
    withdrawals,
    player_protection,
    history,
    inbox,
    deposits,
    payment_webhook,
    queue,
    payments,
    books,
    rounds,
    house_settings,
    players,
    office_chat,
    integrity,
    staff,
    content,
)
_HANDLERS: Final = calls_in(*_MODULES)
#: What is declared about each call.
CALLS: Final[tuple[Endpoint, ...]] = tuple(map(endpoint_of_handler, _HANDLERS))
_HOT: Final = frozenset({heartbeat.PATH, bets.PLAY_ORDER, bets.PLAY_ORDERS})


def described() -> Schema:
    """Returns the OpenAPI document of everything that is served."""
    extra = (sse.DESCRIBED, *health.DESCRIBED, *log_tree.DESCRIBED)
    return description(CALLS, extra, payment_webhook.SECURITY | sse.SECURITY)


def create_app(services: Services) -> ASGIApp:
    """Returns the application of this role: Litestar with the checks of every request around it."""
    if services.settings.role is ServerRole.ENGINE:
        return _with_checks(_probes(services), services)
    return _with_checks(_whole(services), services)


def _with_checks(application: ASGIApp, services: Services) -> ASGIApp:
    settings = services.settings
    return with_request_checks(
        application,
        services.rate_limiter,
        settings.trusted_proxies,
        services.counters,
        settings.lines,
        settings.support.ws,
    )


def _probes(services: Services) -> ASGIApp:
    """What an engine of its own serves over HTTP."""
    return Litestar(
        [health.alive(), health.ready(services), metrics.route(services)],
        exception_handlers={Exception: handle_exception},
        openapi_config=None,
        logging_config=None,
    )


def _whole(services: Services) -> ASGIApp:
    state = _state(services)
    hot = [each for each in _HANDLERS if endpoint_of_handler(each).path in _HOT]
    calls = Router(
        "/",
        route_handlers=[each for each in _HANDLERS if each not in hot],
        middleware=[CallLog, BodyDecoder],
        response_class=EnvelopeResponse,
    )
    litestar = Litestar(
        [
            calls,
            sse.route(services),
            health.alive(),
            health.ready(services),
            metrics.route(services),
            log_tree.route(services),
            *routes.routes(described()),
            static_files.app(),
            static_files.root,
        ],
        dependencies={
            name: Provide(_provider(service), use_cache=True, sync_to_thread=False)
            for name, service in state["dependencies"].items()
        },
        request_class=CallRequest,
        exception_handlers={Exception: handle_exception},
        state=State(state, deep_copy=False),
        openapi_config=None,
        logging_config=None,
    )
    return with_hot_calls(litestar, hot, state)


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
        "once": services.commands.once,
        "dependencies": {"services": services, **_services_by_name(services)},
    }


def _services_by_name(services: Services) -> dict[str, Any]:
    return {name: getattr(services, name) for name in services.__struct_fields__}
