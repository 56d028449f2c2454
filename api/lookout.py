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

ANSWERS_WITHIN_S: Final = 3.0
_log = structlog.get_logger()


class Sight(Struct, frozen=True):
    """What was seen; `models` is None where the database gave no answer."""

    models: tuple[ModelStatus, ...] | None = None
    led: bool = False


class Lookout:
    """Looks with `models` and `led`, which both block and raise when the database is away."""

    def __init__(
        self, models: Callable[[], tuple[ModelStatus, ...]], led: Callable[[], bool]
    ) -> None:
        self._models = models
        self._led = led
        self._looking: asyncio.Task[Sight] | None = None

    async def __call__(self) -> Sight:
        """What there is to be seen now, or nothing after three seconds."""
        if self._looking is None or self._looking.done():
            self._looking = supervision.owned(asyncio.to_thread(self._look))
        await asyncio.wait({self._looking}, timeout=ANSWERS_WITHIN_S)
        return self._looking.result() if self._looking.done() else Sight()

    def _look(self) -> Sight:
        try:
            return Sight(self._models(), self._led())
        except (PersistenceError, psycopg.Error) as error:
            _log.warning("database is away", error=str(error))
            return Sight()
