"""The jobs that a leading house runs: the check of its program, the purge, unfinished erasures.

A job that fails is logged, and runs again when it is due next.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, timedelta
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from api import office_changes, purge, self_check
from api.services import Services, wait_until

_Job = Callable[[], Awaitable[object]]


async def run(services: Services) -> None:
    """Run them once this house leads, until cancelled."""
    scheduler = AsyncIOScheduler(
        timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
    )
    await wait_until(lambda: services.engine.ready)
    check, delete = partial(self_check.check, services), partial(purge.purge, services)
    _add(scheduler, "self-check at the start", partial(check, self_check.AT_START))
    _add(scheduler, "self-check", partial(check, self_check.DAILY), self_check.EVERY)
    _add(scheduler, "purge at the start", delete)
    _add(scheduler, "purge", delete, purge.EVERY)
    erase = partial(office_changes.finish_erasures, services)
    _add(scheduler, "unfinished erasures", erase)
    scheduler.start()
    try:
        await asyncio.Event().wait()
    finally:
        scheduler.shutdown(wait=False)


def _add(scheduler: AsyncIOScheduler, name: str, job: _Job, every: timedelta | None = None) -> None:
    """Run the job in every such interval, or once when the scheduler starts."""
    trigger = IntervalTrigger(seconds=every.total_seconds()) if every else None
    scheduler.add_job(_until_stopped, trigger, (job,), name=name)


async def _until_stopped(job: _Job) -> None:
    # The scheduler cancels what runs when the house stops, and would log that as an error.
    with suppress(asyncio.CancelledError):
        await job()
