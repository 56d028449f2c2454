"""Feeds the read models: reads the log in pages, once for all, a page a transaction.

Rules of this module:
- A page's rows and the models' positions commit together, or not at all.
- One session leads: it holds an advisory lock, listens, and is the only one to write. Others wait.
- Models that stand at the same position share a page. One that lags (it is new, or a rebuild put
  another ahead) takes pages of its own between the others', never past them, until it caught up.
- A model that cannot apply a fact stops there, loudly, and nothing is skipped; the others go on.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final

import psycopg
import structlog
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from engine.facts import Recorded
from projections.model import Model
from projections.pages import PAGE_SIZE, CannotApplyError, UnreadableError, apply_page, read_page
from projections.positions import PositionMovedError, key, read_positions
from projections.session import LOST, Bell, Session
from projections.status import Failure, ModelStatus, read_status
from projections.tables import sweep

POLL_SECONDS: Final = 0.25

Listener = Callable[[Sequence[Recorded]], None]
logger = structlog.get_logger(__name__)


class Runner:
    """Keeps `models` up to date with the log; `run` in a thread of its own, or `step` by step.

    `listeners` are called after each committed page, in the runner's thread, with every fact
    once and in order, beginning behind the position of the models at the start.
    """

    def __init__(
        self, conninfo: str, models: Sequence[Model], *, page_size: int = PAGE_SIZE
    ) -> None:
        assert models
        self.listeners: list[Listener] = []
        self._models = tuple(models)
        self._page_size = page_size
        self._failures: dict[str, Failure] = {}
        self._announced: int | None = None
        self._conninfo = conninfo
        self._open_session: Session | None = None
        self._installed = False
        self._turn = threading.RLock()
        self._bell = Bell()

    def run(self) -> None:
        """Catch up and follow the log until `close`; reconnects whenever the database went away."""
        away = False
        with self._turn:
            while not self._bell.rung:
                try:
                    moved, away = self.step(), False
                except LOST as error:
                    if not (away or self._bell.rung):
                        logger.warning("projections_disconnected", error=str(error))
                    moved, away = 0, True
                except Exception:
                    logger.exception("projections_step_failed")
                    moved = 0
                if not moved:
                    # At most the poll's time: a NOTIFY can get lost.
                    session = self._open_session
                    self._bell.wait(session.connection if session else None, POLL_SECONDS)

    def step(self) -> int:
        """Apply the next page of each model; the number of facts taken, 0 at the log's end.

        Also 0 while another runner leads. An OperationalError: the database went away, and the
        next step connects anew.
        """
        with self._turn:
            try:
                return self._advance() if self.install() else 0
            except PositionMovedError:
                return 0
            except LOST:
                self._leave()
                raise

    def install(self) -> bool:
        """Take the lead and make the tables that are not there yet; False if another leads."""
        with self._turn:
            if self._open_session is None:
                self._open_session = Session(self._conninfo)
            session = self._open_session
            if not session.leads and not session.lead():
                return False
            if not self._installed:
                sweep(session.connection)
                session.positions.create_table()
                for model in self._models:
                    session.positions.install(session.connection, model)
                self._announced = max(self._standing().values())
                self._installed = True
            return True

    def status(self) -> tuple[ModelStatus, ...]:
        """Each model's position, how far it lags and why it stopped, if it did.

        An OperationalError when the database is away.
        """
        with (
            psycopg.connect(self._conninfo, autocommit=True, row_factory=dict_row) as connection,
            connection.cursor() as cursor,
        ):
            return read_status(cursor, self._models, self._failures)

    def close(self) -> None:
        """Stop behind the page in hand and give up the lead."""
        self._bell.ring()
        with self._turn:
            self._leave()
            self._bell.close()

    def _leave(self) -> None:
        if self._open_session is not None:
            self._open_session.close()
            self._open_session = None

    @property
    def _session(self) -> Session:
        assert self._open_session is not None
        return self._open_session

    @property
    def _connection(self) -> Connection[DictRow]:
        return self._session.connection

    def _standing(self) -> dict[Model, int]:
        """Where the models stand that have not failed; one rebuilt since is healthy."""
        with self._connection.cursor() as cursor:
            positions = read_positions(cursor)
        for model in self._models:
            failure = self._failures.get(model.name)
            if failure and positions[key(model)] != failure.position - 1:
                del self._failures[model.name]
        healthy = (model for model in self._models if model.name not in self._failures)
        return {model: positions[key(model)] for model in healthy}

    def _advance(self) -> int:
        standing = self._standing()
        self._announce_until(max(standing.values(), default=0))
        taken = 0
        front: int | None = None
        for position in sorted(set(standing.values()), reverse=True):
            models = [model for model, at in standing.items() if at == position]
            room = self._page_size if front is None else min(self._page_size, front - position)
            page = self._read(models, position, room)
            if front is None:
                front = position + len(page)
            if page:
                self._take(models, page)
                taken += len(page)
        return taken

    def _read(self, models: Sequence[Model], after: int, limit: int) -> list[Recorded]:
        try:
            return read_page(self._session.log, after, limit)
        except UnreadableError as unread:
            for model in models:
                self._fail(model, unread.failure, unread.__cause__)
            return []

    def _take(self, models: Sequence[Model], page: Sequence[Recorded]) -> None:
        able = list(models)
        while able and (refusal := self._try(able, page)):
            able.remove(refusal.model)
            self._isolate(refusal.model, page)
        if able:
            self._announce(page)

    def _try(self, models: Sequence[Model], page: Sequence[Recorded]) -> CannotApplyError | None:
        before = page[0].position - 1
        try:
            with self._connection.transaction(), self._connection.cursor() as cursor:
                self._session.positions.hold(cursor, {key(model): before for model in models})
                for model in models:
                    apply_page(self._connection, model, page)
                self._session.positions.save(cursor, models, page[-1].position)
        except CannotApplyError as refusal:
            return refusal
        return None

    def _isolate(self, model: Model, page: Sequence[Recorded]) -> None:
        """Apply what this model can of the page, and stop it at the first fact it cannot."""
        while page:
            half = page[: max(1, len(page) // 2)]
            refusal = self._try([model], half)
            if refusal is None:
                page = page[len(half) :]
            elif len(half) > 1:
                page = half
            else:
                return self._fail(model, refusal.failure, refusal.__cause__)
        return None

    def _fail(self, model: Model, failure: Failure, error: BaseException | None) -> None:
        self._failures[model.name] = failure
        logger.error(
            "projection_failed",
            model=model.name,
            position=failure.position,
            stream=failure.stream,
            topic=failure.topic,
            exc_info=error,
        )

    def _announce_until(self, position: int) -> None:
        """Tell what others applied: a rebuild that was swapped in, a program that led before."""
        while self.listeners and (done := self._announced or 0) < position:
            room = min(self._page_size, position - done)
            self._announce(read_page(self._session.log, done, room))

    def _announce(self, page: Sequence[Recorded]) -> None:
        done = self._announced or 0
        news = page if page[0].position > done else [it for it in page if it.position > done]
        if not news:
            return
        self._announced = news[-1].position
        for listener in self.listeners:
            try:
                listener(news)
            except Exception:
                logger.exception("projection_listener_failed")
