"""Rate limiter of a player's chat messages, so that no one floods a hall."""

from typing import Final

from api.http.refusals import CallRefused
from engine.refusals import Refusal

MAX_MESSAGES: Final = 5
WINDOW_US: Final = 10 * 1_000_000
_MAX_PLAYERS_KEPT: Final = 10_000


class ChatRateLimiter:
    """Each player's newest messages and their times, in microseconds since 1970.

    Used from the event loop only.
    """

    def __init__(self) -> None:
        """Initially empty."""
        self._newest: dict[int, dict[str, int]] = {}

    def acquire(self, player: int, message: str, now: int) -> None:
        """Count a message, unless it is a repetition. Raises CallRefused if there are too many."""
        # Removing and reinserting the player makes them the last to be evicted.
        before = self._newest.pop(player, {})
        newest = {each: at for each, at in before.items() if now - at < WINDOW_US}
        self._newest[player] = newest
        while len(self._newest) > _MAX_PLAYERS_KEPT:
            del self._newest[next(iter(self._newest))]
        if message not in newest and len(newest) >= MAX_MESSAGES:
            raise CallRefused(Refusal.RATE_LIMITED)
        newest.setdefault(message, now)
