"""/healthz: the process lives. /readyz: bets are taken, or the reasons why not."""

import asyncio
from typing import Final

import psycopg
from eventsourcing.persistence import PersistenceError
from litestar import asgi, get
from litestar.handlers import ASGIRouteHandler, HTTPRouteHandler
from litestar.response import Response
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from api.services import Services
from api.transport import send_json
from engine.catalogue import GAMES
from engine.schedule import current

_ALIVE: Final = b'{"status":"alive"}'
_SEALED_ON_US: Final = 5_000_000
_MOST_LAG_MS: Final = 10_000


class Readiness(Struct, frozen=True):
    """Whether bets are taken; `reasons` names what is missing."""

    ready: bool
    reasons: tuple[str, ...]


def alive() -> ASGIRouteHandler:
    """Also what the heartbeat's cost is measured against."""

    @asgi("/healthz", copy_scope=False)
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI gives all three
        await send_json(send, 200, _ALIVE)

    return answer


def ready(services: Services) -> HTTPRouteHandler:
    """200 once bets are taken, else 503."""

    @get("/readyz", include_in_schema=False)
    async def answer() -> Response[Readiness]:
        reasons = (*_engine(services), *await asyncio.to_thread(_projections, services))
        status = 503 if reasons else 200
        return Response(Readiness(not reasons, reasons), status_code=status)

    return answer


def _engine(services: Services) -> tuple[str, ...]:
    if not services.engine.ready:
        return ("engine: not leading",)
    if any(_sells(services, game) for game in GAMES):
        return ()
    return ("engine: no round on sale",)


def _sells(services: Services, game: int) -> bool:
    """Whether a game sells, is sealed with the next round to come, or is between two days."""
    now = services.clock()
    if current(services.settings.operator_schedule, game, now) is None:
        return True
    opened = services.hub.games[game].opened
    return opened is not None and now < opened.draws_at + _SEALED_ON_US


def _projections(services: Services) -> tuple[str, ...]:
    try:
        found = services.models()
    except (PersistenceError, psycopg.Error) as error:
        return (f"database: {error}",)
    failed = (f"{one.name}: stopped at {one.failed.position}" for one in found if one.failed)
    late = (f"{one.name}: {one.lag_ms} ms behind" for one in found if one.lag_ms > _MOST_LAG_MS)
    return (*failed, *late)
