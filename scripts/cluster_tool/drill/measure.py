"""What the times of bets, draws and probes mean. Pure; all times are seconds on one clock."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final

from engine.catalogue import GAMES
from engine.schedule import SECOND_US, Schedule, current

#: A house whose bets or draws stood still for this long must not say that it is ready.
STANDSTILL_S: Final = 5.0
_MOMENT_S: Final = 0.1
Span = tuple[float, float]


@dataclass(frozen=True)
class Probe:
    """One answer to /readyz: when it came, and whether it was a 200."""

    at: float
    node: str
    is_ready: bool


@dataclass(frozen=True)
class Draw:
    """A round: when its draw was due, and when it was seen to be drawn or voided, if it was."""

    game: int
    issue: str
    due: float
    done: float | None = None


def longest_gap(accepted: Sequence[float], since: float, until: float) -> float:
    """The longest time without an accepted bet that ended after `since`, or had not by `until`.

    The first gap begins at the last bet before `since`, or at `since` if there is none. `accepted`
    is in order.
    """
    first = bisect_right(accepted, since)
    begin = accepted[first - 1] if first else since
    edges = [begin, *_between(accepted, since, until), until]
    return max(later - earlier for earlier, later in pairwise(edges))


def without_sale(schedule: Schedule, since: float, until: float) -> list[float]:
    """The moments, a tenth of a second apart, in which no game sells a round, as between two days.

    The house does not stand still then: such a moment counts as if a bet had been accepted. Unlike
    other times here these are seconds since 1970.
    """
    steps = range(int((until - since) / _MOMENT_S) + 1)
    moments = (since + _MOMENT_S * step for step in steps)
    return [at for at in moments if not _sells(schedule, int(at * SECOND_US))]


def _sells(schedule: Schedule, now: int) -> bool:
    slots = (current(schedule, game, now) for game in GAMES)
    return any(slot is not None and slot.opens_at <= now < slot.closes_at for slot in slots)


def is_steady(accepted: Sequence[float], now: float, seconds: int) -> bool:
    """Whether a bet was accepted in each of the last `seconds` seconds."""
    return all(_between(accepted, now - second - 1, now - second) for second in range(seconds))


def bets_still(accepted: Sequence[float], since: float, until: float) -> list[Span]:
    """The times, from `STANDSTILL_S` after the last bet on, in which bets stood still."""
    edges = [since, *_between(accepted, since, until), until]
    return [
        (earlier + STANDSTILL_S, later)
        for earlier, later in pairwise(edges)
        if later - earlier > STANDSTILL_S
    ]


def draws_still(draws: Iterable[Draw], since: float, until: float) -> list[Span]:
    """The times, from `STANDSTILL_S` after a draw was due on, in which it was missing."""
    spans = (
        (max(since, draw.due + STANDSTILL_S), until if draw.done is None else min(draw.done, until))
        for draw in draws
    )
    return [(begin, end) for begin, end in spans if begin < end]


def ready_while_still_s(still: Iterable[Span], probes: Iterable[Probe]) -> float:
    """How long, at most, bets or draws still stood still after a node had said that it was ready.

    0 if no node did while they stood still; a part of a second is the time until the next bet or
    draw arrives.
    """
    said = [probe.at for probe in probes if probe.is_ready]
    return max((end - at for begin, end in still for at in said if begin < at < end), default=0.0)


def draw_errors(draws: Iterable[Draw], since: float, until: float) -> tuple[float, float]:
    """By how many seconds, at most, a draw between these times was early, and late; never below 0.

    A draw that is missing at `until` is late until then.
    """
    early = late = 0.0
    for draw in draws:
        done = until if draw.done is None else draw.done
        if since <= done <= until:
            late = max(late, done - draw.due)
            early = max(early, draw.due - done) if draw.done is not None else early
    return early, late


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile; of few values the high ones are the maximum."""
    ordered = sorted(values)
    return ordered[max(0, ceil(percent / 100 * len(ordered)) - 1)]


def _between(accepted: Sequence[float], since: float, until: float) -> Sequence[float]:
    """The times after `since`, up to `until`."""
    return accepted[bisect_right(accepted, since) : bisect_right(accepted, until)]
