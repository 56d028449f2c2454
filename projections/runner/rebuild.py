"""Rebuilds read models next to the served ones, then swaps them in one transaction.

A second copy of the models is built from the log's start. Meanwhile the served tables are updated
and read. Each page is read once, and each model applies it in a thread and on a connection of its
own, while the next page is read. Only the swap blocks others: it stops the models' runner, applies
the last few facts and exchanges the tables. If readers keep the old tables locked, it gives up and
tries again.

Each page commits with its models' progress. A rebuild that was killed is continued by the next one
of the same models by the same program; one that is interrupted or fails drops its tables.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, closing, contextmanager, suppress

import psycopg
from psycopg import Connection, Cursor
from psycopg.errors import InvalidSchemaName, LockNotAvailable
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Identifier

from engine.facts import RecordedFact
from engine.runtime import supervision
from engine.runtime.log.fact_log import FactLog, datastore
from projections.runner.db_connections import prepare, try_lead_in_transaction
from projections.runner.log_pages import (
    PAGE_SIZE,
    ApplyError,
    UnreadableError,
    apply_page,
    read_page,
)
from projections.runner.projection import Projection
from projections.runner.tables import (
    SERVED,
    SHADOW,
    CheckpointRecorder,
    Failure,
    create_progress,
    drop_leftovers,
    key,
    lock,
    lock_checkpoints,
    lock_rebuild,
    read_head,
    read_positions,
    read_progress,
    reset_checkpoint,
    save_progress,
    swap,
)

_MAX_FACTS_AT_SWAP = 1_000
_PROGRESS_SECONDS = 1.0
_PAUSE_SECONDS = 0.2
# Shorter than `deadlock_timeout`, so readers are never the ones to be cancelled.
_SET_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '500ms'"
# A crash loses the last pages with their progress, and the next rebuild applies them again. Nothing
# waits for the locks of these sessions, and on a busy machine threads let them idle for seconds.
_BUILDING = "SET synchronous_commit = off; SET idle_in_transaction_session_timeout = 0"
PrintLine = Callable[[str], None]


class ShadowCopy:
    """Models whose tables are in `schema`, read and written by this one connection.

    `positions` are their checkpoints; a model in `failures` stays where it is. Both reflect what
    `connection` has committed or is about to commit, so after an error this object is unusable.
    """

    def __init__(
        self, conninfo: str, models: Sequence[Projection], schema: str, *, saves: bool = False
    ) -> None:
        """With `saves` each page commits with the models' progress, for the next rebuild."""
        self._saves = saves
        with ExitStack() as stack:
            self.connection: Connection[DictRow] = stack.enter_context(
                closing(psycopg.connect(conninfo, autocommit=True, row_factory=dict_row))
            )
            self._log = FactLog(stack.enter_context(closing(datastore(conninfo))))
            self._resources = stack.pop_all()
        self.positions: dict[Projection, int] = dict.fromkeys(models, 0)
        self.failures: dict[Projection, Failure] = {}
        prepare(self.connection, schema)

    def close(self) -> None:
        """Close the connections."""
        self._resources.close()

    def create(self) -> None:
        """Create the tables; they must not exist."""
        for model in self.positions:
            self.connection.execute(model.schema)

    @property
    def healthy_positions(self) -> dict[Projection, int]:
        """The positions of the models that have not failed."""
        return {
            model: position
            for model, position in self.positions.items()
            if model not in self.failures
        }

    def advance(self, goals: Mapping[Projection, int]) -> bool:
        """Apply one page to the models at the lowest position, and never past a goal.

        Returns False, with nothing done, when all have reached their goals or failed.
        """
        lagging = {
            model: position
            for model, position in self.healthy_positions.items()
            if position < goals.get(model, 0)
        }
        if not lagging:
            return False
        after = min(lagging.values())
        models = [model for model, position in lagging.items() if position == after]
        until = min(after + PAGE_SIZE, *(goals[model] for model in models))
        try:
            page = self.read(after, until)
        except UnreadableError as unread:
            self.failures |= dict.fromkeys(models, unread.failure)
        else:
            self.apply(models, page, until)
        return True

    def read(self, after: int, until: int) -> list[RecordedFact]:
        """Returns the facts after position `after`, at most up to `until`.

        Raises UnreadableError if the very next fact is unreadable.
        """
        page = read_page(self._log, after, until - after)
        # A log that was tampered with has gaps, and a page of it can lead too far.
        return [it for it in page if it.position <= until]

    def apply(self, models: Sequence[Projection], page: Sequence[RecordedFact], until: int) -> None:
        """Apply the page that follows these models' position; an empty one leads to `until`.

        Before a fact that one of them cannot apply, all stop; that one has failed. Raises
        RebuildError if another rebuild has moved them: the lock is another connection's, and may
        have been lost with it.
        """
        before, reached = self.positions[models[0]], page[-1].position if page else until
        try:
            with self.connection.transaction(), self.connection.cursor() as cursor:
                for model in models if page else ():
                    apply_page(self.connection, model, page)
                if self._saves and not save_progress(cursor, models, before, reached):
                    raise RebuildError("another rebuild has continued this one")
        except ApplyError as refusal:
            if len(page) > 1:
                self.apply(models, page[: len(page) // 2], until)
            else:
                self.failures[refusal.model] = refusal.failure
        else:
            self.positions |= dict.fromkeys(models, reached)


class RebuildError(Exception):
    """A rebuild is not possible; the served tables are unchanged."""


def rebuild(
    conninfo: str, models: Sequence[Projection], print_line: PrintLine, *, setup: str = ""
) -> bool:
    """Rebuild the models and serve them; returns False if one could not apply a fact.

    That one keeps its old tables. Any early end, a signal included, leaves the served tables
    unchanged. A rebuild with the same `setup` that was killed is continued; `setup` is whatever the
    rows depend on besides the log and the models' versions.

    Raises:
        RebuildError: another rebuild is running, or a running program serves the models in
            another version.
        OperationalError: the database connection was lost.
    """
    with (
        _building_copy(conninfo, models, setup) as copy,
        closing(_Builders(conninfo, copy)) as builders,
    ):
        _catch_up(copy, builders, print_line)
        _analyze(copy)
        while not _swap(copy, print_line):
            time.sleep(_PAUSE_SECONDS)
            _catch_up(copy, builders, lambda _: None)
        return not copy.failures


@contextmanager
def _building_copy(conninfo: str, models: Sequence[Projection], setup: str) -> Iterator[ShadowCopy]:
    with closing(ShadowCopy(conninfo, models, SHADOW, saves=True)) as copy:
        if not lock_rebuild(copy.connection):
            raise RebuildError("another rebuild is running")
        with closing(datastore(conninfo, schema=SERVED)) as store:
            CheckpointRecorder(store).create_table()
        with copy.connection.cursor() as cursor:
            _goals(cursor, models, read_positions(cursor))  # fail now and not at the end
        try:
            _create(copy, setup)
            yield copy
        finally:
            # The database may be gone; the next rebuild continues then.
            with suppress(psycopg.Error):
                drop_leftovers(copy.connection)


def _create(copy: ShadowCopy, setup: str) -> None:
    """Create the tables, or find those of a rebuild of the same models that was killed."""
    head, models = read_head(copy.connection), tuple(copy.positions)
    with copy.connection.cursor() as cursor:
        found = read_progress(cursor, models, setup)
    if found is not None and max(found.values()) <= head:
        copy.positions |= found
        return
    drop_leftovers(copy.connection)
    try:
        with copy.connection.transaction(), copy.connection.cursor() as cursor:
            copy.create()
            create_progress(cursor, models, setup)
    except InvalidSchemaName:
        message = f"the schema {SHADOW} is missing: start the server once with this version"
        raise RebuildError(message) from None


class _Builders:
    """A connection and a thread for each model of a copy, and one of each for reading the log."""

    def __init__(self, conninfo: str, copy: ShadowCopy) -> None:
        self._copy = copy
        with ExitStack() as stack:
            self._parts = {
                model: stack.enter_context(
                    closing(ShadowCopy(conninfo, [model], SHADOW, saves=True))
                )
                for model in copy.positions
            }
            for part in self._parts.values():
                part.connection.execute(_BUILDING)
            threads: Executor = supervision.workers(len(self._parts) + 1, "rebuild")
            self._threads = stack.enter_context(threads)
            self._resources = stack.pop_all()
        self._ahead: tuple[tuple[int, int], Future[list[RecordedFact]]] | None = None

    def close(self) -> None:
        """Close the connections and end the threads."""
        self._resources.close()

    def advance(self, goal: int) -> bool:
        """Apply a page to the models furthest behind, each in its thread, while the next is read.

        Returns False, with nothing done, when all have reached the goal or failed.
        """
        copy = self._copy
        lagging = {it: at for it, at in copy.healthy_positions.items() if at < goal}
        if not lagging:
            return False
        after = min(lagging.values())
        until = min([after + PAGE_SIZE, goal, *(at for at in lagging.values() if at > after)])
        models = [model for model, at in lagging.items() if at == after]
        try:
            page = self._read(after, until).result()
        except UnreadableError as unread:
            copy.failures |= dict.fromkeys(models, unread.failure)
            return True
        if until < goal:
            following = until, min(until + PAGE_SIZE, goal)
            self._ahead = following, self._threads.submit(copy.read, *following)
        for model in models:
            self._parts[model].positions[model] = after
        applying = [
            self._threads.submit(self._parts[model].apply, [model], page, until) for model in models
        ]
        for applied in applying:
            applied.result()
        for model in models:
            copy.positions |= self._parts[model].positions
            copy.failures |= self._parts[model].failures
        return True

    def _read(self, after: int, until: int) -> Future[list[RecordedFact]]:
        """Returns the page, which may have been read ahead."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == (after, until):
            return ahead[1]
        return self._threads.submit(self._copy.read, after, until)


def _catch_up(copy: ShadowCopy, builders: _Builders, print_line: PrintLine) -> None:
    """Apply pages until only a few new facts are left; the swap applies those."""
    progress = _Progress(print_line, copy)
    reached = -_MAX_FACTS_AT_SWAP
    while (head := read_head(copy.connection)) - reached >= _MAX_FACTS_AT_SWAP:
        reached = head
        while builders.advance(head):
            progress.show(copy, head)
    progress.show(copy, reached, done=True)


def _analyze(copy: ShadowCopy) -> None:
    """Analyze the new tables: without statistics, readers plan badly for the first minutes."""
    for model in copy.positions:
        for table in model.tables:
            copy.connection.execute(SQL("ANALYZE {}").format(Identifier(SHADOW, table)))


def _swap(copy: ShadowCopy, print_line: PrintLine) -> bool:
    """Swap the tables; returns False, with nothing changed, if others kept them locked."""
    models = list(copy.healthy_positions)
    try:
        with copy.connection.transaction(), copy.connection.cursor() as cursor:
            cursor.execute(_SET_LOCK_TIMEOUT)
            # All locks come first: past them nothing waits, so that no page is applied and undone.
            served = lock_checkpoints(cursor, map(key, models))
            lock(cursor, models)
            goals = _goals(cursor, models, served)
            while copy.advance(goals):
                pass
            for model, position in copy.healthy_positions.items():
                swap(cursor, model)
                reset_checkpoint(cursor, model, position)
    except LockNotAvailable:
        print_line("the served tables are in use; waiting for them")
        return False
    for model, failure in copy.failures.items():
        fact = f"{failure.position} ({failure.stream}, {failure.topic})"
        print_line(
            f"{model.name} cannot apply fact {fact}, and keeps its old tables: {failure.error}"
        )
    return True


def _goals(
    cursor: Cursor[DictRow], models: Sequence[Projection], served: Mapping[str, int]
) -> dict[Projection, int]:
    """Returns the models' checkpoints; 0 for a version that is not served yet."""
    for model in models:
        if key(model) not in served and not try_lead_in_transaction(cursor):
            message = f"{model.name} is not served in version {model.version}: restart the server"
            raise RebuildError(message)
    return {model: served.get(key(model), 0) for model in models}


class _Progress:
    def __init__(self, print_line: PrintLine, copy: ShadowCopy) -> None:
        self._print_line = print_line
        self._began = time.monotonic()
        self._printed_at = self._began
        self._first = min(copy.healthy_positions.values(), default=0)

    def show(self, copy: ShadowCopy, total: int, *, done: bool = False) -> None:
        now = time.monotonic()
        if not done and now < self._printed_at + _PROGRESS_SECONDS:
            return
        self._printed_at = now
        facts = min(copy.healthy_positions.values(), default=total)
        rate = (facts - self._first) / max(0.001, now - self._began)
        self._print_line(f"{facts:,} of {total:,} facts, {rate:,.0f} facts/s")
