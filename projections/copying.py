"""Read models built a second time, from the log's start, without touching those served."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Self

import psycopg
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from engine.facts import Recorded
from engine.runtime.log import FactLog, datastore
from projections.failures import Failure
from projections.model import Model
from projections.pages import PAGE_SIZE, CannotApplyError, UnreadableError, apply_page, read_page
from projections.session import prepare


class Copy:
    """Models whose tables are in `schema`, seen and fed by this one connection.

    `positions` says how far each has come; one in `failures` goes no further. They are true of
    what `connection` has committed or is about to: after an error it is of no use any more.
    """

    def __init__(self, conninfo: str, models: Sequence[Model], schema: str) -> None:
        with ExitStack() as held:
            self.connection: Connection[DictRow] = held.enter_context(
                closing(psycopg.connect(conninfo, autocommit=True, row_factory=dict_row))
            )
            self._log = FactLog(held.enter_context(closing(datastore(conninfo))))
            self._held = held.pop_all()
        self.positions: dict[Model, int] = dict.fromkeys(models, 0)
        self.failures: dict[Model, Failure] = {}
        prepare(self.connection, schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()

    def create(self) -> None:
        """Make the tables, which must not be there."""
        for model in self.positions:
            self.connection.execute(model.schema)

    @property
    def standing(self) -> dict[Model, int]:
        """Where those stand that have not failed."""
        return {
            model: position
            for model, position in self.positions.items()
            if model not in self.failures
        }

    def advance(self, goals: Mapping[Model, int]) -> bool:
        """Apply one page to whoever is furthest from the position it is to reach, and not past it.

        False when all have reached theirs or failed, and nothing was done.
        """
        behind = {
            model: position
            for model, position in self.standing.items()
            if position < goals.get(model, 0)
        }
        if not behind:
            return False
        after = min(behind.values())
        models = [model for model, position in behind.items() if position == after]
        until = min(after + PAGE_SIZE, *(goals[model] for model in models))
        try:
            page = read_page(self._log, after, until - after)
        except UnreadableError as unread:
            self.failures |= dict.fromkeys(models, unread.failure)
        else:
            # A log that was tampered with has gaps, and a page of it can lead too far.
            self._take(models, [it for it in page if it.position <= until], until)
        return True

    def _take(self, models: Sequence[Model], page: Sequence[Recorded], until: int) -> None:
        try:
            with self.connection.transaction():
                for model in models if page else ():
                    apply_page(self.connection, model, page)
        except CannotApplyError as refusal:
            if len(page) > 1:
                self._take(models, page[: len(page) // 2], until)
            else:
                self.failures[refusal.model] = refusal.failure
        else:
            self.positions |= dict.fromkeys(models, page[-1].position if page else until)
