"""Staff check whether the server's files are unchanged since its start: /api/office/program."""

from msgspec import Struct

from api.http.call_request import Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At, Count
from api.http.wire import seconds
from api.ops.integrity_check import check
from api.services import Services
from engine.staff import roles


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
    monitor = services.program
    shown = ProgramView(
        not found.changed,
        found.digest,
        monitor.started,
        monitor.engine,
        found.files,
        found.changed,
        seconds(found.at),
    )
    return CallResult(shown)
