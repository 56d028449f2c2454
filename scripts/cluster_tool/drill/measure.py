"""What the times of bets and of probes mean. Pure; all times are seconds on one clock."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final

#: A house whose bets stood still for this long must not say that it is ready.
STANDSTILL_S: Final = 5.0


@dataclass(frozen=True)
class Probe:
    """One answer to /readyz: when it came, and whether it was a 200."""

    at: float
    node: str
    is_ready: bool


def longest_gap(accepted: Sequence[float], since: float, until: float) -> float:
    """The longest time without an accepted bet that ended after `since`, or had not by `until`.

    The first gap begins at the last bet before `since`, or at `since` if there is none. `accepted`
    is in order.
    """
    first = bisect_right(accepted, since)
    begin = accepted[first - 1] if first else since
    edges = [begin, *_between(accepted, since, until), until]
    return max(later - earlier for earlier, later in pairwise(edges))


def is_steady(accepted: Sequence[float], now: float, seconds: int) -> bool:
    """Whether a bet was accepted in each of the last `seconds` seconds."""
    return all(_between(accepted, now - second - 1, now - second) for second in range(seconds))


def standstills(accepted: Sequence[float], since: float, until: float) -> list[tuple[float, float]]:
    """The times, from `STANDSTILL_S` after the last bet on, in which bets stood still."""
    edges = [since, *_between(accepted, since, until), until]
    return [
        (earlier + STANDSTILL_S, later)
        for earlier, later in pairwise(edges)
        if later - earlier > STANDSTILL_S
    ]


def ready_while_still_s(
    accepted: Sequence[float], probes: Iterable[Probe], since: float, until: float
) -> float:
    """How long, at most, bets still stood still after a node had said that it was ready.

    Only what a node said after 5 s without a bet counts. 0 if none did; a part of a second is the
    time until the next bet arrives.
    """
    said = [probe.at for probe in probes if probe.is_ready]
    return max(
        (
            end - at
            for begin, end in standstills(accepted, since, until)
            for at in said
            if begin < at < end
        ),
        default=0.0,
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile; of few values the high ones are the maximum."""
    ordered = sorted(values)
    return ordered[max(0, ceil(percent / 100 * len(ordered)) - 1)]


def _between(accepted: Sequence[float], since: float, until: float) -> Sequence[float]:
    """The times after `since`, up to `until`."""
    return accepted[bisect_right(accepted, since) : bisect_right(accepted, until)]
