"""The audit log: one line for each staff call, and for each call that changes something.

The response's id identifies the line. Staff calls go to `staff.log`. Heartbeats and players' reads
are not logged, nor are amounts, secrets, or anything that a player typed.
Thousands of bets arrive per second, and a line through `logging` costs a good part of a bet's own
time. So lines are buffered for 0.1 s, and rendered and written together.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from api.http.transport import REQUEST_ID
from engine.answers import Refused
from engine.command_handler import Command
from engine.runtime.writer.reply import Reply

FLUSH_DELAY_S: Final = 0.1
_OFFICE: Final = "/api/office/"


class RequestLog(Struct):
    """The result of a call; `position` is the log's end after its last accepted command.

    `player` is the player who logged in with the call, 0 for other calls. `about` is the staff
    member whom the call concerns.
    """

    command: str = ""
    actor: str = ""
    position: int = 0
    player: int = 0
    about: str = ""


class RequestLogLine(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A line as it is written, with the fields that all log lines have."""

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
    """Lines waiting for `write`, which receives whole lines."""

    def __init__(self) -> None:
        self._waiting: list[RequestLogLine] = []
        self.write: Callable[[bytes], object] = len  # discards the lines until logging is set up

    def add(self, line: RequestLogLine) -> None:
        """Buffer a line for at most 0.1 s."""
        self._waiting.append(line)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(FLUSH_DELAY_S, self.flush)

    def flush(self) -> None:
        """Write the buffered lines."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.write(_encode_lines(waiting))


_encode_lines: Final = msgspec.json.Encoder().encode_lines
_LINE: Final[ContextVar[RequestLog | None]] = ContextVar("line", default=None)
LOG_BUFFER: Final = LogBuffer()
STAFF_LOG_BUFFER: Final = LogBuffer()


def flush() -> None:
    """Write the buffered lines of both logs."""
    LOG_BUFFER.flush()
    STAFF_LOG_BUFFER.flush()


def begin() -> RequestLog:
    """Start the current call's line, which its commands complete. Returns it."""
    line = RequestLog()
    _LINE.set(line)
    return line


def record_command(actor: str, command: Command, reply: Reply) -> None:
    """Record a command of the current call and its reply."""
    line = _LINE.get()
    if line is not None:
        line.command, line.actor = type(command).__name__, actor
        if not isinstance(reply.answer, Refused):
            line.position = reply.position


def record_login(player: int) -> None:
    """Record that the current call, which began without a session, logged this player in."""
    line = _LINE.get()
    if line is not None:
        line.player = player


def record_subject(staff: str) -> None:
    """Record the staff member whom the current call concerns."""
    line = _LINE.get()
    if line is not None:
        line.about = staff


def end(line: RequestLog, route: str, player: int, outcome: str, seconds: float) -> None:
    """Complete the line and buffer it."""
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
