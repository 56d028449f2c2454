"""The integrity check of the code: at the start, once a day, and on request (GLI-19 2.3.2).

It hashes every running file again and compares it with the start. Each check is a fact, so that
auditors see in the log which program ran when. A difference is logged as an error.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from api.http.refusals import CallRefused
from api.ops.integrity import IntegrityResult
from api.services import Services
from engine.house.commands import RecordProgram

AT_START: Final = "start"
DAILY: Final = "daily"
EVERY: Final = timedelta(days=1)
_MAX_NAMED: Final = 20
_log = structlog.get_logger()


async def check(services: Services, by: str) -> IntegrityResult:
    """Check now, log an error if files changed, and record a fact; a standby records none."""
    found = await asyncio.to_thread(services.program.check)
    if found.changed:
        _log.error("program changed", digest=found.digest, changed=found.changed, by=by)
    else:
        _log.info("program intact", digest=found.digest, files=found.files, by=by)
    named = found.changed[:_MAX_NAMED]
    command = RecordProgram(found.digest, services.program.engine, found.files, named, by)
    try:
        await services.commands.submit("house", None, command)
    except CallRefused as refusal:
        _log.warning("check not recorded", refusal=refusal.refused.refusal)
    return found
