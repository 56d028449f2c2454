"""Reads the stored log in pages, so that a million facts are never in memory."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from engine.facts import HOUSE_STREAM, RecordedFact, decode
from scripts.audit_tool import FindingError
from scripts.audit_tool.database import Connection

_PAGE = 5_000
_COLUMNS = (
    "SELECT notification_id, originator_id, originator_version, at, command_id, actor, topic,"
    " state FROM log.facts"
)
_IN_ORDER = (
    f"{_COLUMNS} WHERE notification_id > %s AND notification_id <= %s ORDER BY notification_id"
)
_OF_STREAM = (
    f"{_COLUMNS} WHERE originator_id = %s AND notification_id <= %s ORDER BY originator_version"
)
_OF_TOPICS = (
    f"{_COLUMNS} WHERE originator_id = %s AND topic = ANY(%s) AND notification_id <= %s"
    " ORDER BY originator_version"
)
_LAST = "SELECT notification_id, at FROM log.facts ORDER BY notification_id DESC LIMIT 1"


class StoredFact(Struct, frozen=True, gc=False):
    """A fact exactly as the log stores it; `at` in microseconds since 1970."""

    position: int
    stream: str
    version: int
    at: int
    command_id: str
    actor: str
    topic: str
    state: bytes

    def recorded(self) -> RecordedFact:
        """Decode the fact, with its envelope.

        Raises:
            UnreadableError: the topic is unknown, or the state does not fit it.
        """
        try:
            fact = decode(self.topic, self.state)
        except (KeyError, ValueError) as error:
            raise UnreadableError(self, error) from error
        return RecordedFact(
            self.position, self.stream, self.version, self.at, self.command_id, self.actor, fact
        )


class UnreadableError(FindingError):
    """A stored fact that this program cannot read."""

    def __init__(self, stored: StoredFact, error: Exception) -> None:
        super().__init__(
            f"position {stored.position} ({stored.stream} {stored.version}) has no"
            f" readable {stored.topic}: {error!r}"
        )
        self.position = stored.position


def stream(connection: Connection, until: int, after: int = 0) -> Iterator[StoredFact]:
    """Yields every stored fact after one position up to another, in the order of positions."""
    return _pages(connection, _IN_ORDER, (after, until))


def of_stream(connection: Connection, name: str, until: int) -> Iterator[StoredFact]:
    """Yields every stored fact of one stream up to position `until`, in the order of versions."""
    return _pages(connection, _OF_STREAM, (name, until))


def of_topics(connection: Connection, topics: Sequence[str], until: int) -> Iterator[StoredFact]:
    """Yields the facts of these topics in the house's stream, up to position `until`, in order."""
    return _pages(connection, _OF_TOPICS, (HOUSE_STREAM, list(topics), until))


def last(connection: Connection) -> tuple[int, int]:
    """Returns the last fact's position and time in microseconds; zeros in an empty log."""
    row = connection.execute(_LAST).fetchone()
    return (row[0], row[1]) if row else (0, 0)


def _pages(connection: Connection, query: str, values: tuple[object, ...]) -> Iterator[StoredFact]:
    with connection.cursor("facts") as cursor:
        cursor.itersize = _PAGE
        # psycopg's named cursors read text by default; binary costs half.
        cursor.execute(query, values, binary=True)
        for row in cursor:
            yield StoredFact(*row)
