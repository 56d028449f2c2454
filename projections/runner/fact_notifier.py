"""Sends each fact to the listeners of a server process once a read model has applied it."""

from collections.abc import Callable, Sequence
from typing import Final

import structlog
from msgspec import structs

from engine.facts import RecordedFact, UnknownTopicError
from projections.runner.db_connections import DbConnections
from projections.runner.log_pages import UnreadableError, read_page
from projections.runner.projection import Projection
from projections.runner.runner import CHANNEL, POLL_SECONDS, LogConsumer
from projections.runner.tables import Failure, key, read_positions

# Smaller than a page of the models: players in the rooms wait while a page is sent.
_PAGE_SIZE: Final = 1_000

Listener = Callable[[Sequence[RecordedFact]], bool | None]
"""Receives a page. If it returns True or raises, it is called again soon, even without a page."""
ReadRecent = Callable[[int, int], Sequence[RecordedFact]]
"""Returns the next facts after a position, up to a limit; none if the log must be read."""
logger = structlog.get_logger(__name__)


def _no_recent_facts(_after: int, _limit: int) -> Sequence[RecordedFact]:
    return ()


class FactNotifier(LogConsumer[DbConnections]):
    """Calls `listeners` in its own thread, page by page, with every fact once and in order.

    It begins after the models' position at its first step. A model that lags behind the others does
    not delay it. Facts that `read_recent` returns are not read from the log. While `is_watched` is
    false, its pages are few and large. It stops at a fact whose topic this program does not know:
    `stopped` is that fact, and why.
    """

    def __init__(
        self,
        conninfo: str,
        models: Sequence[Projection],
        read_recent: ReadRecent = _no_recent_facts,
        is_watched: Callable[[], bool] = lambda: True,
        *,
        page_size: int = _PAGE_SIZE,
    ) -> None:
        super().__init__()
        self._read_recent = read_recent
        self._is_watched = is_watched
        self.listeners: list[Listener] = []
        self._conninfo = conninfo
        self._keys = {key(model) for model in models}
        self._page_size = page_size
        self._notified_position: int | None = None
        self._front = 0
        self._has_work_left = False
        self.stopped: Failure | None = None

    def _connect(self) -> DbConnections:
        session = DbConnections(self._conninfo)
        session.listen(CHANNEL)
        return session

    def _linger_s(self, moved: int) -> float | None:
        return POLL_SECONDS if moved and not self._is_watched() else None

    def _advance(self) -> int:
        if self._notified_position is None:
            self._notified_position = self._front = self._read_front()
        if self._front <= self._notified_position:
            self._front = self._read_front()
        if self.stopped is not None or self._front <= self._notified_position:
            if self._has_work_left:
                self._notify(())
            return 0
        limit = min(self._page_size, self._front - self._notified_position)
        try:
            page = self._read_recent(self._notified_position, limit) or read_page(
                self._session.log, self._notified_position, limit
            )
        except UnreadableError as unread:
            if not isinstance(unread.__cause__, UnknownTopicError):
                raise
            self.stopped = unread.failure
            logger.error(  # noqa: TRY400 - the failure says it
                "projection_listeners_stopped", **structs.asdict(unread.failure)
            )
            return 0
        self._notified_position = page[-1].position
        self._at_front = self._notified_position == self._front
        self._notify(page)
        return len(page)

    def _read_front(self) -> int:
        with self._session.connection.cursor() as cursor:
            positions = read_positions(cursor)
        return max((at for name, at in positions.items() if name in self._keys), default=0)

    def _notify(self, page: Sequence[RecordedFact]) -> None:
        self._has_work_left = False
        for listener in self.listeners:
            try:
                self._has_work_left |= bool(listener(page))
            except Exception:
                self._has_work_left = True
                if page:  # the repeats of a failure that lasts, several a second, say nothing new
                    logger.exception("projection_listener_failed")
