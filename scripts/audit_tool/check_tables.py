"""Compares a served table with the rebuilt one, row by row, in the database."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from psycopg import Cursor
from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed, Identifier

from projections.runner.tables import SERVED

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
