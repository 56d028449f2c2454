"""One line of the log for each call that changes something, found by the id in its answer.

Heartbeats and other reads leave none, nor do amounts, secrets, or anything that a person typed.
"""

from contextvars import ContextVar
from typing import Final

import structlog
from msgspec import Struct

from engine.dispatch import Command
from engine.runtime.replies import Reply

_log = structlog.get_logger()


class Line(Struct):
    """What a call led to; `position` is the log's end after its last command."""

    command: str = ""
    actor: str = ""
    position: int = 0


_LINE: Final[ContextVar[Line | None]] = ContextVar("line", default=None)


def begin() -> Line:
    """A line for the call at hand, which its commands fill in."""
    line = Line()
    _LINE.set(line)
    return line


def note(actor: str, command: Command, reply: Reply) -> None:
    """The call at hand has had this command answered."""
    line = _LINE.get()
    if line is not None:
        line.command, line.actor = type(command).__name__, actor
        line.position = reply.position or line.position


def end(line: Line, route: str, player: int, outcome: str, seconds: float) -> None:
    """Write the line."""
    _LINE.set(None)
    _log.info(
        "call",
        route=route,
        player=player or None,
        command=line.command or None,
        actor=line.actor or None,
        outcome=outcome,
        position=line.position or None,
        ms=round(seconds * 1_000, 1),
    )
