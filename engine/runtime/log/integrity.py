"""Checks of the log on which an engine leads: no fact is missing, and each can be read.

Positions run from 1 without a gap, and so do the versions of each stream. Batches and snapshots
refer to facts that exist. A log that breaks one of these rules was truncated or partly restored. A
complete backup of an earlier moment passes: its facts, batches and snapshots are consistent.

A fact can be read unless a newer program added its topic. An engine that led on such a log would
decide without what that fact changed.
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from psycopg import Cursor
from psycopg.rows import DictRow

from engine.facts import TYPES
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.pg_arrays import texts

INSPECTED_AT_ONCE: Final = 10_000
"""How many facts a part has: few milliseconds, which delay no player, however long the log is."""
_MAX_LISTED: Final = 10
_ONE_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_END: Final = "SELECT coalesce(max(notification_id), 0) AS last FROM log.facts"
_GAPS: Final = (
    "SELECT before + 1 AS first, position - 1 AS last FROM ("
    "SELECT notification_id AS position,"
    " lag(notification_id, 1, %(after)s) OVER (ORDER BY notification_id) AS before"
    " FROM log.facts WHERE notification_id > %(after)s) AS facts"
    " WHERE position > before + 1 ORDER BY first"
)
_COUNTED: Final = (
    "SELECT count(*) AS facts FROM log.facts"
    " WHERE notification_id > %(after)s AND notification_id <= %(until)s"
)
_LOST_BATCHES: Final = (
    "SELECT encode(batch, 'hex') AS batch, last_position FROM log.batches"
    " WHERE last_position > %s ORDER BY last_position, at"
)
# After position 0 the query reads all facts, using only the primary key's index.
_INCOMPLETE: Final = (
    "SELECT stream FROM ("
    "SELECT originator_id AS stream, count(*) AS facts,"
    " min(originator_version) AS first, max(originator_version) AS last"
    " FROM log.facts {since} GROUP BY originator_id) AS streams"
    " WHERE facts <> last - first + 1 OR (first <> 1 AND NOT EXISTS ("
    "SELECT FROM log.facts WHERE originator_id = stream AND originator_version = first - 1))"
    " ORDER BY stream"
)
_ALL_INCOMPLETE: Final = _INCOMPLETE.format(since="")
_NEWLY_INCOMPLETE: Final = _INCOMPLETE.format(since="WHERE notification_id > %(after)s")
# Some facts in the order of the primary key, of whose index nothing else is read.
_FOLLOWING: Final = (
    "SELECT stream, version, bool_and(version = before + 1) OVER () AS complete FROM ("
    "SELECT stream, version, coalesce("
    "lag(version) OVER (PARTITION BY stream ORDER BY version),"
    " CASE stream WHEN %(stream)s THEN %(version)s ELSE 0 END) AS before FROM ("
    "SELECT originator_id AS stream, originator_version AS version FROM log.facts"
    " WHERE (originator_id, originator_version) > (%(stream)s, %(version)s)"
    " ORDER BY originator_id, originator_version LIMIT %(limit)s) AS facts) AS facts"
    " ORDER BY stream DESC, version DESC LIMIT 1"
)
_VERSION_GAPS: Final = (
    "SELECT before + 1 AS first, version - 1 AS last FROM ("
    "SELECT originator_version AS version,"
    " lag(originator_version, 1, 0::bigint) OVER (ORDER BY originator_version) AS before"
    " FROM log.facts WHERE originator_id = %s) AS facts"
    " WHERE version > before + 1 ORDER BY first"
)
# A snapshot of a stream without facts is not listed: it is itself damaged, and is not used.
_SNAPSHOTS_AHEAD: Final = (
    "SELECT stream, kept.version, facts.version AS reached FROM log.snapshots AS kept"
    " CROSS JOIN LATERAL (SELECT originator_version AS version FROM log.facts"
    " WHERE originator_id = stream ORDER BY originator_version DESC LIMIT 1) AS facts"
    " WHERE kept.version > facts.version ORDER BY stream"
)
_UNKNOWN_TOPICS: Final = (
    "SELECT topic, first_position AS first FROM log.topics WHERE topic <> ALL(%s)"
    " ORDER BY first_position, topic"
)


class Inspection(Struct, frozen=True):
    """The position of the log's last fact, and descriptions of what is missing up to there."""

    last: int
    damage: tuple[str, ...]


class LogShortenedError(RuntimeError):
    """The log ends before a position that this process has read, so its state is not in the log."""


def inspect(log: FactLog, after: int = 0, reached: int = 0) -> Inspection:
    """Inspect the facts after position `after`, and everything that refers to facts; blocks.

    Raises LogShortenedError if the log is complete and ends before position `reached`.
    """
    with log.datastore.transaction() as cursor:
        cursor.execute(_ONE_SNAPSHOT)
        end = int(_rows(cursor, _END)[0]["last"])
        damage = tuple(_damage(cursor, after if after <= end else 0, end))
    if end < reached and not damage:
        raise LogShortenedError(
            f"the log ends at position {end}, and this process has read it up to {reached}:"
            " restart the server to continue from the log as it is now"
        )
    return Inspection(end, damage)


def inspected_parts(log: FactLog, until: int) -> Iterator[bool]:
    """Inspect the facts up to position `until`, `INSPECTED_AT_ONCE` at a time; each step blocks.

    Yields whether a part is complete: first by position, then by stream. `inspect` names what is
    missing.
    """
    for after in range(0, until, INSPECTED_AT_ONCE):
        with log.datastore.transaction() as cursor:
            has_all = _has_all_positions(cursor, after, min(after + INSPECTED_AT_ONCE, until))
        yield has_all
    last = {"stream": "", "version": 0}
    while True:
        with log.datastore.transaction() as cursor:
            rows = _rows(cursor, _FOLLOWING, {**last, "limit": INSPECTED_AT_ONCE})
        if not rows:
            return
        last = {"stream": rows[0]["stream"], "version": rows[0]["version"]}
        yield rows[0]["complete"]


def unknown_topics(log: FactLog) -> str:
    """Describes the topics in the log that this program does not know, and what to do; blocks.

    Empty if it knows all of them. The log itself is not read: its writer lists them.
    """
    with log.datastore.transaction() as cursor:
        found = _rows(cursor, _UNKNOWN_TOPICS, (texts(list(TYPES)),))
    if not found:
        return ""
    named = _listed([f"{row['topic']} (from position {row['first']})" for row in found], "topics")
    return f"this version does not know {', '.join(named)}: start the newer version that wrote it"


def _damage(cursor: Cursor[DictRow], after: int, end: int) -> Iterator[str]:
    yield from _missing_positions(cursor, after, end)
    yield from _missing_tail(cursor, end)
    yield from _missing_versions(cursor, after)
    ahead = _rows(cursor, _SNAPSHOTS_AHEAD)
    yield from _listed(
        [
            f"the snapshot of {row['stream']} is of version {row['version']},"
            f" and the stream ends at version {row['reached']}"
            for row in ahead
        ],
        "snapshots ahead of their streams",
    )


def _has_all_positions(cursor: Cursor[DictRow], after: int, until: int) -> bool:
    (found,) = _rows(cursor, _COUNTED, {"after": after, "until": until})
    return bool(found["facts"] == until - after)


def _missing_positions(cursor: Cursor[DictRow], after: int, end: int) -> Iterator[str]:
    if not _has_all_positions(cursor, after, end):
        gaps = _rows(cursor, _GAPS, {"after": after})
        yield from _listed([f"{_span('position', gap)} missing" for gap in gaps], "gaps")


def _missing_tail(cursor: Cursor[DictRow], end: int) -> Iterator[str]:
    lost = _rows(cursor, _LOST_BATCHES, (end,))
    if lost:
        named = ", ".join(row["batch"] for row in lost[:_MAX_LISTED])
        more = ", ..." if len(lost) > _MAX_LISTED else ""
        yield (
            f"the log ends at position {end}, and {len(lost)} batches up to position"
            f" {lost[-1]['last_position']} were stored: {named}{more}"
        )


def _missing_versions(cursor: Cursor[DictRow], after: int) -> Iterator[str]:
    statement = _NEWLY_INCOMPLETE if after else _ALL_INCOMPLETE
    streams = [row["stream"] for row in _rows(cursor, statement, {"after": after})]
    messages = []
    for stream in streams[:_MAX_LISTED]:
        gaps = _rows(cursor, _VERSION_GAPS, (stream,))
        spans = ", ".join(_numbers(gap) for gap in gaps[:_MAX_LISTED])
        messages.append(f"stream {stream} lacks version {spans}")
    yield from messages
    if len(streams) > _MAX_LISTED:
        yield f"{len(streams) - _MAX_LISTED} more streams lack versions"


def _listed(messages: list[str], what: str) -> list[str]:
    more = len(messages) - _MAX_LISTED
    return messages[:_MAX_LISTED] + ([f"{more} more {what}"] if more > 0 else [])


def _span(what: str, gap: DictRow) -> str:
    one = gap["first"] == gap["last"]
    return f"{what} {gap['first']} is" if one else f"{what}s {_numbers(gap)} are"


def _numbers(gap: DictRow) -> str:
    one = gap["first"] == gap["last"]
    return str(gap["first"]) if one else f"{gap['first']} to {gap['last']}"


def _rows(cursor: Cursor[DictRow], statement: str, parameters: Any = None) -> list[DictRow]:
    return cursor.execute(statement.encode(), parameters).fetchall()
