"""Every read model built again from the log, and compared with the one that is served.

It is safe on a running house: the models are built in tables of this session, which end with it;
the served ones are read in one snapshot and never locked. Once its tables are made the session is
read-only, so that not even a mistake of a model could change what is served.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import psycopg
from msgspec import Struct
from psycopg import Cursor
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import DictRow

from projections.copying import Copy
from projections.model import Model
from projections.pages import PAGE_SIZE
from projections.positions import key, read_positions
from projections.status import read_head
from projections.tables import RUNNERS, SERVED
from scripts.auditing import AuditError
from scripts.auditing.check_tables import REBUILT, Difference, compare

STALE = "stale projection"
AHEAD = "ahead of the log"
FAILED = "failed projection"

# It locks nothing that anybody could wait for, so it may take its time.
_SETTINGS = "SET temp_buffers = '64MB'; SET idle_in_transaction_session_timeout = 0"
_LOOK_SECONDS: Final = 0.1
# Reading whole tables, which the settings for applying pages would do through an index.
_PLANS = "RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin"
_HAS_POSITIONS = f"SELECT to_regclass('{SERVED}.positions') IS NOT NULL AS there"
_OTHERS = (
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s AND tablename <> ALL(%s)"
    " ORDER BY tablename"
)


class Checked(Struct, frozen=True):
    """A model at the position at which it was compared; without rows if it was never `built`."""

    name: str
    position: int
    rows: int
    differences: tuple[Difference, ...]
    built: bool = True


class Result(Struct, frozen=True):
    """Every model that was compared, and what could not be."""

    models: tuple[Checked, ...]
    uncovered: tuple[str, ...]


class Place(Struct, frozen=True):
    """Where a model is served, and the log's end when the check began and in its snapshot."""

    served: int
    began: int
    head: int
    most: int


class Limits(Struct, frozen=True):
    """`most` differing rows of a kind and table are told; lagging models get `patience` seconds."""

    most: int
    patience: float


def check(
    conninfo: str, models: Sequence[Model], limits: Limits, progress: Callable[[int, int], None]
) -> Result:
    """Compare all of these models; `progress` hears facts done and facts in all.

    Raises:
        AuditError: it may not make tables, or somebody changed the models meanwhile.
    """
    with Copy(conninfo, models, REBUILT) as copy:
        began = read_head(copy.connection)
        _create(copy)
        _build(copy, began, limits.patience, progress)
        copy.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with copy.connection.transaction(), copy.connection.cursor() as cursor:
            _level(copy)
            cursor.execute(_PLANS)
            head, served = read_head(copy.connection), _served(cursor, models)
            checked = [
                _checked(cursor, copy, model, Place(served[model], began, head, limits.most))
                for model in served
            ]
            checked += _never_built(cursor, models, began)
            if began and not checked:
                raise AuditError("no read model is served in a version that this program makes")
            return Result(tuple(checked), (*_versions(cursor, models), *_others(cursor, models)))


def _create(copy: Copy) -> None:
    copy.connection.execute(_SETTINGS)
    try:
        copy.create()
    except InsufficientPrivilege as error:
        message = f"the database lets us make no temporary tables ({error}): start the house once"
        raise AuditError(f"{message} with this version, or grant TEMPORARY") from None
    copy.connection.execute("SET default_transaction_read_only = on")


def _build(copy: Copy, began: int, patience: float, progress: Callable[[int, int], None]) -> None:
    """As far as the served models are; those behind what the log held at first may catch up."""
    until = None
    while True:
        goals = _goals(copy)
        while copy.advance(goals):
            progress(min(copy.positions.values()), began)
        until = until or time.monotonic() + patience
        near = all(
            at - copy.positions[model] < PAGE_SIZE or model in copy.failures
            for model, at in _goals(copy).items()
        )
        level = all(position >= began for position in goals.values())
        if near and (level or time.monotonic() >= until):
            return
        time.sleep(_LOOK_SECONDS)


def _goals(copy: Copy) -> dict[Model, int]:
    """Where the served models stand, or at the log's end if they claim to be past it."""
    head = read_head(copy.connection)
    with copy.connection.cursor() as cursor:
        served = _served(cursor, copy.positions)
    return {model: min(position, head) for model, position in served.items()}


def _served(cursor: Cursor[DictRow], models: Iterable[Model]) -> dict[Model, int]:
    positions = _kept(cursor)
    return {model: positions[key(model)] for model in models if key(model) in positions}


def _kept(cursor: Cursor[DictRow]) -> dict[str, int]:
    """Positions of the served models; asking for a table that is not there ends a transaction."""
    there = next(iter(cursor.execute(_HAS_POSITIONS)))["there"]
    return read_positions(cursor) if there else {}


def _level(copy: Copy) -> None:
    """Bring the copy to exactly where the transaction's snapshot sees the served models."""
    goals = _goals(copy)
    while copy.advance(goals):
        pass
    for model, position in goals.items():
        if copy.positions[model] > position:
            raise AuditError(f"{model.name} was started over meanwhile: ask again")


def _checked(cursor: Cursor[DictRow], copy: Copy, model: Model, place: Place) -> Checked:
    found = list(_misplaced(model, place))
    if failure := copy.failures.get(model):
        at = f"{failure.position} ({failure.stream}, {failure.topic})"
        what = f"its rows were not compared: it cannot apply fact {at}: {failure.error}"
        found.append(Difference(FAILED, model.name, what, 1))
        return Checked(model.name, copy.positions[model], 0, tuple(found))
    tables = [compare(cursor, table, place.most) for table in model.tables]
    found += [it for table in tables for it in table.differences]
    rows = sum(table.rows for table in tables)
    return Checked(model.name, copy.positions[model], rows, tuple(found))


def _misplaced(model: Model, place: Place) -> Iterator[Difference]:
    if place.served < place.began:
        what = f"it stands at {place.served}, the log at {place.began} since before the check"
        yield Difference(STALE, model.name, what, 1)
    if place.served > place.head:
        what = f"it stands at {place.served}, and the log ends at {place.head}"
        yield Difference(AHEAD, model.name, what, 1)


def _never_built(cursor: Cursor[DictRow], models: Iterable[Model], began: int) -> Iterator[Checked]:
    kept = {name.rpartition(".")[0] for name in _kept(cursor)}
    for model in models:
        if began and model.name not in kept:
            what = f"it was never built, and the log holds {began} facts"
            yield Checked(model.name, 0, 0, (Difference(STALE, model.name, what, 1),), built=False)


def _versions(cursor: Cursor[DictRow], models: Iterable[Model]) -> Iterator[str]:
    kept = _kept(cursor)
    for model in models:
        others = [name for name in kept if name.rpartition(".")[0] == model.name]
        if others and key(model) not in others:
            served = f"served as {', '.join(others)}, and this program makes {key(model)}"
            yield f"the read model {model.name}: {served}"


def _others(cursor: Cursor[DictRow], models: Iterable[Model]) -> Iterator[str]:
    tables = [*RUNNERS, *(table for model in models for table in model.tables)]
    for row in cursor.execute(_OTHERS, (SERVED, tables)):
        yield f"the table {SERVED}.{row['name']}: no read model of this program makes it"
