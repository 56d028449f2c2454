"""Checks that no fact is missing from the log, before an engine leads on it and while it leads.

Positions run from 1 without a gap, and so do the versions of each stream. Batches and snapshots
refer to facts that exist. A log that breaks one of these rules was truncated or partly restored. A
complete backup of an earlier moment passes: its facts, batches and snapshots are consistent.

A start must not take longer on a longer log. It inspects only the facts after the position in
log.inspected. A log that ends before that position, or whose table was created by a restore,
is inspected as a whole. The leader inspects the whole log again in the background, in slices.
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from psycopg import Cursor
from psycopg.rows import DictRow

from engine.runtime.log.fact_log import FactLog

_MAX_LISTED: Final = 10
_ONE_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_POSITIONS: Final = (
    "SELECT count(*) AS facts FROM log.facts"
    " WHERE notification_id > %(after)s AND notification_id <= %(until)s"
)
_END: Final = "SELECT coalesce(max(notification_id), 0) AS last FROM log.facts"
# The position after the last one closes a gap at the end.
_GAPS: Final = (
    "SELECT before + 1 AS first, position - 1 AS last FROM ("
    "SELECT position, lag(position, 1, %(after)s) OVER (ORDER BY position) AS before FROM ("
    "SELECT notification_id AS position FROM log.facts"
    " WHERE notification_id > %(after)s AND notification_id <= %(until)s"
    " UNION ALL SELECT %(until)s + 1) AS positions) AS facts"
    " WHERE position > before + 1 ORDER BY first"
)
# A batch is never older than an earlier one, so that the newest has the highest position.
_IS_TAIL_LOST: Final = (
    "SELECT EXISTS (SELECT FROM log.batches"
    " WHERE at = (SELECT max(at) FROM log.batches) AND last_position > %s) AS lost"
)
_LOST_BATCHES: Final = (
    "SELECT encode(batch, 'hex') AS batch, last_position FROM log.batches"
    " WHERE last_position > %s ORDER BY last_position, at"
)
# Without a condition the query reads all facts, using only the primary key's index.
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
_SOME_INCOMPLETE: Final = _INCOMPLETE.format(
    since="WHERE notification_id > %(after)s AND notification_id <= %(until)s"
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
# The log's table in this cluster. A restored dump is another table, possibly in another cluster; a
# restored copy of the cluster's files is the same, and PostgreSQL vouches for its rows.
_TABLE: Final = (
    "(SELECT system_identifier FROM pg_control_system()) || '/' || 'log.facts'::regclass::oid"
)
_INSPECTED: Final = f"SELECT position FROM log.inspected WHERE facts = {_TABLE} AND position <= %s"
_SAVE: Final = (
    f"INSERT INTO log.inspected (facts, position) VALUES ({_TABLE}, %s)"
    " ON CONFLICT (single) DO UPDATE SET facts = excluded.facts, position = excluded.position"
)
SLICE: Final = 50_000
"""The most facts that one call of `inspect_slice` inspects."""


class Inspection(Struct, frozen=True):
    """The position of the last inspected fact, and descriptions of what is missing up to there."""

    last: int
    damage: tuple[str, ...]


class LogShortenedError(RuntimeError):
    """The log ends before a position that this process has read, so its state is not in the log."""


def inspect(log: FactLog, read: int = 0, *, whole: bool = False) -> Inspection:
    """Inspect the facts after the last inspected position, up to the log's end; blocks.

    If nothing is missing, the end is the next inspection's start. With `whole`, or if that position
    is not of this log, inspect everything, and the snapshots too.

    Raises LogShortenedError if the log ends before `read`, which this process has read, and is
    otherwise complete.
    """
    with log.datastore.transaction() as cursor:
        cursor.execute(_ONE_SNAPSHOT)
        end = _end(cursor)
        after = 0 if whole or end < read else _inspected(cursor, end)
        damage = tuple(_damage(cursor, after, end))
    if damage:
        return Inspection(end, damage)
    if end < read:
        raise LogShortenedError(
            f"the log ends at position {end}, and this process has read it up to {read}:"
            " restart the server to continue from the log as it is now"
        )
    if end > after:
        with log.datastore.transaction(commit=True) as cursor:
            cursor.execute(_SAVE, (end,))
    return Inspection(end, ())


def inspect_slice(log: FactLog, after: int) -> Inspection:
    """Inspect at most `SLICE` facts after position `after`; blocks.

    At the log's end, where there are none, inspect the snapshots instead.
    """
    with log.datastore.transaction() as cursor:
        cursor.execute(_ONE_SNAPSHOT)
        until = min(_end(cursor), after + SLICE)
        if until <= after:
            return Inspection(after, tuple(_snapshots_ahead(cursor)))
        positions = tuple(_missing_positions(cursor, after, until))
        return Inspection(until, (*positions, *_missing_versions(cursor, after, until)))


def _end(cursor: Cursor[DictRow]) -> int:
    return int(_rows(cursor, _END)[0]["last"])


def _inspected(cursor: Cursor[DictRow], end: int) -> int:
    found = _rows(cursor, _INSPECTED, (end,))
    return int(found[0]["position"]) if found else 0


def _damage(cursor: Cursor[DictRow], after: int, end: int) -> Iterator[str]:
    yield from _missing_positions(cursor, after, end)
    yield from _missing_tail(cursor, end)
    yield from _missing_versions(cursor, after, end)
    if not after:
        yield from _snapshots_ahead(cursor)


def _snapshots_ahead(cursor: Cursor[DictRow]) -> list[str]:
    return _listed(
        [
            f"the snapshot of {row['stream']} is of version {row['version']},"
            f" and the stream ends at version {row['reached']}"
            for row in _rows(cursor, _SNAPSHOTS_AHEAD)
        ],
        "snapshots ahead of their streams",
    )


def _missing_positions(cursor: Cursor[DictRow], after: int, until: int) -> Iterator[str]:
    some = {"after": after, "until": until}
    if _rows(cursor, _POSITIONS, some)[0]["facts"] != until - after:
        gaps = _rows(cursor, _GAPS, some)
        yield from _listed([f"{_span('position', gap)} missing" for gap in gaps], "gaps")


def _missing_tail(cursor: Cursor[DictRow], end: int) -> Iterator[str]:
    if _rows(cursor, _IS_TAIL_LOST, (end,))[0]["lost"]:
        lost = _rows(cursor, _LOST_BATCHES, (end,))
        named = ", ".join(row["batch"] for row in lost[:_MAX_LISTED])
        more = ", ..." if len(lost) > _MAX_LISTED else ""
        yield (
            f"the log ends at position {end}, and {len(lost)} batches up to position"
            f" {lost[-1]['last_position']} were stored: {named}{more}"
        )


def _missing_versions(cursor: Cursor[DictRow], after: int, until: int) -> Iterator[str]:
    is_whole = not after and until > SLICE  # a slice never is
    statement = _ALL_INCOMPLETE if is_whole else _SOME_INCOMPLETE
    some = {"after": after, "until": until}
    streams = [row["stream"] for row in _rows(cursor, statement, some)]
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
