"""Why closed rounds are not drawn although their draw is due, as far as this leader knows."""

from enum import StrEnum
from typing import Final

import structlog
from msgspec import Struct

from engine.engine_state import RoundKey

EARLIER_ROUND: Final = "earlier_round"
_log = structlog.get_logger()


class Awaiting(StrEnum):
    """What an overdue round waits for: `VOID` if it cannot be drawn at present, only voided."""

    WITNESS = "awaiting_witness"
    BEACON = "awaiting_beacon"
    VOID = "awaiting_void"


class Waiting(Struct, frozen=True):
    """An overdue round's state, and the reason, which this leader found at `since` (µs since 1970).

    `reason` is the witness's reason for declining, `no_answer`, `witness_contradicts`, `no_beacon`,
    `chain_lost`, or `earlier_round`: the round waits for an earlier one of its segment, whose state
    it has.
    """

    state: Awaiting
    reason: str
    since: int


class WaitingRounds:
    """The overdue rounds that this leader could not draw."""

    def __init__(self) -> None:
        """Initially none is known."""
        self._found: dict[RoundKey, Waiting] = {}

    def of(self, game: int, issue: str) -> Waiting | None:
        """Returns why a round waits; None if it does not, or this leader has not tried to draw."""
        return self._found.get((game, issue))

    def add(self, key: RoundKey, state: Awaiting, reason: str, now: int) -> None:
        """Record why a round waits, and log each new reason once; `now` is in microseconds."""
        before = self._found.get(key)
        if before is not None and (before.state, before.reason) == (state, reason):
            return
        self._found[key] = Waiting(state, reason, now)
        game, issue = key
        _log.warning("round waits", game=game, issue=issue, state=state, reason=reason)

    def block(self, key: RoundKey, earlier: RoundKey, now: int) -> None:
        """Record that a round waits because an earlier one does."""
        blocking = self._found.get(earlier)
        if blocking is not None:
            self.add(key, blocking.state, EARLIER_ROUND, now)

    def remove(self, key: RoundKey) -> None:
        """Record that a round no longer waits."""
        self._found.pop(key, None)
