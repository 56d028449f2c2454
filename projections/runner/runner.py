"""Feeds the read models: reads each page of the log once for all of them, one transaction a page.

`LogConsumer` is the loop of every consumer of the log: it steps until no fact is left, waits for a
notification, and reconnects. Rules of the models' runner:
- A page's rows and the models' positions commit together, or not at all.
- One session leads: it has an advisory lock, listens, and is the only one to write. Others wait,
  and have the server end the leader's session when it has been idle for seconds.
- Models at the same position share a page. One that lags (it is new, or a rebuild put another
  ahead) takes its own pages between the others', never past them, until it has caught up.
- A model that cannot apply a fact stops there with an error, and no fact is skipped; the others
  continue.
- A runner that does not know a fact's topic stops all models there and no longer leads, so that the
  runner of the newer version, which wrote the fact, continues.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

import structlog

from engine.facts import RecordedFact, UnknownTopicError
from engine.runtime.log.deadlines import within
from engine.runtime.log.fact_log import StoredFact
from projections.runner.db_connections import (
    CONNECTION_ERRORS,
    DbConnections,
    WakeUp,
    WriterConnections,
)
from projections.runner.log_pages import (
    PAGE_SIZE,
    ApplyError,
    UnreadableError,
    apply_page,
    read_page,
)
from projections.runner.projection import Projection
from projections.runner.tables import (
    CheckpointMovedError,
    Failure,
    ModelStatus,
    drop_leftovers,
    key,
    read_failures,
    read_positions,
    record_failure,
    reset_failures,
    status_of,
)

POLL_SECONDS: Final = 0.25
"""The longest wait for a notification: a NOTIFY can get lost."""

LINGER_SECONDS: Final = 0.05
"""How long to wait for more facts where larger pages cost less; the rooms' budget is 100 ms."""

STEP_TIMEOUT_S: Final = 30.0
"""The longest time for the database to complete one step; after it the session is closed."""

logger = structlog.get_logger(__name__)


SessionT = TypeVar("SessionT", bound=DbConnections)
CHANNEL: Final = "views"
"""The channel that is notified of each applied page."""
LINGER_MIN_FACTS: Final = 20
"""Wait for more facts after a page of at least this many that was not full: more will follow.

A page writes each player's row once. Under a load of bets over HTTP pages of 115 facts take 80 µs
of processor time a fact, those of 45 without the wait 131 µs; one of 5,000 costs a quarter less
than one of 1,000.
"""
_ANNOUNCE: Final = f"NOTIFY {CHANNEL}"


class LogConsumer(ABC, Generic[SessionT]):
    """Call `run` in its own thread until `close`, or `step` repeatedly."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._wake_up = WakeUp()
        self._open_session: SessionT | None = None
        self._at_front = False
        """Whether the last page was the newest when it was read: a notification announces more."""

    @property
    def closing(self) -> threading.Event:
        """Set by `close`."""
        return self._wake_up.event

    def run(self) -> None:
        """Catch up and follow the log until `close`; reconnects when the connection is lost."""
        away = False
        with self._lock:
            while not self._wake_up.is_set:
                moved, has_more = 0, False
                try:
                    moved, away = self.step(), False
                    has_more = self._session.notified or (moved > 0 and not self._at_front)
                except CONNECTION_ERRORS as error:
                    if not (away or self._wake_up.is_set):
                        logger.warning("projections_disconnected", error=str(error))
                    away = True
                except Exception:
                    logger.exception("projections_step_failed")
                linger_s = self._linger_s(moved)
                if linger_s is not None:
                    self._wake_up.wait(None, linger_s)
                elif not has_more:
                    session = self._open_session
                    self._wake_up.wait(session.connection if session else None, POLL_SECONDS)

    def _linger_s(self, moved: int) -> float | None:
        """How long to wait for more facts after a page of `moved` facts; None for not at all."""
        del moved
        return None

    @abstractmethod
    def _connect(self) -> SessionT:
        """Open the connections that the steps need."""

    @abstractmethod
    def _advance(self) -> int:
        """Process the next page; returns the number of facts in it, 0 if there is none."""

    def step(self) -> int:
        """Process the next page; returns the number of facts in it, 0 if there is none yet.

        Raises OperationalError if the connection was lost; the next step connects again.
        """
        with self._lock:
            try:
                with within(self._session.connection, STEP_TIMEOUT_S):
                    self._session.forget_notifications()
                    return self._advance()
            except CONNECTION_ERRORS:
                self._disconnect()
                raise

    def close(self) -> None:
        """Stop after the current page, and disconnect."""
        self._wake_up.set()
        with self._lock:
            self._disconnect()
            self._wake_up.close()

    @property
    def _session(self) -> SessionT:
        if self._open_session is None:
            self._open_session = self._connect()
        return self._open_session

    def _disconnect(self) -> None:
        if self._open_session is not None:
            self._open_session.close()
            self._open_session = None


class ProjectionRunner(LogConsumer[WriterConnections]):
    """Keeps `models` up to date with the log."""

    def __init__(
        self,
        conninfo: str,
        models: Sequence[Projection],
        *,
        page_size: int = PAGE_SIZE,
        stored: Callable[[Sequence[StoredFact]], None] | None = None,
    ) -> None:
        """`stored` is called with the facts of each page as they are stored."""
        assert models
        super().__init__()
        self.models = tuple(models)
        self._page_size = page_size
        self._stored = stored
        self.conninfo = conninfo
        self._installed = False
        self._is_outdated = False

    def _connect(self) -> WriterConnections:
        return WriterConnections(self.conninfo)

    def install(self) -> bool:
        """Take the lead, and empty the tables of models that are new or have a new version.

        Returns False if another session leads.
        """
        with self._lock:
            session = self._session
            if not session.leads:
                if not session.try_lead():
                    return False
                reset_failures(session.connection)
            if not self._installed:
                drop_leftovers(session.connection, self.models)
                session.positions.create_table()
                for model in self.models:
                    session.positions.install(session.connection, model)
                self._installed = True
            return True

    def status(self) -> tuple[ModelStatus, ...]:
        """Returns each model's position, its lag, and why it stopped, if it did.

        Raises OperationalError if the database is not available.
        """
        return status_of(self.conninfo, self.models)

    def _healthy_positions(self) -> dict[Projection, int]:
        """Returns the positions of the models that have not failed; a rebuild clears a failure."""
        with self._session.connection.cursor() as cursor:
            positions, failures = read_positions(cursor), read_failures(cursor)
        return {model: positions[key(model)] for model in self.models if key(model) not in failures}

    def _linger_s(self, moved: int) -> float | None:
        return LINGER_SECONDS if LINGER_MIN_FACTS <= moved < self._page_size else None

    def _advance(self) -> int:
        if self._is_outdated and not self._session.leads:
            return 0
        try:
            taken = self._apply_pages() if self.install() else 0
        except CheckpointMovedError:
            return 0
        if self._is_outdated and not taken:
            self._session.stop_leading()
        return taken

    def _apply_pages(self) -> int:
        positions = self._healthy_positions()
        taken = 0
        front: int | None = None
        for position in sorted(set(positions.values()), reverse=True):
            models = [model for model, at in positions.items() if at == position]
            limit = self._page_size if front is None else min(self._page_size, front - position)
            page = self._read(models, position, limit)
            if front is None:
                front = position + len(page)
            if page:
                self._apply(models, page)
                taken += len(page)
        self._at_front = len(set(positions.values())) == 1 and taken < self._page_size
        return taken

    def _read(self, models: Sequence[Projection], after: int, limit: int) -> list[RecordedFact]:
        try:
            return read_page(self._session.log, after, limit, self._stored)
        except UnreadableError as unread:
            self._is_outdated |= isinstance(unread.__cause__, UnknownTopicError)
            for model in models:
                self._fail(model, unread.failure, unread.__cause__)
            return []

    def _apply(self, models: Sequence[Projection], page: Sequence[RecordedFact]) -> None:
        remaining = list(models)
        while remaining and (refusal := self._try_apply(remaining, page)):
            remaining.remove(refusal.model)
            self._bisect_page(refusal.model, page)

    def _try_apply(
        self, models: Sequence[Projection], page: Sequence[RecordedFact]
    ) -> ApplyError | None:
        before = page[0].position - 1
        try:
            connection = self._session.connection
            with connection.transaction(), connection.cursor() as cursor:
                self._session.positions.lock(cursor, {key(model): before for model in models})
                for model in models:
                    apply_page(connection, model, page)
                self._session.positions.save(cursor, models, page[-1].position)
                cursor.execute(_ANNOUNCE, prepare=True)
        except ApplyError as refusal:
            return refusal
        return None

    def _bisect_page(self, model: Projection, page: Sequence[RecordedFact]) -> None:
        """Apply the facts before the first one that the model cannot apply; stop it there."""
        while page:
            half = page[: max(1, len(page) // 2)]
            refusal = self._try_apply([model], half)
            if refusal is None:
                page = page[len(half) :]
            elif len(half) > 1:
                page = half
            else:
                return self._fail(model, refusal.failure, refusal.__cause__)
        return None

    def _fail(self, model: Projection, failure: Failure, error: BaseException | None) -> None:
        record_failure(self._session.connection, key(model), failure)
        logger.error(
            "projection_failed",
            model=model.name,
            position=failure.position,
            stream=failure.stream,
            topic=failure.topic,
            exc_info=error,
        )
