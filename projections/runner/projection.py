"""What the runner requires of a read model, and the helpers with which one writes its rows.

Rows are sent by COPY, or as arrays that a statement unnests. `unnest` is in the SELECT list, where
it costs a third of what it costs after FROM.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, Final, Protocol

from psycopg import Cursor

from engine.facts import RecordedFact
from engine.runtime.log.pg_arrays import Column, integers, texts

_TYPES: Final = {"i": "int8", "s": "int2", "t": "text"}
_ARRAYS: Final[dict[str, Callable[[Any], Column]]] = {"i": integers, "t": texts}


class Projection(Protocol):
    """A read model: its tables, and how a page of facts changes them.

    Its SQL names tables without their schema: the search path selects the served ones or the shadow
    copy. A new `version` makes the runner drop the tables and replay the log from the start.
    """

    @property
    def name(self) -> str:
        """The model's name in positions, status and commands."""

    @property
    def version(self) -> int:
        """Must increase with every change of the tables or of their content."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table of the model; each has a primary key."""

    @property
    def schema(self) -> str:
        """SQL that creates the tables."""

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply the next facts of the log, inside the transaction that saves the position.

        The cursor returns rows as tuples. Any exception but a lost connection stops this model:
        facts are never skipped. The model must keep nothing in memory that a rolled-back page
        would make wrong.
        """


def filter_kinds(page: Iterable[RecordedFact], kinds: Container[type]) -> list[RecordedFact]:
    """Returns the facts of these kinds; isinstance would try each kind of a union on each fact."""
    return [it for it in page if type(it.fact) in kinds]


def columns(types: str, rows: Iterable[Sequence[Any]]) -> list[Column]:
    """Returns one array per letter of `types`: `i` bigint, `t` text; `rows` must not be empty."""
    return [
        _ARRAYS[kind](values) for kind, values in zip(types, zip(*rows, strict=True), strict=True)
    ]


def unnest_select(names: str) -> str:
    """Returns a SELECT of columns with these names, one parameter each."""
    return "SELECT " + ", ".join(f"unnest(%s) AS {name.strip()}" for name in names.split(","))


def insert(table: str, names: str, *, then: str = "") -> str:
    """Returns an INSERT of columns in the order of `names`; `then` is its ON CONFLICT clause."""
    return f"INSERT INTO {table} ({names}) {unnest_select(names)} {then}"


def execute_rows(
    cursor: Cursor[Any], statement: str, types: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Execute a statement over the columns of these rows; does nothing without rows."""
    if rows:
        cursor.execute(statement, columns(types, rows), prepare=True)


def copy(table: str, names: str) -> str:
    """Returns a COPY of rows whose values are in the order of `names`, for `copy_rows`."""
    return f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"


def copy_rows(
    cursor: Cursor[Any], statement: str, types: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Copy these rows; cheaper than an INSERT from about 1,500 rows on; does nothing without rows.

    A letter of `types` is a column's type: `i` a bigint, `s` a smallint, `t` a text.
    """
    if rows:
        with cursor.copy(statement) as copied:
            copied.set_types([_TYPES[kind] for kind in types])
            for row in rows:
                copied.write_row(row)
