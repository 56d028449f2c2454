"""A second copy of read models, built from the log's start without touching the served ones."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Self

import psycopg
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from engine.facts import RecordedFact
from engine.runtime.log.fact_log import FactLog, datastore
from projections.runner.db_connections import prepare
from projections.runner.failures import Failure
from projections.runner.log_pages import (
    PAGE_SIZE,
    ApplyError,
    UnreadableError,
    apply_page,
    read_page,
)
from projections.runner.projection import Projection


class ShadowCopy:
    """Models whose tables are in `schema`, read and written by this one connection.

    `positions` are their checkpoints; a model in `failures` stays where it is. Both reflect what
    `connection` has committed or is about to commit, so after an error this object is unusable.
    """

    def __init__(self, conninfo: str, models: Sequence[Projection], schema: str) -> None:
        with ExitStack() as stack:
            self.connection: Connection[DictRow] = stack.enter_context(
                closing(psycopg.connect(conninfo, autocommit=True, row_factory=dict_row))
            )
            self._log = FactLog(stack.enter_context(closing(datastore(conninfo))))
            self._resources = stack.pop_all()
        self.positions: dict[Projection, int] = dict.fromkeys(models, 0)
        self.failures: dict[Projection, Failure] = {}
        prepare(self.connection, schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.close()

    def create(self) -> None:
        """Create the tables; they must not exist."""
        for model in self.positions:
            self.connection.execute(model.schema)

    @property
    def healthy_positions(self) -> dict[Projection, int]:
        """The positions of the models that have not failed."""
        return {
            model: position
            for model, position in self.positions.items()
            if model not in self.failures
        }

    def advance(self, goals: Mapping[Projection, int]) -> bool:
        """Apply one page to the models furthest behind their goals, and never past a goal.

        Returns False, with nothing done, when all have reached their goals or failed.
        """
        lagging = {
            model: position
            for model, position in self.healthy_positions.items()
            if position < goals.get(model, 0)
        }
        if not lagging:
            return False
        after = min(lagging.values())
        models = [model for model, position in lagging.items() if position == after]
        until = min(after + PAGE_SIZE, *(goals[model] for model in models))
        try:
            page = read_page(self._log, after, until - after)
        except UnreadableError as unread:
            self.failures |= dict.fromkeys(models, unread.failure)
        else:
            # A log that was tampered with has gaps, and a page of it can lead too far.
            self._apply(models, [it for it in page if it.position <= until], until)
        return True

    def _apply(
        self, models: Sequence[Projection], page: Sequence[RecordedFact], until: int
    ) -> None:
        try:
            with self.connection.transaction():
                for model in models if page else ():
                    apply_page(self.connection, model, page)
        except ApplyError as refusal:
            if len(page) > 1:
                self._apply(models, page[: len(page) // 2], until)
            else:
                self.failures[refusal.model] = refusal.failure
        else:
            self.positions |= dict.fromkeys(models, page[-1].position if page else until)
