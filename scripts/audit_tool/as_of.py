"""`--at`: a past moment, given as log position or time, and printed with the answer."""

import argparse
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from msgspec import Struct

from scripts.audit_tool import AuditError, facts
from scripts.audit_tool.database import Connection

RequestedMoment = int | date | datetime
"""A position, a day (its end), or a time; a time without a zone is in the operator's zone."""

HELP = (
    "log position (digits) or ISO time, inclusive; a time without a zone is in"
    " --timezone; a day without a time means the end of that day"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1970, 9998  # keeps all zones in the supported range
_MICROSECOND = timedelta(microseconds=1)
_FROM = "SELECT at FROM log.facts WHERE notification_id >= %s ORDER BY notification_id LIMIT 1"


class Moment(Struct, frozen=True):
    """A log position, 0 before the first fact, and the request that it resolves.

    `at` is when the fact at `position` was recorded, in microseconds since 1970; 0 if none.
    """

    position: int
    at: int
    last: int
    requested: int | None

    def describe(self, zone: tzinfo) -> str:
        """Returns `as of …` as text, with times in `zone`."""
        end = ", the log's end" if self.position == self.last else f" of {self.last:,}"
        text = f"position {self.position:,}{end}"
        if self.position:
            text += f", recorded {local(self.at, zone)}"
        if self.requested is None:
            return f"as of {text}"
        return f"as of {local(self.requested, zone)} (inclusive): {text}"

    def as_dict(self, zone: tzinfo) -> dict[str, Any]:
        """Returns the moment as JSON fields."""
        return {
            "position": self.position,
            "log_end": self.last,
            "recorded": local(self.at, zone) if self.position else None,
            "asked": None if self.requested is None else local(self.requested, zone),
        }


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--at`; its default is None."""
    parser.add_argument("--at", type=parse_moment, metavar="TIME|POSITION", help=HELP)


def parse_moment(text: str) -> RequestedMoment:
    """Parse the value of `--at`."""
    if text.isascii() and text.isdigit():
        return int(text)
    for kind in (date, datetime):
        try:
            moment = kind.fromisoformat(text)
        except ValueError:
            continue
        if _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            return moment
    raise argparse.ArgumentTypeError(
        f"{text} is neither a position nor a time such as 2026-11-21T18:30:00"
    )


def resolve(connection: Connection, requested: RequestedMoment | None, zone: tzinfo) -> Moment:
    """Find the moment in the log; without a request, the log's end.

    Raises:
        AuditError: the position is past the log's end.
    """
    last, at = facts.last(connection)
    if requested is None:
        return Moment(last, at, last, None)
    if isinstance(requested, int):
        if requested > last:
            raise AuditError(f"position {requested:,} is past the log's end, {last:,}")
        return Moment(
            requested, _recorded_at(connection, requested) if requested else 0, last, None
        )
    until = microseconds(requested, zone)
    position = _last_until(connection, until, last)
    return Moment(position, _recorded_at(connection, position) if position else 0, last, until)


def microseconds(moment: date | datetime, zone: tzinfo) -> int:
    """Microseconds since 1970 of a time, or of the last microsecond of a day."""
    if not isinstance(moment, datetime):
        midnight = datetime.combine(moment + timedelta(days=1), time(), zone)
        return (midnight - _EPOCH) // _MICROSECOND - 1
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    return (aware - _EPOCH) // _MICROSECOND


def local(at: int, zone: tzinfo) -> str:
    """Microseconds since 1970 as an ISO time with its zone, always with six decimals."""
    moment = (_EPOCH + at * _MICROSECOND).astimezone(zone)
    return moment.isoformat(" ", "microseconds")


def _last_until(connection: Connection, until: int, last: int) -> int:
    """The last position recorded at or before `until`: times never decrease along the log."""
    low, high = 0, last + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _recorded_at(connection, middle) <= until:
            low = middle
        else:
            high = middle
    return low


def _recorded_at(connection: Connection, position: int) -> int:
    row = connection.execute(_FROM, (position,)).fetchone()
    assert row is not None
    return int(row[0])
