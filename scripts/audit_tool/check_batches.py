"""Whether the facts exist that the writer's batches recorded as stored."""

from collections.abc import Iterator

from scripts.audit_tool.books import Violation
from scripts.audit_tool.database import Connection

RULE = "batches"
_BEYOND = (
    "SELECT count(*), min(it.last_position) FROM log.batches it WHERE NOT EXISTS"
    " (SELECT FROM log.facts WHERE notification_id = it.last_position)"
    " AND it.last_position > 0"
)
_LAST = "SELECT max(last_position) FROM log.batches"


def batches(connection: Connection, until: int) -> Iterator[Violation]:
    """Yields batches whose last fact is missing, and facts after the last batch.

    `until` is the log's last position. Old batches are deleted after their retention, so only the
    newest is compared with the log's end.
    """
    times, first = connection.execute(_BEYOND).fetchone() or (0, None)
    if times:
        yield Violation(RULE, first, "a batch ends at a fact that is missing", times)
    (last,) = connection.execute(_LAST).fetchone() or (None,)
    if last is not None and last < until:
        yield Violation(RULE, last + 1, "no batch stored this fact or those after it", 1)
