"""One line of the log for each call of the staff, and for each that changes something.

It is found by the id in the answer. Calls of staff go to `staff.log`. Heartbeats and players'
reads leave none, nor do amounts, secrets, or anything that a member typed.
Bets come by the thousand a second, and a line by way of `logging` costs a good part of a bet's own
time: these are gathered for a moment, and rendered and written together.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from api.transport import REQUEST_ID
from engine.answers import Refused
from engine.dispatch import Command
from engine.runtime.replies import Reply

FLUSH_DELAY_S: Final = 0.1
_OFFICE: Final = "/api/office/"


class RequestLog(Struct):
    """What a call led to; `position` is the log's end after its last accepted command.

    `player` is who signed in by the call, 0 for any other; `about` the member of staff whom it was
    about.
    """

    command: str = ""
    actor: str = ""
    position: int = 0
    player: int = 0
    about: str = ""


class RequestLogLine(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The line as it stands in the log, with the fields that all lines have."""

    event: str
    route: str
    outcome: str
    ms: float
    player: int = 0
    command: str = ""
    actor: str = ""
    about: str = ""
    position: int = 0
    request_id: str
    level: str
    logger: str
    timestamp: datetime


class LogBuffer:
    """Lines that wait to be written by `write`, which is given whole lines."""

    def __init__(self) -> None:
        self._waiting: list[RequestLogLine] = []
        self.write: Callable[[bytes], object] = len  # nowhere, until there is a log

    def add(self, line: RequestLogLine) -> None:
        """Have a line written in a moment."""
        self._waiting.append(line)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(FLUSH_DELAY_S, self.flush)

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.write(_encode_lines(waiting))


_encode_lines: Final = msgspec.json.Encoder().encode_lines
_LINE: Final[ContextVar[RequestLog | None]] = ContextVar("line", default=None)
LOG_BUFFER: Final = LogBuffer()
STAFF_LOG_BUFFER: Final = LogBuffer()


def flush() -> None:
    """Write what waits, of staff and of players."""
    LOG_BUFFER.flush()
    STAFF_LOG_BUFFER.flush()


def begin() -> RequestLog:
    """A line for the call at hand, which its commands fill in."""
    line = RequestLog()
    _LINE.set(line)
    return line


def record_command(actor: str, command: Command, reply: Reply) -> None:
    """The call at hand has had this command answered."""
    line = _LINE.get()
    if line is not None:
        line.command, line.actor = type(command).__name__, actor
        if not isinstance(reply.answer, Refused):
            line.position = reply.position


def record_login(player: int) -> None:
    """The call at hand was made by nobody yet, and now is by this player."""
    line = _LINE.get()
    if line is not None:
        line.player = player


def record_subject(staff: str) -> None:
    """The call at hand is about this member of staff."""
    line = _LINE.get()
    if line is not None:
        line.about = staff


def end(line: RequestLog, route: str, player: int, outcome: str, seconds: float) -> None:
    """Have the line written."""
    _LINE.set(None)
    buffer = STAFF_LOG_BUFFER if route.startswith(_OFFICE) else LOG_BUFFER
    buffer.add(
        RequestLogLine(
            event="call",
            route=route,
            outcome=outcome,
            ms=round(seconds * 1_000, 1),
            player=player or line.player,
            command=line.command,
            actor=line.actor,
            about=line.about,
            position=line.position,
            request_id=REQUEST_ID.get(),
            level="info",
            logger=__name__,
            timestamp=datetime.now(UTC),
        )
    )
