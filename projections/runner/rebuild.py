"""Rebuilds read models next to the served ones, then swaps them in one transaction.

The served tables are updated and read all the time. Only the swap blocks others: it stops the
models' runner, applies the last few facts and exchanges the tables. If readers keep the old tables
locked, it gives up and tries again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress

import psycopg
from psycopg import Cursor
from psycopg.errors import InvalidSchemaName, LockNotAvailable
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from engine.runtime.log.fact_log import datastore
from projections.runner.checkpoints import (
    CheckpointRecorder,
    key,
    lock_checkpoints,
    read_positions,
    reset_checkpoint,
)
from projections.runner.db_connections import try_lead_in_transaction
from projections.runner.projection import Projection
from projections.runner.shadow_copy import ShadowCopy
from projections.runner.status import read_head
from projections.runner.tables import SERVED, SHADOW, drop_leftovers, lock, lock_rebuild, swap

_MAX_FACTS_AT_SWAP = 1_000
_PROGRESS_SECONDS = 1.0
_PAUSE_SECONDS = 0.2
# Shorter than `deadlock_timeout`, so readers are never the ones to be cancelled.
_SET_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '500ms'"

PrintLine = Callable[[str], None]


class RebuildError(Exception):
    """A rebuild is not possible; the served tables are unchanged."""


def rebuild(conninfo: str, models: Sequence[Projection], print_line: PrintLine) -> bool:
    """Rebuild the models and serve them; returns False if one could not apply a fact.

    That one keeps its old tables. Any early end, a signal included, leaves the served tables
    unchanged.

    Raises:
        RebuildError: another rebuild is running, or a running program serves the models in
            another version.
        OperationalError: the database connection was lost.
    """
    with _building_copy(conninfo, models) as copy:
        _catch_up(copy, print_line)
        _analyze(copy)
        while not _swap(copy, print_line):
            time.sleep(_PAUSE_SECONDS)
            _catch_up(copy, lambda _: None)
        return not copy.failures


@contextmanager
def _building_copy(conninfo: str, models: Sequence[Projection]) -> Iterator[ShadowCopy]:
    with ShadowCopy(conninfo, models, SHADOW) as copy:
        if not lock_rebuild(copy.connection):
            raise RebuildError("another rebuild is running")
        drop_leftovers(copy.connection)
        with closing(datastore(conninfo, schema=SERVED)) as store:
            CheckpointRecorder(store).create_table()
        with copy.connection.cursor() as cursor:
            _goals(cursor, models, read_positions(cursor))  # fail now and not at the end
        try:
            _create(copy)
            yield copy
        finally:
            # The database may be gone; the next start drops the leftovers.
            with suppress(psycopg.Error):
                drop_leftovers(copy.connection)


def _create(copy: ShadowCopy) -> None:
    try:
        copy.create()
    except InvalidSchemaName:
        message = f"the schema {SHADOW} is missing: start the server once with this version"
        raise RebuildError(message) from None


def _catch_up(copy: ShadowCopy, print_line: PrintLine) -> None:
    """Apply pages until only a few new facts are left; the swap applies those."""
    progress = _Progress(print_line)
    reached = -_MAX_FACTS_AT_SWAP
    while (head := read_head(copy.connection)) - reached >= _MAX_FACTS_AT_SWAP:
        reached = head
        goals = dict.fromkeys(copy.positions, head)
        while copy.advance(goals):
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
    def __init__(self, print_line: PrintLine) -> None:
        self._print_line = print_line
        self._began = time.monotonic()
        self._printed_at = self._began

    def show(self, copy: ShadowCopy, total: int, *, done: bool = False) -> None:
        now = time.monotonic()
        if not done and now < self._printed_at + _PROGRESS_SECONDS:
            return
        self._printed_at = now
        facts = min(copy.healthy_positions.values(), default=total)
        rate = facts / max(0.001, now - self._began)
        self._print_line(f"{facts:,} of {total:,} facts, {rate:,.0f} facts/s")
