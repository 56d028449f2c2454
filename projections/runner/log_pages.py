"""Reading a page of the log and applying it to a model, and the errors of both."""

from collections.abc import Callable, Sequence
from typing import Final

from psycopg import Connection
from psycopg.rows import DictRow, tuple_row

from engine.facts import TOPICS, RecordedFact, UnknownTopicError
from engine.runtime.log.fact_log import FactLog, StoredFact, recorded
from projections.runner.db_connections import CONNECTION_ERRORS, is_transient
from projections.runner.projection import Projection
from projections.runner.tables import Failure

PAGE_SIZE: Final = 5_000
"""Facts: larger pages write each player's row less often, smaller ones commit sooner."""


class UnreadableError(Exception):
    """A fact that this program cannot read."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error)
        self.failure = failure


class ApplyError(Exception):
    """A model cannot apply a page."""

    def __init__(self, model: Projection, page: Sequence[RecordedFact], error: Exception) -> None:
        super().__init__(model.name)
        self.model = model
        topic = TOPICS[type(page[0].fact)]
        self.failure = Failure(page[0].position, page[0].stream, topic, repr(error))
        """The failure; it names the page's first fact, the certain cause only in a page of one."""


def read_page(
    log: FactLog,
    after: int,
    limit: int,
    stored: Callable[[Sequence[StoredFact]], None] | None = None,
) -> list[RecordedFact]:
    """Returns at most `limit` facts after `after`, and only those before an unreadable one.

    `stored` is called with these facts as they are stored.

    Raises:
        UnreadableError: the very next fact is unreadable.
    """
    try:
        rows = log.stored_page(after, limit)
        page = [recorded(row) for row in rows]
    except CONNECTION_ERRORS:
        raise
    except Exception as error:
        if limit > 1:
            return read_page(log, after, limit // 2, stored)
        unread = log.select_notifications(after + 1, 1)[0]
        # The text for operators, as it is, where they can do something about it.
        why = str(error) if isinstance(error, UnknownTopicError) else repr(error)
        failure = Failure(unread.id, str(unread.originator_id), unread.topic, why)
        raise UnreadableError(failure) from error
    if stored is not None:
        stored(rows)
    return page


def apply_page(
    connection: Connection[DictRow], model: Projection, page: Sequence[RecordedFact]
) -> None:
    """Apply a page to a model, inside the caller's transaction.

    Raises:
        ApplyError: the model caused the error; errors of the database are raised unchanged.
    """
    with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
        try:
            model.apply(cursor, page)
        except Exception as error:
            if is_transient(error, connection):
                raise
            raise ApplyError(model, page, error) from error
