"""The append-only log of facts, a subclass of the eventsourcing library's recorder.

Differences from the library's `PostgresApplicationRecorder`:

- columns are sent as parallel binary arrays (`pg_arrays.py`), four times cheaper than composites;
- positions are assigned here, without the gaps that a sequence leaves after a crash;
- the envelope (time, command, actor) is stored in separate columns;
- outcomes of commands and the batch's id commit with the facts, under the leader's lease;
- after a lost connection nothing is retried: the caller first looks up the batch's id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import psycopg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from msgspec import Struct, field
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Composed, Identifier, Literal

from engine.facts import RecordedFact, decode
from engine.runtime.log.deadlines import Store
from engine.runtime.log.pg_arrays import blobs, integers, register, texts

LEASE_LOST: Final = "FD001"
LOG_MOVED: Final = "FD002"
# The kinds of outcomes.
ACCEPTED: Final = 0
REFUSED: Final = 1
ACCEPTED_WITHOUT_FACT: Final = 2
CHANNEL: Final = "facts"
APPEND_TIMEOUT_S: Final = 6.0
"""When an append is cut off, which leaves its outcome unknown.

It is longer than `COMMIT_TIMEOUT_S` of writer/commit.py, after which a leader that cannot commit
steps down.
"""
# Facts of the first page in which a batch is read, and of the longest one.
_NEAR: Final = 32
_MAX_NEAR: Final = 1_024
_TABLE: Final = SQL(
    "CREATE TABLE IF NOT EXISTS {table} ("
    ' originator_id text COLLATE "C" NOT NULL,'
    " originator_version bigint NOT NULL,"
    " topic text NOT NULL,"
    " state bytea NOT NULL,"
    " notification_id bigint NOT NULL,"
    " at bigint NOT NULL,"
    " command_id text NOT NULL,"
    " actor text NOT NULL,"
    " PRIMARY KEY (originator_id, originator_version))"
)
_INDEX: Final = SQL("CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {table} (notification_id)")
_APPEND: Final = SQL(
    "SELECT {schema}.append_batch(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    " AS base"
)
# The same, with topics that the log may not have yet, and the places of their facts in the batch.
_APPEND_TOPICS: Final = SQL(
    "WITH appended AS ({append}), added AS ("
    "INSERT INTO {schema}.topics (topic, first_position)"
    " SELECT topic, base + place FROM appended, unnest(%s, %s) AS new (topic, place)"
    " ON CONFLICT DO NOTHING) SELECT base FROM appended"
)
_PAGE: Final = SQL(
    "SELECT notification_id, originator_id, originator_version, at, command_id, actor, topic,"
    " state FROM {table} WHERE "
)
# One index range a stream. The inner ORDER BY keeps PostgreSQL from reading whole streams.
_AFTER: Final = SQL(
    "SELECT facts.* FROM unnest(%s, %s) AS wanted (stream, after) CROSS JOIN LATERAL ("
    "SELECT notification_id, originator_id, originator_version, at, command_id, actor, topic,"
    " state FROM {table} WHERE originator_id = stream AND originator_version > after"
    " ORDER BY originator_version) AS facts ORDER BY originator_id, originator_version"
)


StoredFact = tuple[int, str, int, int, str, str, str, bytes]
"""Position, stream, version, time, command id, actor, topic and state."""


class Batch(Struct):
    """Facts and outcomes that commit atomically.

    `epoch` is the leader's; without one (tools, tests of the store) no lease is checked.
    `first_position` is the position of the first fact; without one it follows the log's last fact.
    `backend` is the process id of the database backend that executes the batch. It is recorded
    before sending, so that the backend can be terminated if its answer never arrives.
    `outcome_kinds` has one of the constants above for each outcome.
    """

    id: bytes = b""
    epoch: int | None = None
    at: int = 0
    first_position: int | None = None
    backend: int = 0
    streams: list[str] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    outcome_actors: list[str] = field(default_factory=list)
    outcome_keys: list[str] = field(default_factory=list)
    outcome_commands: list[bytes] = field(default_factory=list)
    outcome_answers: list[bytes] = field(default_factory=list)
    outcome_kinds: list[int] = field(default_factory=list)

    @property
    def last_position(self) -> int:
        """The position of the last fact, or of the fact before the batch if it has none."""
        return (self.first_position or 1) + len(self.streams) - 1

    def first_of(self, topics: Iterable[str]) -> tuple[Any, Any]:
        """Returns the topics, and the place of the first fact of each from 1, as parameters."""
        names = sorted(topics)
        return texts(names), integers([self.topics.index(name) + 1 for name in names])

    def columns(self) -> tuple[Any, ...]:
        """Returns the parameters of `append_batch`, in its order."""
        base = None if self.first_position is None else self.first_position - 1
        return (
            self.epoch,
            self.id,
            self.at,
            base,
            texts(self.streams),
            integers(self.versions),
            texts(self.topics),
            blobs(self.states),
            texts(self.commands),
            texts(self.actors),
            texts(self.outcome_actors),
            texts(self.outcome_keys),
            blobs(self.outcome_commands),
            blobs(self.outcome_answers),
            integers(self.outcome_kinds),
        )


register(psycopg.adapters)


_FUNCTION: Final = SQL(Path(__file__).with_name("append_batch.sql").read_text())


def datastore(conninfo: str, *, connections: int = 1, schema: str = "log") -> Store:
    """Returns a connection pool for this database; `connections` stay open."""
    return Store(conninfo, connections=connections, schema=schema)


class FactLog(PostgresApplicationRecorder):
    """Appends batches, and reads facts by position or by stream."""

    datastore: Store

    def __init__(self, store: Store, *, events_table_name: str = "facts") -> None:
        super().__init__(store, events_table_name=events_table_name)
        names = {
            "schema": Identifier(store.schema),
            "table": Identifier(store.schema, events_table_name),
            "index": Identifier(self.notification_id_index_name),
            "channel": Literal(CHANNEL),
            "lost": Literal(LEASE_LOST),
            "moved": Literal(LOG_MOVED),
            "refused": Literal(REFUSED),
            "without_fact": Literal(ACCEPTED_WITHOUT_FACT),
            "lock": Literal(f"{store.schema}.{events_table_name}"),
        }
        self.channel_name = CHANNEL
        self.sql_create_statements: list[Composed] = [
            _TABLE.format(**names),
            _INDEX.format(**names),
            _FUNCTION.format(**names),
        ]
        self._append = _APPEND.format(**names)
        self._append_topics = _APPEND_TOPICS.format(append=self._append, **names)
        self._listed_topics: set[str] = set()
        self._listing_epoch: int | None = None
        self._page = _PAGE.format(**names)
        self._streams_after = _AFTER.format(**names)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """The library's interface: appends plain stored events, without outcomes or a lease."""
        events = list(stored_events)
        batch = Batch(
            streams=[str(event.originator_id) for event in events],
            versions=[event.originator_version for event in events],
            topics=[event.topic for event in events],
            states=[event.state for event in events],
            commands=[""] * len(events),
            actors=[""] * len(events),
        )
        first = self.append(batch) + 1
        return list(range(first, first + len(events)))

    def append(self, batch: Batch) -> int:
        """Store a batch in one transaction. Returns the position before its first fact.

        Raises IntegrityError, and stores nothing, if a stream's version or a command's outcome
        exists already. Nothing is stored either if the error's cause has the SQL state
        `LEASE_LOST`, or `LOG_MOVED`: the log does not end just before `first_position`. After an
        OperationalError it is unknown whether the batch was stored.
        """
        new = self._unlisted_topics(batch)
        statement = self._append_topics if new else self._append
        with self.datastore.within(APPEND_TIMEOUT_S), self.datastore.get_connection() as conn:
            batch.backend = conn.info.backend_pid
            values = (*batch.columns(), *(batch.first_of(new) if new else ()))
            row = conn.execute(statement, values, prepare=not new).fetchone()
        assert row is not None
        self._listed_topics |= new
        return int(row["base"])

    def _unlisted_topics(self, batch: Batch) -> set[str]:
        """Returns the batch's topics that this process has not listed under the batch's epoch.

        A batch without an epoch lists none: only the writer's facts decide which program may lead.
        """
        if batch.epoch is None:
            return set()
        if batch.epoch != self._listing_epoch:
            # Before this epoch the log may have been another: a replica that lacked some of them.
            self._listed_topics, self._listing_epoch = set(), batch.epoch
        return set(batch.topics) - self._listed_topics

    def page(self, after: int, limit: int) -> list[RecordedFact]:
        """Returns the next facts after position `after`, in order, at most `limit`."""
        return [recorded(row) for row in self.stored_page(after, limit)]

    def stored_page(self, after: int, limit: int) -> list[StoredFact]:
        """Returns the same facts as they are stored; `recorded` decodes them."""
        query = self._page + SQL("notification_id > %s ORDER BY notification_id LIMIT %s")
        return self._rows(query, (after, limit))

    def streams(self, names: Sequence[str]) -> list[RecordedFact]:
        """Returns every fact of these streams, each stream in order."""
        where = SQL("originator_id = ANY(%s) ORDER BY originator_id, originator_version")
        return self._read(where, (texts(names),))

    def stream_since(self, name: str, at: int) -> list[RecordedFact]:
        """Returns the stream's facts recorded after a time in microseconds, in order."""
        where = SQL("originator_id = %s AND at > %s ORDER BY originator_version")
        return self._read(where, (name, at))

    def streams_after(self, versions: Mapping[str, int]) -> list[RecordedFact]:
        """Returns the facts after the given version of each stream, each stream in order."""
        names, after = texts(list(versions)), integers(list(versions.values()))
        return [recorded(row) for row in self._rows(self._streams_after, (names, after))]

    def streams_between(self, first: str, last: str) -> list[RecordedFact]:
        """Returns every fact of the streams named from `first` to `last`, in C collation."""
        where = SQL("originator_id BETWEEN %s AND %s ORDER BY originator_id, originator_version")
        return self._read(where, (first, last))

    def topics_after(self, after: int, topics: Sequence[str]) -> list[RecordedFact]:
        """Returns the facts of these topics after position `after`, in order."""
        where = SQL("notification_id > %s AND topic = ANY(%s) ORDER BY notification_id")
        return self._read(where, (after, texts(topics)))

    def fact(self, stream: str, version: int) -> RecordedFact | None:
        """Returns one fact of a stream; None if the stream does not reach that version."""
        where = SQL("originator_id = %s AND originator_version = %s")
        return next(iter(self._read(where, (stream, version))), None)

    def batch_facts(self, fact: RecordedFact, topic: str, last: str) -> list[RecordedFact]:
        """Returns the facts of a topic in the batch of `fact`, then the one of topic `last`.

        Returns an empty list if the batch has no fact of topic `last`. A batch has at most one, at
        its end, and all its facts have one time. It is read from `fact` to both sides: with a topic
        or a time in the query PostgreSQL may read all facts since an earlier batch, or all later.
        """
        before = takewhile(
            lambda row: row[3] == fact.at and row[6] != last, self._before(fact.position)
        )
        found = [row for row in before if row[6] == topic][::-1]
        for row in self._after(fact.position - 1):
            if row[3] != fact.at:
                break
            if row[6] in {topic, last}:
                found.append(row)
            if row[6] == last:
                return [recorded(row) for row in found]
        return []

    def _before(self, position: int) -> Iterator[StoredFact]:
        """Yields the facts before a position, the last one first, in growing pages."""
        where = SQL("notification_id >= %s AND notification_id < %s ORDER BY notification_id DESC")
        limit = _NEAR
        while position > 1:
            yield from self._rows(self._page + where, (position - limit, position))
            position -= limit
            limit = min(2 * limit, _MAX_NEAR)

    def _after(self, position: int) -> Iterator[StoredFact]:
        """Yields the facts after a position, in growing pages."""
        limit = _NEAR
        while rows := self.stored_page(position, limit):
            yield from rows
            position = rows[-1][0]
            limit = min(2 * limit, _MAX_NEAR)

    def version(self, stream: str) -> int:
        """Returns the version of the stream's last fact, 0 if it has none."""
        where = SQL("originator_id = %s ORDER BY originator_version DESC LIMIT 1")
        rows = self._rows(self._page + where, (stream,))
        return rows[0][2] if rows else 0

    def last(self) -> tuple[int, int]:
        """Returns the last fact's position and time in microseconds; zeros for an empty log.

        It is not decoded: a newer program may have written it.
        """
        rows = self._rows(self._page + SQL("true ORDER BY notification_id DESC LIMIT 1"), ())
        return (rows[0][0], rows[0][3]) if rows else (0, 0)

    def _read(self, where: SQL, parameters: tuple[Any, ...]) -> list[RecordedFact]:
        return [recorded(row) for row in self._rows(self._page + where, parameters)]

    def _rows(self, query: Composed, parameters: tuple[Any, ...]) -> list[StoredFact]:
        with (
            self.datastore.get_connection() as conn,
            conn.cursor(row_factory=tuple_row, binary=True) as cursor,
        ):
            return cursor.execute(query, parameters, prepare=True).fetchall()


def recorded(row: StoredFact) -> RecordedFact:
    """Returns a stored fact, decoded."""
    position, stream, version, at, command_id, actor, topic, state = row
    return RecordedFact(position, stream, version, at, command_id, actor, decode(topic, state))
