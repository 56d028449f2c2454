"""How fast a member may speak: whoever goes on faster would drown the hall."""

from typing import Final

from api.envelope import CallRefused
from engine.refusals import Refusal

MAX_MESSAGES: Final = 5
WINDOW_US: Final = 10 * 1_000_000
_MAX_PLAYERS_KEPT: Final = 10_000


class ChatRateLimiter:
    """Each member's newest messages and when they came, in microseconds since 1970.

    Used from the event loop alone.
    """

    def __init__(self) -> None:
        """Nobody has said anything."""
        self._newest: dict[int, dict[str, int]] = {}

    def acquire(self, player: int, message: str, now: int) -> None:
        """One more message, unless it is a repeated one; CallRefused when there are too many."""
        # Taken out and put back, a member is among the last to be forgotten.
        before = self._newest.pop(player, {})
        newest = {each: at for each, at in before.items() if now - at < WINDOW_US}
        self._newest[player] = newest
        while len(self._newest) > _MAX_PLAYERS_KEPT:
            del self._newest[next(iter(self._newest))]
        if message not in newest and len(newest) >= MAX_MESSAGES:
            raise CallRefused(Refusal.RATE_LIMITED)
        newest.setdefault(message, now)
