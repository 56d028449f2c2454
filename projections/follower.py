"""Tells listeners of each fact once the read models hold it, whichever process feeds them."""

from collections.abc import Callable, Sequence
from typing import Final

import structlog

from engine.facts import RecordedFact
from projections.following import LogConsumer
from projections.model import Projection
from projections.pages import read_page
from projections.positions import key, read_positions
from projections.runner import CHANNEL
from projections.session import DbConnections

# Smaller than what the models take at once: rooms of players wait while a page is told.
_PAGE_SIZE: Final = 1_000

Listener = Callable[[Sequence[RecordedFact]], None]
ReadRecent = Callable[[int, int], Sequence[RecordedFact]]
"""The next facts behind a position, at most so many; none where they must be read."""
logger = structlog.get_logger(__name__)


def _no_recent_facts(_after: int, _limit: int) -> Sequence[RecordedFact]:
    return ()


class FactNotifier(LogConsumer[DbConnections]):
    """Calls `listeners` in its own thread, page by page, with every fact once and in order.

    It begins behind the position of the models at its first step. A model that lags behind the
    others keeps nobody waiting. Facts that are `at_hand` it does not read from the log.
    """

    def __init__(
        self,
        conninfo: str,
        models: Sequence[Projection],
        read_recent: ReadRecent = _no_recent_facts,
        *,
        page_size: int = _PAGE_SIZE,
    ) -> None:
        super().__init__()
        self._read_recent = read_recent
        self.listeners: list[Listener] = []
        self._conninfo = conninfo
        self._keys = {key(model) for model in models}
        self._page_size = page_size
        self._notified_position: int | None = None

    def _connect(self) -> DbConnections:
        session = DbConnections(self._conninfo)
        session.listen(CHANNEL)
        return session

    def _advance(self) -> int:
        front = self._front()
        if self._notified_position is None:
            self._notified_position = front
        if front <= self._notified_position:
            return 0
        limit = min(self._page_size, front - self._notified_position)
        page = self._read_recent(self._notified_position, limit) or read_page(
            self._session.log, self._notified_position, limit
        )
        self._notified_position = page[-1].position
        self._notify(page)
        return len(page)

    def _front(self) -> int:
        with self._session.connection.cursor() as cursor:
            positions = read_positions(cursor)
        return max((at for name, at in positions.items() if name in self._keys), default=0)

    def _notify(self, page: Sequence[RecordedFact]) -> None:
        for listener in self.listeners:
            try:
                listener(page)
            except Exception:
                logger.exception("projection_listener_failed")
