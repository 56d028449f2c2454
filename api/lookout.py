"""Asking the database how the read models stand, and whether anybody leads.

A database that hangs must not take a thread for each who asks: there is one question at a time,
and whoever waits too long for its answer is told that there is none.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import psycopg
import structlog
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from engine.runtime import supervision
from projections.status import ModelStatus

PROBE_TIMEOUT_S: Final = 3.0
_log = structlog.get_logger()


class ProbeResult(Struct, frozen=True):
    """What was seen; `models` is None where the database gave no answer."""

    models: tuple[ModelStatus, ...] | None = None
    has_leader: bool = False


class HealthProbe:
    """Looks with `models` and `led`, which both block and raise when the database is away."""

    def __init__(
        self, models: Callable[[], tuple[ModelStatus, ...]], has_leader: Callable[[], bool]
    ) -> None:
        self._models = models
        self._has_leader = has_leader
        self._probing: asyncio.Task[ProbeResult] | None = None

    async def __call__(self) -> ProbeResult:
        """What there is to be seen now, or nothing after three seconds."""
        if self._probing is None or self._probing.done():
            self._probing = supervision.owned(asyncio.to_thread(self._probe))
        await asyncio.wait({self._probing}, timeout=PROBE_TIMEOUT_S)
        return self._probing.result() if self._probing.done() else ProbeResult()

    def _probe(self) -> ProbeResult:
        try:
            return ProbeResult(self._models(), self._has_leader())
        except (PersistenceError, psycopg.Error) as error:
            _log.warning("database is away", error=str(error))
            return ProbeResult()
