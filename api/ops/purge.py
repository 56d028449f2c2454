"""Deletes expired rows every hour, by the rules of `engine.runtime.log.retention`.

Only the leader does this. It deletes in slices with pauses, on a connection that no commit uses, so
that bets are not delayed.
"""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Final

import psycopg
import structlog

from api.http.db_pool import Pool
from api.services import Services
from engine.runtime.log.retention import SLICE, RetentionRule, rules

EVERY: Final = timedelta(hours=1)
_PAUSE_S: Final = 0.05
_log = structlog.get_logger()


async def purge(services: Services) -> Counter[str]:
    """Delete all expired rows while this server leads. Returns the number of rows of each kind."""
    purged: Counter[str] = Counter()
    try:
        for rule in rules(services.settings.answers_kept_days):
            await _apply(services, rule, purged)
    except psycopg.OperationalError as error:
        _log.warning("purge broken off", error=str(error))
    if purged.total():
        services.engine.evict_outcomes()
        services.counters.rows_purged(purged)
        _log.info("purged", **purged)
    return purged


async def _apply(services: Services, rule: RetentionRule, purged: Counter[str]) -> None:
    while services.engine.ready:
        rows = await asyncio.to_thread(_slice, services.pool, rule, services.clock())
        purged[rule.name] += rows
        if rows < SLICE:
            return
        await asyncio.sleep(_PAUSE_S)


def _slice(pool: Pool, rule: RetentionRule, now: int) -> int:
    with pool.connection() as connection:
        return rule.purge(connection, now)
