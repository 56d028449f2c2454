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
from projections.copying import Copy
from projections.model import Model
from projections.positions import Positions, begin, hold, key, read_positions
from projections.session import leads_for_now
from projections.status import read_head
from projections.tables import BESIDE, SERVED, claim, lock, swap, sweep

_FEW = 1_000
_PROGRESS_SECONDS = 1.0
_PAUSE_SECONDS = 0.2
# Less than a deadlock takes to be found: readers are never the ones to be cancelled.
_PATIENCE = "SET LOCAL lock_timeout = '500ms'"

Say = Callable[[str], None]


class RebuildError(Exception):
    """A rebuild that cannot be done; what is served is as it was."""


def rebuild(conninfo: str, models: Sequence[Model], say: Say) -> bool:
    """Build the models anew and serve them; False when one could not apply a fact.

    That one is served as before. Whatever ends it early, a signal included, leaves what is
    served as it was.

    Raises:
        RebuildError: another rebuild is at work, or a running program serves the models in
            another version.
        OperationalError: the database went away.
    """
    with _beside(conninfo, models) as copy:
        _catch_up(copy, say)
        _analyze(copy)
        while not _swap(copy, say):
            time.sleep(_PAUSE_SECONDS)
            _catch_up(copy, lambda _: None)
        return not copy.failures


@contextmanager
def _beside(conninfo: str, models: Sequence[Model]) -> Iterator[Copy]:
    with Copy(conninfo, models, BESIDE) as copy:
        if not claim(copy.connection):
            raise RebuildError("another rebuild is at work")
        sweep(copy.connection)
        with closing(datastore(conninfo, schema=SERVED)) as store:
            Positions(store).create_table()
        with copy.connection.cursor() as cursor:
            _goals(cursor, models, read_positions(cursor))  # not to be refused only at the end
        try:
            _create(copy)
            yield copy
        finally:
            # Without its database there is nobody to ask; the next start sweeps.
            with suppress(psycopg.Error):
                sweep(copy.connection)


def _create(copy: Copy) -> None:
    try:
        copy.create()
    except InvalidSchemaName:
        message = f"the schema {BESIDE} is missing: start the house once with this version"
        raise RebuildError(message) from None


def _catch_up(copy: Copy, say: Say) -> None:
    """Until only few facts came in meanwhile: those wait for the swap."""
    progress = _Progress(say)
    reached = -_FEW
    while (head := read_head(copy.connection)) - reached >= _FEW:
        reached = head
        goals = dict.fromkeys(copy.positions, head)
        while copy.advance(goals):
            progress.show(copy, head)
    progress.show(copy, reached, done=True)


def _analyze(copy: Copy) -> None:
    """Readers plan by statistics, which a new table does not have for its first minutes."""
    for model in copy.positions:
        for table in model.tables:
            copy.connection.execute(SQL("ANALYZE {}").format(Identifier(BESIDE, table)))


def _swap(copy: Copy, say: Say) -> bool:
    """False if others would not let go of the tables in time; nothing was changed then."""
    models = list(copy.standing)
    try:
        with copy.connection.transaction(), copy.connection.cursor() as cursor:
            cursor.execute(_PATIENCE)
            served = hold(cursor, map(key, models))
            lock(cursor, models)
            goals = _goals(cursor, models, served)
            while copy.advance(goals):
                pass
            for model, position in copy.standing.items():
                swap(cursor, model)
                begin(cursor, model, position)
    except LockNotAvailable:
        say("the served tables are in use; waiting for them")
        return False
    for model, failure in copy.failures.items():
        fact = f"{failure.position} ({failure.stream}, {failure.topic})"
        say(f"{model.name} cannot apply fact {fact}, and is served as before: {failure.error}")
    return True


def _goals(
    cursor: Cursor[DictRow], models: Sequence[Model], served: Mapping[str, int]
) -> dict[Model, int]:
    """Where the models stand; in a version that nobody serves yet, at the log's start."""
    for model in models:
        if key(model) not in served and not leads_for_now(cursor):
            message = f"{model.name} is not served in version {model.version}: restart the house"
            raise RebuildError(message)
    return {model: served.get(key(model), 0) for model in models}


class _Progress:
    def __init__(self, say: Say) -> None:
        self._say = say
        self._began = time.monotonic()
        self._said = self._began

    def show(self, copy: Copy, total: int, *, done: bool = False) -> None:
        now = time.monotonic()
        if not done and now < self._said + _PROGRESS_SECONDS:
            return
        self._said = now
        facts = min(copy.standing.values(), default=total)
        rate = facts / max(0.001, now - self._began)
        self._say(f"{facts:,} of {total:,} facts, {rate:,.0f} facts/s")
