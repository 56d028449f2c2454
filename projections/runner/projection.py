"""The interface between the runner and a read model, and the filter of a page's facts."""

from collections.abc import Container, Iterable, Sequence
from typing import Any, Protocol

from psycopg import Cursor

from engine.facts import RecordedFact


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

        Rows come as tuples. Any exception but a lost connection stops this model: facts are never
        skipped. The model must keep nothing in memory that a rolled-back page would make wrong.
        """


def filter_kinds(page: Iterable[RecordedFact], kinds: Container[type]) -> list[RecordedFact]:
    """Returns the facts of these kinds; isinstance would try each kind of a union on each fact."""
    return [it for it in page if type(it.fact) in kinds]
