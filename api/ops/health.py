"""The liveness probe /healthz, and the readiness probe /readyz with the reasons."""

from collections.abc import Iterator
from typing import Final, Literal

from litestar import asgi, get
from litestar.handlers import ASGIRouteHandler, HTTPRouteHandler
from litestar.params import FromQuery
from litestar.response import Response
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from api.http.openapi.components import Schema, ref
from api.http.openapi.document import JSON, ExtraPath, undecided
from api.http.transport import send_json
from api.ops.health_probe import ProbeResult
from api.services import Services
from api.setting_types import ServerRole
from engine.catalogue import GAMES
from engine.facts import UnknownTopicError
from engine.refusals import Refusal
from engine.runtime.clock import TOLERANCE_US
from engine.runtime.port import EngineStatus
from engine.schedule import current
from projections.runner.tables import Failure

Role = Literal["leading", "recovering", "standby", "nobody leads", "engine unreachable"]
_ALIVE: Final = b'{"status":"alive"}'
# No probe may return 200 when bets or draws have stood still for 5 s. A second is left for the
# bet before the one that waits, and for the status on its way from the engine.
_DRAW_GRACE_US: Final = 4_000_000
_DRAWS: Final = "draws"
_SECOND_US: Final = 1_000_000
MAX_STORE_DELAY_S: Final = 4.0
_MAX_LAG_MS: Final = 10_000
MAX_SEAL_DELAY_S: Final = 5.0
MAX_COSIGN_DELAY_S: Final = 10.0


class Readiness(Struct, frozen=True):
    """Whether this server accepts bets and draws are on time; otherwise `reasons` says why not.

    A `standby` is not ready, but works as intended: another server accepts the bets. Without an
    engine of its own, a process has the role of the engine that it calls. `warnings` are what
    operators should look at although nothing waits for it.
    """

    ready: bool
    role: Role
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


def alive() -> ASGIRouteHandler:
    """Returns the liveness probe. Benchmarks also compare the cost of the heartbeat with it."""

    @asgi("/healthz", copy_scope=False)
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI gives all three
        await send_json(send, 200, _ALIVE)

    return answer


def ready(services: Services) -> HTTPRouteHandler:
    """Returns the readiness probe: 200 while bets are accepted and draws are on time, else 503.

    A balancer excludes the draws. They also wait while another party's witness is away, and it
    would take the whole house, balances and withdrawals too, from its players for as long.
    """

    @get("/readyz", include_in_schema=False)
    async def answer(exclude: FromQuery[str | None] = None) -> Response[Readiness]:
        result = await services.health_probe()
        engine = services.engine.status()
        role = _role(engine, result)
        late = tuple(_late_draws(services, engine))
        is_excluded = exclude == _DRAWS
        reasons = (
            *((f"exclude: only {_DRAWS}",) if exclude and not is_excluded else ()),
            *_engine(services, engine, role),
            *_rooms(services.fact_notifier.stopped),
            *_projections(result),
            *(() if is_excluded else late),
        )
        warnings = (*(late if is_excluded else ()), *_warnings(services, engine))
        shown = Readiness(not reasons, role, reasons, warnings)
        return Response(shown, status_code=503 if reasons else 200)

    return answer


def _role(engine: EngineStatus, result: ProbeResult) -> Role:
    if engine.ready:
        return "leading"
    if engine.recovering:
        return "recovering"
    if not result.has_leader:
        return "nobody leads"
    return "engine unreachable" if engine.unreachable else "standby"


def _engine(services: Services, engine: EngineStatus, role: Role) -> Iterator[str]:
    if engine.clock_trouble:
        yield f"clock: {engine.clock_trouble}"
    if role != "leading":
        yield f"engine: {role}"
        if engine.unreachable:
            yield f"engine: {engine.unreachable}"
        yield from (f"log: {missing}" for missing in engine.damage)
        if engine.unknown_topics:
            yield f"log: {engine.unknown_topics}"
        return
    stuck = engine.stuck_s
    if stuck > MAX_STORE_DELAY_S:
        yield f"engine: a batch has waited to be stored for {stuck:.0f} s"
    if engine.seal_trouble:
        yield f"log: {engine.seal_trouble}"
    elif engine.unsealed_s > MAX_SEAL_DELAY_S:
        yield f"log: not sealed for {engine.unsealed_s:.0f} s"
    if not any(_is_open(services, game) for game in GAMES):
        yield "engine: no round on sale"


def _late_draws(services: Services, engine: EngineStatus) -> Iterator[str]:
    """Yields the games without a draw since a step of a round was due, more than 4 s ago.

    A round that cannot be drawn may wait for managers to void it while later ones are drawn.
    """
    now = services.clock()
    for game in GAMES:
        draw = services.hub.games[game].draw
        drawn_at = draw.at if draw is not None else 0
        due = [it.due_at for it in engine.rounds if it.game == game and it.due_at > drawn_at]
        late_us = now - min(due, default=now)
        if late_us > _DRAW_GRACE_US:
            yield f"rounds: game {game} has waited {late_us / _SECOND_US:.0f} s for its next step"


def _warnings(services: Services, engine: EngineStatus) -> Iterator[str]:
    """Yields what stops neither bets nor draws: absent cosigners, and clocks that are ignored."""
    if engine.uncosigned_s > MAX_COSIGN_DELAY_S:
        names = ", ".join(engine.uncosigned_by) or "none that is known"
        yield f"log: no quorum of cosignatures for {engine.uncosigned_s:.0f} s, missing: {names}"
    if engine.clock_jump_s:
        yield f"clock: the engine's was set by {engine.clock_jump_s:+.0f} s, which it ignores"
    if abs(engine.witness_clock_s) * _SECOND_US > TOLERANCE_US:
        yield f"clock: the witness's differs by {engine.witness_clock_s:+.0f} s"
    own = services.guard
    if own is None:
        return
    if own.jump_s and services.settings.role is ServerRole.API:
        yield f"clock: it was set by {own.jump_s:+.0f} s, which this server ignores"
    if own.difference and not engine.clock_trouble:
        yield f"clock: {own.difference}"


def _is_open(services: Services, game: int) -> bool:
    """Whether a game's round is on sale or at most 4 s past its draw, or it is between days."""
    now = services.clock()
    if current(services.settings.operator_schedule, game, now) is None:
        return True
    opened = services.hub.games[game].opened
    return opened is not None and now < opened.draws_at + _DRAW_GRACE_US


def _rooms(stopped: Failure | None) -> Iterator[str]:
    if stopped is not None:
        yield f"rooms: stopped at {stopped.position}: {stopped.error}"


def _projections(result: ProbeResult) -> Iterator[str]:
    if result.models is None:
        yield "database: no answer"
        return
    for one in result.models:
        if one.failed:
            # Other errors are for the log: they may name what is not for everyone.
            is_outdated = one.failed.error == str(UnknownTopicError(one.failed.topic))
            why = f": {one.failed.error}" if is_outdated else ""
            yield f"{one.name}: stopped at {one.failed.position}{why}"
        if one.lag_ms > _MAX_LAG_MS:
            yield f"{one.name}: {one.lag_ms} ms behind"


def _alive_description(_: dict[str, Schema]) -> Schema:
    schema = {"type": "object", "properties": {"status": {"const": "alive"}}}
    return {
        "operationId": "healthz",
        "tags": ["health"],
        "summary": "Liveness probe",
        "security": [],
        "responses": {
            "200": {"description": "The process is alive", "content": {JSON: {"schema": schema}}}
        },
    }


def _ready_description(_: dict[str, Schema]) -> Schema:
    content = {JSON: {"schema": ref("Readiness")}}
    return {
        "operationId": "readyz",
        "tags": ["health"],
        "summary": "Readiness probe: whether bets are accepted and draws on time, else the reasons",
        "security": [],
        "parameters": [
            {
                "name": "exclude",
                "in": "query",
                "required": False,
                "description": "`draws`, for a balancer: late draws are a warning, and no reason",
                "schema": {"type": "string", "enum": [_DRAWS]},
            }
        ],
        "responses": {
            "200": {"description": "Bets are accepted, and draws are on time", "content": content},
            "500": undecided(500, (Refusal.INTERNAL_ERROR,)),
            "503": {"description": "Bets or draws stand still", "content": content},
        },
    }


#: Both probes, for the description of the API.
DESCRIBED: Final = (
    ExtraPath("/healthz", _alive_description),
    ExtraPath("/readyz", _ready_description, answers=(Readiness,)),
)
