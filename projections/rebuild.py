"""Building read models again beside the served ones, then swapping them in one transaction.

The served tables are followed and read all the while. Only the swap holds anybody up: it stops
the models' runner, applies the last few facts, and exchanges the tables. It gives way to readers
that do not let go of the old tables at once, and tries again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress

import psycopg
from psycopg import Cursor
from psycopg.errors import InvalidSchemaName, LockNotAvailable
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from engine.runtime.log import datastore
from projections.copying import ShadowCopy
from projections.model import Projection
from projections.positions import (
    CheckpointRecorder,
    key,
    lock_checkpoints,
    read_positions,
    reset_checkpoint,
)
from projections.session import try_lead_in_transaction
from projections.status import read_head
from projections.tables import SERVED, SHADOW, drop_leftovers, lock, lock_rebuild, swap

_MAX_FACTS_AT_SWAP = 1_000
_PROGRESS_SECONDS = 1.0
_PAUSE_SECONDS = 0.2
# Less than a deadlock takes to be found: readers are never the ones to be cancelled.
_SET_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '500ms'"

PrintLine = Callable[[str], None]


class RebuildError(Exception):
    """A rebuild that cannot be done; what is served is as it was."""


def rebuild(conninfo: str, models: Sequence[Projection], print_line: PrintLine) -> bool:
    """Build the models anew and serve them; False when one could not apply a fact.

    That one is served as before. Whatever ends it early, a signal included, leaves what is
    served as it was.

    Raises:
        RebuildError: another rebuild is at work, or a running program serves the models in
            another version.
        OperationalError: the database went away.
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
            raise RebuildError("another rebuild is at work")
        drop_leftovers(copy.connection)
        with closing(datastore(conninfo, schema=SERVED)) as store:
            CheckpointRecorder(store).create_table()
        with copy.connection.cursor() as cursor:
            _goals(cursor, models, read_positions(cursor))  # not to be refused only at the end
        try:
            _create(copy)
            yield copy
        finally:
            # Without its database there is nobody to ask; the next start sweeps.
            with suppress(psycopg.Error):
                drop_leftovers(copy.connection)


def _create(copy: ShadowCopy) -> None:
    try:
        copy.create()
    except InvalidSchemaName:
        message = f"the schema {SHADOW} is missing: start the house once with this version"
        raise RebuildError(message) from None


def _catch_up(copy: ShadowCopy, print_line: PrintLine) -> None:
    """Until only few facts came in meanwhile: those wait for the swap."""
    progress = _Progress(print_line)
    reached = -_MAX_FACTS_AT_SWAP
    while (head := read_head(copy.connection)) - reached >= _MAX_FACTS_AT_SWAP:
        reached = head
        goals = dict.fromkeys(copy.positions, head)
        while copy.advance(goals):
            progress.show(copy, head)
    progress.show(copy, reached, done=True)


def _analyze(copy: ShadowCopy) -> None:
    """Readers plan by statistics, which a new table does not have for its first minutes."""
    for model in copy.positions:
        for table in model.tables:
            copy.connection.execute(SQL("ANALYZE {}").format(Identifier(SHADOW, table)))


def _swap(copy: ShadowCopy, print_line: PrintLine) -> bool:
    """False if others would not let go of the tables in time; nothing was changed then."""
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
            f"{model.name} cannot apply fact {fact}, and is served as before: {failure.error}"
        )
    return True


def _goals(
    cursor: Cursor[DictRow], models: Sequence[Projection], served: Mapping[str, int]
) -> dict[Projection, int]:
    """Where the models stand; in a version that nobody serves yet, at the log's start."""
    for model in models:
        if key(model) not in served and not try_lead_in_transaction(cursor):
            message = f"{model.name} is not served in version {model.version}: restart the house"
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
