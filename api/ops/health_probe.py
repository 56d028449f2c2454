"""The database probe: the status of the read models, and whether a server leads.

A hanging database must not block one thread per caller. Callers share one query at a time, and a
caller that waits longer than `PROBE_TIMEOUT_S` gets an empty result.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import psycopg
import structlog
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from engine.runtime import supervision
from projections.runner.tables import ModelStatus

PROBE_TIMEOUT_S: Final = 3.0
_log = structlog.get_logger()


class ProbeResult(Struct, frozen=True):
    """The result of a probe; `models` is None if the database did not answer."""

    models: tuple[ModelStatus, ...] | None = None
    has_leader: bool = False


class HealthProbe:
    """Queries `models` and `has_leader`, which block, and raise if the database is unreachable."""

    def __init__(
        self, models: Callable[[], tuple[ModelStatus, ...]], has_leader: Callable[[], bool]
    ) -> None:
        self._models = models
        self._has_leader = has_leader
        self._probing: asyncio.Task[ProbeResult] | None = None

    async def __call__(self) -> ProbeResult:
        """Returns the current result, or an empty one after 3 s."""
        probing = self._probing
        if probing is None or probing.done():
            self._probing = probing = supervision.owned(asyncio.to_thread(self._probe))
        # Another caller may have begun the next query before this one continues.
        await asyncio.wait({probing}, timeout=PROBE_TIMEOUT_S)
        return probing.result() if probing.done() else ProbeResult()

    def _probe(self) -> ProbeResult:
        try:
            return ProbeResult(self._models(), self._has_leader())
        except (PersistenceError, psycopg.Error) as error:
            _log.warning("database is away", error=str(error))
            return ProbeResult()
