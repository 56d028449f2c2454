"""Tells listeners of each fact once the read models hold it, whichever process feeds them."""

from collections.abc import Callable, Sequence
from typing import Final

import structlog

from engine.facts import Recorded
from projections.following import Following
from projections.model import Model
from projections.pages import read_page
from projections.positions import key, read_positions
from projections.runner import CHANNEL
from projections.session import Session

# Smaller than what the models take at once: rooms of players wait while a page is told.
_PAGE_SIZE: Final = 1_000

Listener = Callable[[Sequence[Recorded]], None]
AtHand = Callable[[int, int], Sequence[Recorded]]
"""The next facts behind a position, at most so many; none where they must be read."""
logger = structlog.get_logger(__name__)


def _nothing(_after: int, _limit: int) -> Sequence[Recorded]:
    return ()


class Follower(Following[Session]):
    """Calls `listeners` in its own thread, page by page, with every fact once and in order.

    It begins behind the position of the models at its first step. A model that lags behind the
    others keeps nobody waiting. Facts that are `at_hand` it does not read from the log.
    """

    def __init__(
        self,
        conninfo: str,
        models: Sequence[Model],
        at_hand: AtHand = _nothing,
        *,
        page_size: int = _PAGE_SIZE,
    ) -> None:
        super().__init__()
        self._at_hand = at_hand
        self.listeners: list[Listener] = []
        self._conninfo = conninfo
        self._keys = {key(model) for model in models}
        self._page_size = page_size
        self._told: int | None = None

    def _connect(self) -> Session:
        session = Session(self._conninfo)
        session.listen(CHANNEL)
        return session

    def _advance(self) -> int:
        front = self._front()
        if self._told is None:
            self._told = front
        if front <= self._told:
            return 0
        limit = min(self._page_size, front - self._told)
        page = self._at_hand(self._told, limit) or read_page(self._session.log, self._told, limit)
        self._told = page[-1].position
        self._tell(page)
        return len(page)

    def _front(self) -> int:
        with self._session.connection.cursor() as cursor:
            positions = read_positions(cursor)
        return max((at for name, at in positions.items() if name in self._keys), default=0)

    def _tell(self, page: Sequence[Recorded]) -> None:
        for listener in self.listeners:
            try:
                listener(page)
            except Exception:
                logger.exception("projection_listener_failed")
