"""The background jobs of the leader: integrity check, purge, unfinished erasures.

A failed job is logged and runs again at its next due time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, timedelta
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from api.office import account_changes
from api.ops import integrity_check, purge
from api.services import Services, wait_until

_Job = Callable[[], Awaitable[object]]


async def run(services: Services) -> None:
    """Start the jobs once this server leads, and run them until cancelled."""
    scheduler = AsyncIOScheduler(
        timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
    )
    await wait_until(lambda: services.engine.ready)
    check, delete = partial(integrity_check.check, services), partial(purge.purge, services)
    _add(scheduler, "self-check at the start", partial(check, integrity_check.AT_START))
    _add(scheduler, "self-check", partial(check, integrity_check.DAILY), integrity_check.EVERY)
    _add(scheduler, "purge at the start", delete)
    _add(scheduler, "purge", delete, purge.EVERY)
    erase = partial(account_changes.finish_erasures, services)
    _add(scheduler, "unfinished erasures", erase)
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
