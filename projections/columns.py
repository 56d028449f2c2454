"""Rows to send, turned into the columns that `unnest` takes."""

from collections.abc import Iterable, Sequence
from typing import Any

from psycopg import Cursor

from engine.runtime.arrays import Column, integers, texts


def columns(types: str, rows: Iterable[Sequence[Any]]) -> list[Column]:
    """One array per letter of `types`: `i` a bigint, `t` a text; there is at least one row."""
    return [
        integers(values) if kind == "i" else texts(values)
        for kind, values in zip(types, zip(*rows, strict=True), strict=True)
    ]


def insert(table: str, names: str, *, then: str = "") -> str:
    """An INSERT of columns in the order of `names`; `then` is its ON CONFLICT clause."""
    places = ", ".join(["%s"] * len(names.split(",")))
    return f"INSERT INTO {table} ({names}) SELECT * FROM unnest({places}) {then}"


def write(cursor: Cursor[Any], statement: str, types: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement over the columns of these rows; without rows do nothing."""
    if rows:
        cursor.execute(statement, columns(types, rows), prepare=True)
