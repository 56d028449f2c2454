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


class _Backoff(Struct):
    """When to ask next, and the interval after that; times in microseconds."""

    next_at: int = 0
    interval_us: int = FIRST_INTERVAL_US

    def extend(self, now: int) -> None:
        self.next_at = now + self.interval_us
        self.interval_us = min(2 * self.interval_us, LONGEST_INTERVAL_US)


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
        self._answered: dict[tuple[int, str], _Backoff] = {}
        #: By the witness's key: a silent one is asked about one round at a time.
        self._silent: dict[str, _Backoff] = {}

    async def ask_due(self, rounds: Iterable[Round]) -> None:
        """Ask about those of these rounds whose time to ask has come, oldest first.

        A round is not asked about before the unanswered ones of its segment: its link would reveal
        theirs. The first silence ends the call, because each costs the scheduler a timeout.
        """
        now = self._clock()
        unanswered: set[str] = set()
        for round_ in rounds:
            day, silent = round_.opened.day, self._silent.get(_witness_of(round_), _Backoff())
            if day in unanswered:
                continue
            due = max(self._answered.get(_key(round_), _Backoff()).next_at, silent.next_at) <= now
            if due and not await self._ask(round_):
                return
            if _key(round_) not in self._answered:
                unanswered.add(day)

    async def settled(self, rounds: Iterable[Round]) -> bool:
        """Whether the witness has just answered about each of these rounds.

        It is asked each time, because one that could not say may have its records again. A round
        whose witness is no longer known is settled: none can answer for it.
        """
        for round_ in rounds:
            if not await self._ask(round_):
                return False
        return True

    async def _ask(self, round_: Round) -> bool:
        """Ask once, and record the answer. False if none arrived."""
        try:
            answer = await asyncio.to_thread(drawing.late_answer, self._parties, round_)
        except OSError as error:
            if _witness_of(round_) not in self._silent:
                where = {"game": round_.opened.game, "issue": round_.issue}
                _log.warning("awaiting witness's statement", **where, error=repr(error))
            self._silent.setdefault(_witness_of(round_), _Backoff()).extend(self._clock())
            return False
        self._silent.pop(_witness_of(round_), None)
        if answer is not None:
            await self._record(answer)
        self._answered.setdefault(_key(round_), _Backoff()).extend(self._clock())
        return True


def _key(round_: Round) -> tuple[int, str]:
    return round_.opened.game, round_.issue


def _witness_of(round_: Round) -> str:
    return "" if round_.segment is None else round_.segment.witness_key
