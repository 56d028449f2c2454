"""What the database keeps for a limited time, and the deletion of what is older.

Facts, and whatever a check or a proof is made from, are kept for ever. Rows are deleted in slices,
each a short transaction of its own, so that no commit waits for them.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.outcomes import REFUSAL_RETENTION_S
from engine.runtime.sessions import LIFETIME_US

SLICE: Final = 500
DAY_US: Final = 24 * 3600 * 1_000_000
#: A batch is looked up when the answer to its commit was lost, seconds later.
BATCH_RETENTION_US: Final = 30 * DAY_US
#: A session that has expired is still recognised as one for as long again.
SESSION_RETENTION_US: Final = 2 * LIFETIME_US
ANSWER_RETENTION_DAYS: Final = 90

# The loss of a slice in a crash costs nothing: it is deleted again.
_ASYNC_COMMIT: Final = "SET LOCAL synchronous_commit = off"
_REFUSALS: Final = "SELECT log.purge_outcomes(true, %(kept_us)s, %(most)s)"
_ACCEPTANCES: Final = "SELECT log.purge_outcomes(false, %(kept_us)s, %(most)s)"
_BATCHES: Final = "SELECT log.purge_batches(%(kept_us)s, %(most)s)"
_SESSIONS: Final = (
    "WITH old AS (DELETE FROM vault.sessions WHERE token_hash IN ("
    "SELECT token_hash FROM vault.sessions WHERE created_at < %(now)s - %(kept_us)s"
    " ORDER BY created_at LIMIT %(most)s) RETURNING token_hash) SELECT count(*) FROM old"
)


class RetentionRule(Struct, frozen=True):
    """What is deleted once it is older than `kept_us`."""

    name: str
    retention_us: int
    statement: str

    def purge(self, connection: Connection[TupleRow], now: int) -> int:
        """Delete the oldest of these, at most `SLICE`; how many there were. It blocks."""
        values: Mapping[str, int] = {"kept_us": self.retention_us, "most": SLICE, "now": now}
        connection.execute(_ASYNC_COMMIT)
        row = connection.execute(self.statement.encode(), values).fetchone()
        assert row is not None
        return int(row[0])


def rules(answer_retention_days: int) -> tuple[RetentionRule, ...]:
    """All of them, in a house that repeats its answers for so many days."""
    return (
        RetentionRule("refusals", REFUSAL_RETENTION_S * 1_000_000, _REFUSALS),
        RetentionRule("answers", answer_retention_days * DAY_US, _ACCEPTANCES),
        RetentionRule("batches", BATCH_RETENTION_US, _BATCHES),
        RetentionRule("sessions", SESSION_RETENTION_US, _SESSIONS),
    )
