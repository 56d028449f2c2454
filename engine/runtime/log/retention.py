"""Retention periods, and the deletion of rows that are older.

Facts, and everything that a check or a proof needs, are kept permanently. Rows are deleted in
slices, each in its own short transaction, so that no commit waits for them.

Acceptances are found through the facts of their commands (`migrations/0005_purge_by_log.sql`), so
that the writer maintains no index for the purge.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.log.idempotency import REFUSAL_RETENTION_S
from engine.runtime.vault.sessions import LIFETIME_US

SLICE: Final = 500
DAY_US: Final = 24 * 3600 * 1_000_000
#: A batch is looked up seconds after its commit, if the answer to the commit was lost. Of old ones
#: only the last is needed, which shows a missing end of the log, and the last is never deleted.
BATCH_RETENTION_US: Final = 30 * DAY_US
#: An expired session is still recognised as expired, for as long again as it was valid.
SESSION_RETENTION_US: Final = 2 * LIFETIME_US
ANSWER_RETENTION_DAYS: Final = 90

# A crash may lose a slice's deletion, which is then repeated.
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
    """A kind of row that is deleted once it is older than `retention_us`.

    The age of a session is by the clock. That of the others counts back from the log's last batch,
    and is never taken as less than a day (`log.purge_outcomes`, `log.purge_batches`).
    """

    name: str
    retention_us: int
    statement: str

    def purge(self, connection: Connection[TupleRow], now: int) -> int:
        """Delete the oldest expired rows, at most `SLICE`; blocks. Returns the number deleted.

        `now` is the time in microseconds by which sessions expire.
        """
        values: Mapping[str, int] = {"kept_us": self.retention_us, "most": SLICE, "now": now}
        connection.execute(_ASYNC_COMMIT)
        row = connection.execute(self.statement.encode(), values).fetchone()
        assert row is not None
        return int(row[0])


def rules(answer_retention_days: int) -> tuple[RetentionRule, ...]:
    """Returns all rules, with acceptances stored for `answer_retention_days`."""
    return (
        RetentionRule("refusals", REFUSAL_RETENTION_S * 1_000_000, _REFUSALS),
        RetentionRule("answers", answer_retention_days * DAY_US, _ACCEPTANCES),
        RetentionRule("batches", BATCH_RETENTION_US, _BATCHES),
        RetentionRule("sessions", SESSION_RETENTION_US, _SESSIONS),
    )
