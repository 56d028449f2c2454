"""The program checks itself: at the start, once a day, and when staff ask (GLI-19 2.3.2).

Every file that runs is hashed again and held against what it was at the start. Each check is a
fact, so that auditors see from the log which program ran when; a difference is an alarm.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from api.commanding import submit
from api.envelope import CallRefused
from api.program import IntegrityResult
from api.services import Services
from engine.house.commands import RecordProgram

AT_START: Final = "start"
DAILY: Final = "daily"
EVERY: Final = timedelta(days=1)
_MAX_NAMED: Final = 20
_log = structlog.get_logger()


async def check(services: Services, by: str) -> IntegrityResult:
    """Check now, sound the alarm if need be, and have it recorded; a standby records nothing."""
    found = await asyncio.to_thread(services.program.check)
    if found.changed:
        _log.error("program changed", digest=found.digest, changed=found.changed, by=by)
    else:
        _log.info("program intact", digest=found.digest, files=found.files, by=by)
    named = found.changed[:_MAX_NAMED]
    command = RecordProgram(found.digest, services.program.engine, found.files, named, by)
    try:
        await submit(services, "house", None, command)
    except CallRefused as refusal:
        _log.warning("check not recorded", refusal=refusal.refused.refusal)
    return found
