"""The integrity check of the code: at the start, once a day, and on request (GLI-19 2.3.2).

It hashes every running file again and compares it with the start. Each check is a fact, so that
auditors see in the log which program ran when. A difference is logged as an error. Staff request a
check with /api/office/program.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog
from msgspec import Struct

from api.http.call_request import Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At, Count
from api.http.refusals import CallRefused
from api.http.wire import seconds
from api.services import Services
from engine.house.commands import RecordProgram
from engine.runtime.code_manifest import IntegrityResult
from engine.staff import roles

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


class ProgramView(Struct, frozen=True):
    """The result of the check at `at`, in seconds since 1970; digests are SHA-256 in hex.

    `digest` covers all `files` now, `started` all files at the start of the server, `engine` the
    engine's code, whose hash a day's opening records. `changed` names the files that differ.
    """

    intact: bool
    digest: str
    started: str
    engine: str
    files: Count
    changed: tuple[str, ...]
    at: At


@call(
    "/api/office/program",
    "Check the program's files (staff)",
    changes=True,
    auth=Auth.STAFF,
    roles=roles.PROGRAM,
)
async def show(request: CallRequest, services: Services) -> CallResult[ProgramView]:
    """Hash every file again, record the result as a fact, and return it."""
    found = await check(services, request.staff)
    shown = ProgramView(
        not found.changed,
        found.digest,
        services.program.started,
        services.program.engine,
        found.files,
        found.changed,
        seconds(found.at),
    )
    return CallResult(shown)
