"""Asks returning witnesses about the rounds that were voided as unattested.

A witness that was away must say what was true: that it had released its link, or that it never did
and never will. It is asked before a later link of the segment is revealed, because after that it
can sign neither. Without an answer, or with one that says nothing, it is asked again at growing
intervals, until the game has opened `DATES_ASKED` later dates.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog
from msgspec import Struct

from engine.rounds.commands import AnswerLate
from engine.rounds.state import Round
from engine.runtime.scheduler import drawing
from engine.runtime.scheduler.drawing import Parties

FIRST_INTERVAL_US: Final = 60 * 1_000_000
LONGEST_INTERVAL_US: Final = 3600 * 1_000_000
_log = structlog.get_logger()


class _Asked(Struct):
    """When the witness is asked next, the interval after that, and whether it has answered."""

    next_at: int
    interval_us: int = FIRST_INTERVAL_US
    answered: bool = False


class LateAnswers:
    """What this leader has asked; `record` takes the step that makes an answer a fact."""

    def __init__(
        self,
        parties: Parties,
        clock: Callable[[], int],
        record: Callable[[AnswerLate], Awaitable[object]],
    ) -> None:
        """`clock` returns microseconds since 1970."""
        self._parties = parties
        self._clock = clock
        self._record = record
        self._asked: dict[tuple[int, str], _Asked] = {}

    async def ask_due(self, rounds: Iterable[Round]) -> None:
        """Ask about those of these rounds whose time to ask has come."""
        now = self._clock()
        for round_ in rounds:
            if self._of(round_).next_at <= now:
                await self._ask(round_)

    async def settled(self, rounds: Iterable[Round]) -> bool:
        """Whether the witness has answered about each of these rounds; asks it if it has not.

        A round whose witness is no longer known is settled: none can answer for it.
        """
        for round_ in rounds:
            if not self._of(round_).answered and not await self._ask(round_):
                return False
        return True

    def _of(self, round_: Round) -> _Asked:
        key = (round_.opened.game, round_.issue)
        return self._asked.setdefault(key, _Asked(self._clock()))

    async def _ask(self, round_: Round) -> bool:
        """Ask once, and record the answer. False if none arrived."""
        asked = self._of(round_)
        asked.next_at = self._clock() + asked.interval_us
        asked.interval_us = min(2 * asked.interval_us, LONGEST_INTERVAL_US)
        try:
            answer = await asyncio.to_thread(drawing.late_answer, self._parties, round_)
        except OSError as error:
            where = {"game": round_.opened.game, "issue": round_.issue}
            _log.warning("awaiting witness's statement", **where, error=repr(error))
            return False
        if answer is not None:
            await self._record(answer)
        asked.answered = True
        return True
