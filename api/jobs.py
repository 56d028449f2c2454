"""The jobs that a leading house runs by the clock: the check of its program, and the purge.

A job that fails is logged, and runs again when it is due next.
"""

import asyncio
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from api import purge, self_check
from api.services import Services, until


async def run(services: Services) -> None:
    """Run them once this house leads, until cancelled."""
    scheduler = AsyncIOScheduler(
        timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
    )
    await until(lambda: services.engine.ready)
    self_check.schedule(scheduler, services)
    purge.schedule(scheduler, services)
    scheduler.start()
    try:
        await asyncio.Event().wait()
    finally:
        scheduler.shutdown(wait=False)
