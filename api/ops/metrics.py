"""GET /metrics: counters and gauges in the Prometheus format.

Clients on this machine may read it directly. A local proxy's requests are excluded by their
forwarding headers, and those of a page elsewhere (DNS rebinding) by the Host header. All other
clients need the token; without it, or if none is set, they get 404.
"""

import asyncio
import hmac
import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from api.http import envelope
from api.http.localization import translations_for
from api.http.transport import REQUEST_ID, Headers, headers_of, method_of, send_json
from api.ops.health_probe import ProbeResult
from api.ops.logs import LOGS
from api.services import Services
from engine.answers import Refused
from engine.catalogue import GAMES
from engine.money import MINOR_PER_UNIT
from engine.refusals import Refusal
from engine.runtime import supervision
from engine.runtime.writer.observer import UnfinishedRound, delays

PATH: Final = "/metrics"
_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
_HOST: Final = re.compile(r"(\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]]+))(:[0-9]+)?")
_PROXY_HEADERS: Final = (b"forwarded", b"x-forwarded-for", b"x-real-ip")


def route(services: Services) -> ASGIRouteHandler:
    """Returns the route of the metrics; clients without access get 404."""

    @asgi(PATH, copy_scope=False)
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI gives all three
        settings = services.settings
        if method_of(scope) != "GET" or not _may_read(scope, settings.metrics_token, settings.host):
            refused = Refused(Refusal.ROUTE_UNKNOWN)
            body = envelope.refused(refused, translations_for(None), REQUEST_ID.get())
            await send_json(send, envelope.status_of(refused.refusal), body)
            return
        metrics = [*_upkeep(), *_gauges(services, await services.health_probe())]
        body = await asyncio.to_thread(_encoded, services.counters.registry, metrics)
        headers = [(b"content-type", _TYPE)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return answer


def _may_read(scope: Scope, token: str, host: str) -> bool:
    headers = headers_of(scope)
    if token and hmac.compare_digest(_bearer(headers), token.encode()):
        return True
    is_direct = not any(name in headers for name in _PROXY_HEADERS)
    return is_direct and _is_local_client(scope) and _names_own_host(headers, host)


def _names_own_host(headers: Headers, host: str) -> bool:
    """Whether the Host header names this machine, or the `host` that the server listens on.

    A page elsewhere can resolve its own name to this machine (DNS rebinding) and let a browser
    here send requests. The Host header then has the name of that page.
    """
    named = _HOST.fullmatch(headers.get(b"host", b"").decode("latin-1"))
    if named is None:
        return False
    name = (named["v6"] or named["name"]).lower().removesuffix(".")
    return name in {"localhost", host.lower()} or _is_loopback(name)


def _bearer(headers: Headers) -> bytes:
    kind, _, token = headers.get(b"authorization", b"").partition(b" ")
    return token if kind.lower() == b"bearer" else b""


def _is_local_client(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and _is_loopback(client[0])


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


class _CollectedMetrics(Collector):
    """The collector that a registry reads; its metrics were collected before."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        return self._metrics


def _encoded(counters: CollectorRegistry, metrics: list[Metric]) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_CollectedMetrics(metrics))
    ProcessCollector(registry=registry)
    return generate_latest(counters) + generate_latest(registry)


def _upkeep() -> Iterator[Metric]:
    """Yields metrics of maintenance: restarted parts and unwritten log lines."""
    restarts = CounterMetricFamily(
        "fairdraw_restarts", "Threads and tasks that failed and were restarted.", labels=["part"]
    )
    for part, rule in supervision.PARTS.items():
        if rule is supervision.RestartPolicy.RESTART:
            restarts.add_metric([part], supervision.RESTARTS[part])
    yield restarts
    lost = CounterMetricFamily(
        "fairdraw_log_lines_lost", "Lines that could not be written.", labels=["log"]
    )
    waiting = GaugeMetricFamily(
        "fairdraw_log_waiting_bytes", "Lines that are not written yet.", labels=["log"]
    )
    for writer in LOGS.writers:
        lost.add_metric([writer.name], writer.lost)
        waiting.add_metric([writer.name], writer.waiting_bytes)
    yield lost
    yield waiting


def _gauges(services: Services, result: ProbeResult) -> Iterator[Metric]:
    engine, clock = services.engine.status(), services.guard
    for name, help_text, value in (
        ("leading", "1 where this process takes commands, 0 on standby.", engine.ready),
        ("queue_commands", "Commands that wait to be decided.", engine.queued),
        (
            "batch_stuck_seconds",
            "For how long the oldest batch has waited for the log.",
            engine.stuck_s,
        ),
        (
            "log_unsealed_seconds",
            "For how long the log's tree has lacked facts.",
            engine.unsealed_s,
        ),
        (
            "log_seal_trouble",
            "1 while the log does not continue its sealed tree.",
            bool(engine.seal_trouble),
        ),
        (
            "log_uncosigned_seconds",
            "For how long the newest checkpoint has lacked the quorum of cosignatures.",
            engine.uncosigned_s,
        ),
        (
            "clock_jump_seconds",
            "Jump of the machine's clock that this process ignores.",
            clock.jump_s if clock else 0.0,
        ),
        (
            "clock_wrong",
            "1 while the clock differs from the database's, or does not allow an engine to lead.",
            bool(engine.clock_trouble or (clock and clock.difference)),
        ),
        (
            "witness_clock_ahead_seconds",
            "By how much the clock of the witness's machine is ahead of the engine's.",
            engine.witness_clock_s,
        ),
        ("stream_clients", "Open event streams.", services.hub.subscribers.number),
        (
            "program_intact",
            "1 while the files are unchanged since the start.",
            services.program.intact,
        ),
        ("program_checked_timestamp_seconds", "The last check.", services.program.last.at / 1e6),
        ("database_up", "1 where the database answered just now.", result.models is not None),
    ):
        yield GaugeMetricFamily(f"fairdraw_{name}", help_text, value=float(value))
    yield from _models(result)
    yield from _rounds(engine.rounds, services.clock())


def _models(result: ProbeResult) -> Iterator[Metric]:
    for name, help_text, value_of in (
        ("lag_facts", "Facts that a read model has not applied.", lambda it: it.lag_facts),
        ("lag_seconds", "Age of the oldest of them.", lambda it: it.lag_ms / 1_000),
        ("failed", "1 where a read model stopped.", lambda it: it.failed is not None),
    ):
        family = GaugeMetricFamily(f"fairdraw_projection_{name}", help_text, labels=["model"])
        for model in result.models or ():
            family.add_metric([model.name], float(value_of(model)))
        yield family


def _rounds(rounds: tuple[UnfinishedRound, ...], now: int) -> Iterator[Metric]:
    """Yields metrics of the rounds that are not settled yet, by game."""
    worst = GaugeMetricFamily(
        "fairdraw_exposure_units",
        "Worst gross payout of an unfinished round, in u.",
        labels=["game"],
    )
    overdue = GaugeMetricFamily(
        "fairdraw_round_overdue_seconds", "Delay of the oldest pending step.", labels=["game"]
    )
    late_us = delays(rounds, now)
    for game in GAMES:
        of_game = [each for each in rounds if each.game == game]
        exposed = max((each.worst_minor for each in of_game), default=0)
        worst.add_metric([str(game)], exposed / MINOR_PER_UNIT)
        overdue.add_metric([str(game)], late_us[game] / 1_000_000)
    yield worst
    yield overdue
    cap = max((each.cap_minor for each in rounds), default=0)
    help_text = "Limit on the worst gross payout of a round, in u."
    yield GaugeMetricFamily("fairdraw_exposure_cap_units", help_text, value=cap / MINOR_PER_UNIT)
