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

from projections.copying import ShadowCopy
from projections.model import Projection
from projections.pages import PAGE_SIZE
from projections.positions import key, read_positions
from projections.status import read_head
from projections.tables import RUNNER_TABLES, SERVED
from scripts.auditing import AuditError
from scripts.auditing.check_tables import REBUILT, RowDifference, compare

STALE = "stale projection"
AHEAD = "ahead of the log"
FAILED = "failed projection"

# It locks nothing that anybody could wait for, so it may take its time.
_SETTINGS = "SET temp_buffers = '64MB'; SET idle_in_transaction_session_timeout = 0"
_POLL_SECONDS: Final = 0.1
# Reading whole tables, which the settings for applying pages would do through an index.
_PLANS = "RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin"
_HAS_POSITIONS = f"SELECT to_regclass('{SERVED}.positions') IS NOT NULL AS there"
_OTHERS = (
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s AND tablename <> ALL(%s)"
    " ORDER BY tablename"
)


class CheckedModel(Struct, frozen=True):
    """A model at the position at which it was compared; without rows if it was never `built`."""

    name: str
    position: int
    rows: int
    differences: tuple[RowDifference, ...]
    built: bool = True


class ModelCheckReport(Struct, frozen=True):
    """Every model that was compared, and what could not be."""

    models: tuple[CheckedModel, ...]
    uncovered: tuple[str, ...]


class ServedState(Struct, frozen=True):
    """Where a model is served, and the log's end when the check began and in its snapshot."""

    served: int
    began: int
    head: int
    max_rows: int


class CheckOptions(Struct, frozen=True):
    """`most` differing rows of a kind and table are told; lagging models get `patience` seconds."""

    max_rows: int
    timeout_s: float


def check(
    conninfo: str,
    models: Sequence[Projection],
    options: CheckOptions,
    progress: Callable[[int, int], None],
) -> ModelCheckReport:
    """Compare all of these models; `progress` hears facts done and facts in all.

    Raises:
        AuditError: it may not make tables, or somebody changed the models meanwhile.
    """
    with ShadowCopy(conninfo, models, REBUILT) as copy:
        began = read_head(copy.connection)
        _create(copy)
        _build(copy, began, options.timeout_s, progress)
        copy.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with copy.connection.transaction(), copy.connection.cursor() as cursor:
            _align_with_snapshot(copy)
            cursor.execute(_PLANS)
            head, served = read_head(copy.connection), _served(cursor, models)
            checked = [
                _checked(
                    cursor, copy, model, ServedState(served[model], began, head, options.max_rows)
                )
                for model in served
            ]
            checked += _never_built(cursor, models, began)
            if began and not checked:
                raise AuditError("no read model is served in a version that this program makes")
            return ModelCheckReport(
                tuple(checked), (*_versions(cursor, models), *_others(cursor, models))
            )


def _create(copy: ShadowCopy) -> None:
    copy.connection.execute(_SETTINGS)
    try:
        copy.create()
    except InsufficientPrivilege as error:
        message = f"the database lets us make no temporary tables ({error}): start the house once"
        raise AuditError(f"{message} with this version, or grant TEMPORARY") from None
    copy.connection.execute("SET default_transaction_read_only = on")


def _build(
    copy: ShadowCopy, began: int, timeout_s: float, progress: Callable[[int, int], None]
) -> None:
    """As far as the served models are; those behind what the log held at first may catch up."""
    until = None
    while True:
        goals = _goals(copy)
        while copy.advance(goals):
            progress(min(copy.positions.values()), began)
        until = until or time.monotonic() + timeout_s
        near = all(
            at - copy.positions[model] < PAGE_SIZE or model in copy.failures
            for model, at in _goals(copy).items()
        )
        level = all(position >= began for position in goals.values())
        if near and (level or time.monotonic() >= until):
            return
        time.sleep(_POLL_SECONDS)


def _goals(copy: ShadowCopy) -> dict[Projection, int]:
    """Where the served models stand, or at the log's end if they claim to be past it."""
    head = read_head(copy.connection)
    with copy.connection.cursor() as cursor:
        served = _served(cursor, copy.positions)
    return {model: min(position, head) for model, position in served.items()}


def _served(cursor: Cursor[DictRow], models: Iterable[Projection]) -> dict[Projection, int]:
    positions = _served_positions(cursor)
    return {model: positions[key(model)] for model in models if key(model) in positions}


def _served_positions(cursor: Cursor[DictRow]) -> dict[str, int]:
    """Positions of the served models; asking for a table that is not there ends a transaction."""
    exists = next(iter(cursor.execute(_HAS_POSITIONS)))["there"]
    return read_positions(cursor) if exists else {}


def _align_with_snapshot(copy: ShadowCopy) -> None:
    """Bring the copy to exactly where the transaction's snapshot sees the served models."""
    goals = _goals(copy)
    while copy.advance(goals):
        pass
    for model, position in goals.items():
        if copy.positions[model] > position:
            raise AuditError(f"{model.name} was started over meanwhile: ask again")


def _checked(
    cursor: Cursor[DictRow], copy: ShadowCopy, model: Projection, state: ServedState
) -> CheckedModel:
    found = list(_misplaced(model, state))
    if failure := copy.failures.get(model):
        at = f"{failure.position} ({failure.stream}, {failure.topic})"
        what = f"its rows were not compared: it cannot apply fact {at}: {failure.error}"
        found.append(RowDifference(FAILED, model.name, what, 1))
        return CheckedModel(model.name, copy.positions[model], 0, tuple(found))
    tables = [compare(cursor, table, state.max_rows) for table in model.tables]
    found += [it for table in tables for it in table.differences]
    rows = sum(table.rows for table in tables)
    return CheckedModel(model.name, copy.positions[model], rows, tuple(found))


def _misplaced(model: Projection, state: ServedState) -> Iterator[RowDifference]:
    if state.served < state.began:
        what = f"it stands at {state.served}, the log at {state.began} since before the check"
        yield RowDifference(STALE, model.name, what, 1)
    if state.served > state.head:
        what = f"it stands at {state.served}, and the log ends at {state.head}"
        yield RowDifference(AHEAD, model.name, what, 1)


def _never_built(
    cursor: Cursor[DictRow], models: Iterable[Projection], began: int
) -> Iterator[CheckedModel]:
    names = {name.rpartition(".")[0] for name in _served_positions(cursor)}
    for model in models:
        if began and model.name not in names:
            what = f"it was never built, and the log holds {began} facts"
            yield CheckedModel(
                model.name, 0, 0, (RowDifference(STALE, model.name, what, 1),), built=False
            )


def _versions(cursor: Cursor[DictRow], models: Iterable[Projection]) -> Iterator[str]:
    keys = _served_positions(cursor)
    for model in models:
        others = [name for name in keys if name.rpartition(".")[0] == model.name]
        if others and key(model) not in others:
            served = f"served as {', '.join(others)}, and this program makes {key(model)}"
            yield f"the read model {model.name}: {served}"


def _others(cursor: Cursor[DictRow], models: Iterable[Projection]) -> Iterator[str]:
    tables = [*RUNNER_TABLES, *(table for model in models for table in model.tables)]
    for row in cursor.execute(_OTHERS, (SERVED, tables)):
        yield f"the table {SERVED}.{row['name']}: no read model of this program makes it"
