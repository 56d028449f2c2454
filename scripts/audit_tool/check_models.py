"""Rebuilds every read model from the log and compares it with the served one, row by row.

It is safe while the server runs. The rebuilt models are temporary tables of this session. The
served ones are read in one snapshot and never locked. Once its tables exist the session is
read-only, so that not even a bug of a model could change the served tables.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final

import psycopg
from msgspec import Struct
from psycopg import Cursor
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed, Identifier

from projections.runner.log_pages import PAGE_SIZE
from projections.runner.projection import Projection
from projections.runner.rebuild import ShadowCopy
from projections.runner.tables import RUNNER_TABLES, SERVED, key, read_head, read_positions
from scripts.audit_tool import AuditError

REBUILT = "pg_temp"

MISSING_ROW = "missing row"
EXTRA_ROW = "extra row"
DIFFERENT_VALUE = "different value"
DIFFERENT_TABLE = "different table"

_EXCERPT = 48
_COLUMNS = SQL(
    "SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute"
    " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)
_KEY = SQL(
    "SELECT attname AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid"
    " AND attnum = ANY(indkey) WHERE indrelid = to_regclass(%s) AND indisprimary"
    " ORDER BY array_position(indkey::int2[], attnum)"
)
_COUNT = SQL("SELECT count(*) AS rows FROM {}")
_DIFFERENT = SQL("""
    SELECT kind, number, served, rebuilt FROM (
        SELECT CASE WHEN served.ctid IS NULL THEN {missing}
                    WHEN rebuilt.ctid IS NULL THEN {extra} ELSE {different} END AS kind,
            count(*) OVER kinds AS number, row_number() OVER (kinds ORDER BY {order}) AS place,
            to_json(served) AS served, to_json(rebuilt) AS rebuilt
        FROM {served_table} AS served FULL JOIN {rebuilt_table} AS rebuilt ON {same}
        WHERE ROW(served.*) IS DISTINCT FROM ROW(rebuilt.*)
        WINDOW kinds AS (PARTITION BY served.ctid IS NULL, rebuilt.ctid IS NULL)
    ) AS found WHERE place <= %s ORDER BY kind, place
""")
STALE = "stale projection"
AHEAD = "ahead of the log"
FAILED = "failed projection"
# The session locks nothing that others could wait for, so it may be idle for long.
_SETTINGS = "SET temp_buffers = '64MB'; SET idle_in_transaction_session_timeout = 0"
_POLL_SECONDS: Final = 0.1
# Undo the planner settings for applying pages: they would read whole tables through an index.
_PLANS = "RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin"
_HAS_POSITIONS = f"SELECT to_regclass('{SERVED}.positions') IS NOT NULL AS there"
_OTHERS = (
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = %s AND tablename <> ALL(%s)"
    " ORDER BY tablename"
)


class RowDifference(Struct, frozen=True):
    """A served row that differs from the rebuilt one; `times` counts this kind in the table."""

    kind: str
    table: str
    what: str
    times: int


class Compared(Struct, frozen=True):
    """The number of rebuilt rows of a table, and the first differences of each kind."""

    rows: int
    differences: tuple[RowDifference, ...]


def compare(cursor: Cursor[DictRow], table: str, max_rows: int) -> Compared:
    """Compare a served table with the rebuilt one; lists at most `max_rows` rows per kind."""
    served, rebuilt = (_columns(cursor, schema, table) for schema in (SERVED, REBUILT))
    rows = _rows(cursor, REBUILT, table)
    if served != rebuilt:
        what = "it does not exist" if not served else f"its columns are {_listed(served)}"
        return Compared(rows, (RowDifference(DIFFERENT_TABLE, f"{SERVED}.{table}", what, 1),))
    found = tuple(_differences(cursor, table, max_rows))
    return Compared(rows, (*found, *_twice(cursor, table, rows, found)))


def _differences(cursor: Cursor[DictRow], table: str, max_rows: int) -> Iterator[RowDifference]:
    key = [row["name"] for row in cursor.execute(_KEY, (f"{REBUILT}.{table}",))]
    for row in cursor.execute(_query(table, key), (max_rows,)).fetchall():
        either = row["served"] or row["rebuilt"]
        what = " ".join(f"{name}={either[name]}" for name in key)
        if row["kind"] == DIFFERENT_VALUE:
            what = f"{what}: {_values(row['rebuilt'], row['served'])}"
        yield RowDifference(row["kind"], f"{SERVED}.{table}", what, row["number"])


def _query(table: str, key: Sequence[str]) -> Composed:
    pairs = [(Identifier("served", name), Identifier("rebuilt", name)) for name in key]
    return _DIFFERENT.format(
        missing=MISSING_ROW,
        extra=EXTRA_ROW,
        different=DIFFERENT_VALUE,
        served_table=Identifier(SERVED, table),
        rebuilt_table=Identifier(REBUILT, table),
        same=SQL(" AND ").join(SQL("{} = {}").format(*pair) for pair in pairs),
        order=SQL(", ").join(SQL("coalesce({}, {})").format(*pair) for pair in pairs),
    )


def _twice(
    cursor: Cursor[DictRow], table: str, rows: int, found: Sequence[RowDifference]
) -> Iterator[RowDifference]:
    """Yields rows that are served more than once: each of them equals one rebuilt row."""
    times = {it.kind: it.times for it in found}
    expected = rows - times.get(MISSING_ROW, 0) + times.get(EXTRA_ROW, 0)
    more = _rows(cursor, SERVED, table) - expected
    if more:
        yield RowDifference(EXTRA_ROW, f"{SERVED}.{table}", "served more than once", more)


def _columns(cursor: Cursor[DictRow], schema: str, table: str) -> list[tuple[str, str]]:
    found = cursor.execute(_COLUMNS, (f"{schema}.{table}",))
    return [(row["name"], row["type"]) for row in found]


def _rows(cursor: Cursor[DictRow], schema: str, table: str) -> int:
    query = _COUNT.format(Identifier(schema, table))
    return int(next(iter(cursor.execute(query)))["rows"])


def _listed(columns: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns)


def _values(expected: dict[str, Any], found: dict[str, Any]) -> str:
    return "; ".join(
        "{} expected {}, found {}".format(name, *_excerpts(value, found[name]))
        for name, value in expected.items()
        if found[name] != value
    )


def _excerpts(expected: object, found: object) -> tuple[str, str]:
    """Returns both values; long ones are cut to the part around their first difference."""
    texts = [str(expected), str(found)]
    if max(map(len, texts)) <= _EXCERPT:
        return texts[0], texts[1]
    same = next((at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    begin = max(0, same - _EXCERPT // 2)
    one, other = (f"…{text[begin : begin + _EXCERPT]}…" for text in texts)
    return one, other


class CheckedModel(Struct, frozen=True):
    """A model at the position of the comparison; without rows if it was never `built`."""

    name: str
    position: int
    rows: int
    differences: tuple[RowDifference, ...]
    built: bool = True


class ModelCheckReport(Struct, frozen=True):
    """Every compared model, and what could not be compared."""

    models: tuple[CheckedModel, ...]
    uncovered: tuple[str, ...]


class ServedState(Struct, frozen=True):
    """A model's checkpoint, and the log's end at the start of the check and in its snapshot."""

    served: int
    began: int
    head: int
    max_rows: int


class CheckOptions(Struct, frozen=True):
    """At most `max_rows` per kind and table are listed; `timeout_s` is for lagging models."""

    max_rows: int
    timeout_s: float


def check(
    conninfo: str,
    models: Sequence[Projection],
    options: CheckOptions,
    progress: Callable[[int, int], None],
) -> ModelCheckReport:
    """Compare all of these models; `progress` receives the facts done and the total.

    Raises:
        AuditError: temporary tables are not permitted, or the models changed during the check.
    """
    with closing(ShadowCopy(conninfo, models, REBUILT)) as copy:
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
                raise AuditError("no read model is served in a version of this program")
            return ModelCheckReport(
                tuple(checked), (*_versions(cursor, models), *_others(cursor, models))
            )


def _create(copy: ShadowCopy) -> None:
    copy.connection.execute(_SETTINGS)
    try:
        copy.create()
    except InsufficientPrivilege as error:
        message = f"no permission to create temporary tables ({error}): start the server once"
        raise AuditError(f"{message} with this version, or grant TEMPORARY") from None
    copy.connection.execute("SET default_transaction_read_only = on")


def _build(
    copy: ShadowCopy, began: int, timeout_s: float, progress: Callable[[int, int], None]
) -> None:
    """Apply pages up to the served positions; models behind `began` get time to catch up."""
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
    """Returns the served positions, or the log's end for those beyond it."""
    head = read_head(copy.connection)
    with copy.connection.cursor() as cursor:
        served = _served(cursor, copy.positions)
    return {model: min(position, head) for model, position in served.items()}


def _served(cursor: Cursor[DictRow], models: Iterable[Projection]) -> dict[Projection, int]:
    positions = _served_positions(cursor)
    return {model: positions[key(model)] for model in models if key(model) in positions}


def _served_positions(cursor: Cursor[DictRow]) -> dict[str, int]:
    """Returns the served positions; querying a missing table would abort the transaction."""
    exists = next(iter(cursor.execute(_HAS_POSITIONS)))["there"]
    return read_positions(cursor) if exists else {}


def _align_with_snapshot(copy: ShadowCopy) -> None:
    """Bring the copy exactly to the positions that the transaction's snapshot sees."""
    goals = _goals(copy)
    while copy.advance(goals):
        pass
    for model, position in goals.items():
        if copy.positions[model] > position:
            raise AuditError(f"{model.name} was rebuilt during the check: run it again")


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
        what = f"its position is {state.served}, the log was at {state.began} before the check"
        yield RowDifference(STALE, model.name, what, 1)
    if state.served > state.head:
        what = f"its position is {state.served}, but the log ends at {state.head}"
        yield RowDifference(AHEAD, model.name, what, 1)


def _never_built(
    cursor: Cursor[DictRow], models: Iterable[Projection], began: int
) -> Iterator[CheckedModel]:
    names = {name.rpartition(".")[0] for name in _served_positions(cursor)}
    for model in models:
        if began and model.name not in names:
            what = f"it was never built, and the log has {began} facts"
            yield CheckedModel(
                model.name, 0, 0, (RowDifference(STALE, model.name, what, 1),), built=False
            )


def _versions(cursor: Cursor[DictRow], models: Iterable[Projection]) -> Iterator[str]:
    keys = _served_positions(cursor)
    for model in models:
        others = [name for name in keys if name.rpartition(".")[0] == model.name]
        if others and key(model) not in others:
            served = f"served as {', '.join(others)}, but this program builds {key(model)}"
            yield f"the read model {model.name}: {served}"


def _others(cursor: Cursor[DictRow], models: Iterable[Projection]) -> Iterator[str]:
    tables = [*RUNNER_TABLES, *(table for model in models for table in model.tables)]
    for row in cursor.execute(_OTHERS, (SERVED, tables)):
        yield f"the table {SERVED}.{row['name']}: no read model of this program uses it"
