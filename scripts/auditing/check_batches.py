"""Whether the facts are there that the writer's batches say were stored."""

from collections.abc import Iterator

from scripts.auditing.books import Violation
from scripts.auditing.house import Connection

RULE = "batches"
_BEYOND = (
    "SELECT count(*), min(it.last_position) FROM log.batches it WHERE NOT EXISTS"
    " (SELECT FROM log.facts WHERE notification_id = it.last_position)"
    " AND it.last_position > 0"
)
_LAST = "SELECT max(last_position) FROM log.batches"


def batches(connection: Connection, until: int) -> Iterator[Violation]:
    """Batches whose last fact is missing, and facts after the last batch.

    `until` is the log's last position. Old batches are deleted after their retention, so only the
    newest is held against the log's end.
    """
    times, first = connection.execute(_BEYOND).fetchone() or (0, None)
    if times:
        yield Violation(RULE, first, "a batch ends at a fact that is not there", times)
    (last,) = connection.execute(_LAST).fetchone() or (None,)
    if last is not None and last < until:
        yield Violation(RULE, last + 1, "no batch stored this fact or those after it", 1)
