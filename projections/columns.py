"""Rows to send: into a table as they are, or as the columns that a statement unnests.

`unnest` stands in the list of a SELECT, where it costs a third of what it costs after FROM.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg import Cursor

from engine.runtime.arrays import Column, integers, texts

_TYPES: Final = {"i": "int8", "s": "int2", "t": "text"}


def columns(types: str, rows: Iterable[Sequence[Any]]) -> list[Column]:
    """One array per letter of `types`: `i` a bigint, `t` a text; there is at least one row."""
    return [
        integers(values) if kind == "i" else texts(values)
        for kind, values in zip(types, zip(*rows, strict=True), strict=True)
    ]


def unnest_select(names: str) -> str:
    """A SELECT of columns of these names, one parameter each."""
    return "SELECT " + ", ".join(f"unnest(%s) AS {name.strip()}" for name in names.split(","))


def insert(table: str, names: str, *, then: str = "") -> str:
    """An INSERT of columns in the order of `names`; `then` is its ON CONFLICT clause."""
    return f"INSERT INTO {table} ({names}) {unnest_select(names)} {then}"


def execute_rows(
    cursor: Cursor[Any], statement: str, types: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Execute a statement over the columns of these rows; without rows do nothing."""
    if rows:
        cursor.execute(statement, columns(types, rows), prepare=True)


def copy(table: str, names: str) -> str:
    """A COPY of rows whose values are in the order of `names`, for `pour`."""
    return f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"


def copy_rows(
    cursor: Cursor[Any], statement: str, types: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Copy these rows, cheaper than an INSERT from some 1,500 on; without rows do nothing.

    A letter of `types` is a column's type: `i` a bigint, `s` a smallint, `t` a text.
    """
    if rows:
        with cursor.copy(statement) as copied:
            copied.set_types([_TYPES[kind] for kind in types])
            for row in rows:
                copied.write_row(row)
