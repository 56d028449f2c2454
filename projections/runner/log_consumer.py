"""The loop of every log consumer: step until no fact is left, wait for notifications, reconnect."""

import threading
from abc import ABC, abstractmethod
from typing import Final, Generic, TypeVar

import structlog

from engine.runtime.log.deadlines import within
from projections.runner.db_connections import CONNECTION_ERRORS, DbConnections, WakeUp

POLL_SECONDS: Final = 0.25
"""The longest wait for a notification: a NOTIFY can get lost."""

LINGER_SECONDS: Final = 0.05
"""How long to wait for more facts where larger pages cost less; the rooms' budget is 100 ms."""

STEP_TIMEOUT_S: Final = 30.0
"""The longest time for the database to complete one step; after it the session is closed."""

logger = structlog.get_logger(__name__)


SessionT = TypeVar("SessionT", bound=DbConnections)


class LogConsumer(ABC, Generic[SessionT]):
    """Call `run` in its own thread until `close`, or `step` repeatedly."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._wake_up = WakeUp()
        self._open_session: SessionT | None = None

    @property
    def closing(self) -> threading.Event:
        """Set by `close`."""
        return self._wake_up.event

    def run(self) -> None:
        """Catch up and follow the log until `close`; reconnects when the connection is lost."""
        away = False
        with self._lock:
            while not self._wake_up.is_set:
                try:
                    moved, away = self.step(), False
                except CONNECTION_ERRORS as error:
                    if not (away or self._wake_up.is_set):
                        logger.warning("projections_disconnected", error=str(error))
                    moved, away = 0, True
                except Exception:
                    logger.exception("projections_step_failed")
                    moved = 0
                if not moved:
                    session = self._open_session
                    self._wake_up.wait(session.connection if session else None, POLL_SECONDS)
                elif self._lingers(moved):
                    self._wake_up.wait(None, LINGER_SECONDS)

    def _lingers(self, moved: int) -> bool:
        """Whether to wait for more facts before the next page, after a page of `moved` facts."""
        del moved
        return False

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
