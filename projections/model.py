"""What the runner asks of a read model, and what a model asks of a page."""

from collections.abc import Container, Iterable, Sequence
from typing import Any, Protocol

from psycopg import Cursor

from engine.facts import RecordedFact


class Projection(Protocol):
    """A read model: its tables, and how a page of facts changes them.

    Its SQL names tables alone, never their schema: the search path says whether it is those that
    are served or those built beside them. A new `version` makes the runner drop the tables and
    replay the log from the start.
    """

    @property
    def name(self) -> str:
        """A word that names the model in positions, status and commands."""

    @property
    def version(self) -> int:
        """Counts up with every change of the tables or of what they hold."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table of the model; each has a primary key."""

    @property
    def schema(self) -> str:
        """SQL that creates the tables."""

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Take in the next facts of the log, inside the transaction that saves the position.

        Rows come as tuples. Any exception but a lost connection stops this model: facts are
        never skipped. It keeps nothing in memory that a rolled-back page could make wrong.
        """


def filter_kinds(page: Iterable[RecordedFact], kinds: Container[type]) -> list[RecordedFact]:
    """The facts of these kinds; isinstance would try every kind of a union on every fact."""
    return [it for it in page if type(it.fact) in kinds]
