"""The leader's background jobs: integrity check, purge, what a stopped process left unfinished.

A failed job is logged and runs again at its next due time.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, timedelta
from functools import partial
from typing import Final

import psycopg
import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from api.http.db_pool import Pool
from api.office import integrity, players
from api.services import Services, wait_until
from engine.runtime.log.retention import SLICE, RetentionRule, rules

_Job = Callable[[], Awaitable[object]]
EVERY: Final = timedelta(hours=1)
_PURGE_PAUSE_S: Final = 0.05
_log = structlog.get_logger()


async def run(services: Services) -> None:
    """Start the jobs once this server leads, and run them until cancelled."""
    scheduler = AsyncIOScheduler(
        timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
    )
    await wait_until(lambda: services.engine.ready)
    check = partial(integrity.check, services)
    _add(scheduler, "self-check at the start", partial(check, integrity.AT_START))
    _add(scheduler, "self-check", partial(check, integrity.DAILY), integrity.EVERY)
    hourly: dict[str, _Job] = {
        "purge": partial(purge, services),
        "unfinished erasures": partial(players.finish_erasures, services),
        "unfinished exclusions": services.players.record_shared_exclusions,
    }
    for name, job in hourly.items():
        _add(scheduler, f"{name} at the start", job)
        _add(scheduler, name, job, EVERY)
    scheduler.start()
    try:
        await asyncio.Event().wait()
    finally:
        scheduler.shutdown(wait=False)


def _add(scheduler: AsyncIOScheduler, name: str, job: _Job, every: timedelta | None = None) -> None:
    """Run the job once per interval, or without one only when the scheduler starts."""
    trigger = IntervalTrigger(seconds=every.total_seconds()) if every else None
    scheduler.add_job(_until_stopped, trigger, (job,), name=name)


async def _until_stopped(job: _Job) -> None:
    # The scheduler cancels running jobs at shutdown, and would log that as an error.
    with suppress(asyncio.CancelledError):
        await job()


async def purge(services: Services) -> Counter[str]:
    """Delete all expired rows while this server leads. Returns the number of rows of each kind.

    The rules are those of `engine/runtime/log/retention.py`. Rows are deleted in slices with
    pauses, on a connection that no commit uses, so that bets are not delayed.
    """
    purged: Counter[str] = Counter()
    try:
        for rule in rules(services.settings.answers_kept_days):
            await _apply_rule(services, rule, purged)
    except psycopg.OperationalError as error:
        _log.warning("purge broken off", error=str(error))
    if purged.total():
        await services.engine.evict_outcomes()
        services.counters.rows_purged(purged)
        _log.info("purged", **purged)
    return purged


async def _apply_rule(services: Services, rule: RetentionRule, purged: Counter[str]) -> None:
    while services.engine.ready:
        rows = await asyncio.to_thread(_purge_slice, services.pool, rule, services.clock())
        purged[rule.name] += rows
        if rows < SLICE:
            return
        await asyncio.sleep(_PURGE_PAUSE_S)


def _purge_slice(pool: Pool, rule: RetentionRule, now: int) -> int:
    with pool.connection() as connection:
        return rule.purge(connection, now)
