"""What everybody does who follows the log: step until nothing is left, wait for news, reconnect."""

import threading
from abc import ABC, abstractmethod
from typing import Final, Generic, TypeVar

import structlog

from engine.runtime.deadlines import within
from projections.session import CONNECTION_ERRORS, DbConnections, WakeUp

POLL_SECONDS: Final = 0.25
"""The longest wait for news: a NOTIFY can get lost."""

LINGER_SECONDS: Final = 0.05
"""How long more is let arrive where larger pages cost less; the rooms' 100 ms have room for it."""

STEP_TIMEOUT_S: Final = 30.0
"""The longest that the database may take over one step; then the session is given up."""

logger = structlog.get_logger(__name__)


SessionT = TypeVar("SessionT", bound=DbConnections)


class LogConsumer(ABC, Generic[SessionT]):
    """`run` in a thread of its own until `close`, or `step` by step."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._wake_up = WakeUp()
        self._open_session: SessionT | None = None

    @property
    def closing(self) -> threading.Event:
        """Set by `close`."""
        return self._wake_up.event

    def run(self) -> None:
        """Catch up and follow the log until `close`; reconnects whenever the database went away."""
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
        """Whether to let more arrive before the next page, after one of so many facts."""
        del moved
        return False

    @abstractmethod
    def _connect(self) -> SessionT:
        """Open what the steps need of the database."""

    @abstractmethod
    def _advance(self) -> int:
        """Take the next page; the number of facts in it, 0 when there is none."""

    def step(self) -> int:
        """Take the next page; the number of facts in it, 0 when there is none for now.

        An OperationalError: the database went away, and the next step connects anew.
        """
        with self._lock:
            try:
                with within(self._session.connection, STEP_TIMEOUT_S):
                    return self._advance()
            except CONNECTION_ERRORS:
                self._disconnect()
                raise

    def close(self) -> None:
        """Stop behind the page in hand, and disconnect."""
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
