"""Samples, and what is said of them: medians, spreads, and ratios taken round by round."""

import math
from collections.abc import Sequence
from statistics import median

from msgspec import Struct


class Spread(Struct, frozen=True):
    """What repeated runs gave."""

    median: float
    least: float
    most: float


def spread(samples: Sequence[float]) -> Spread:
    """The median and the extremes of at least one sample."""
    return Spread(median(samples), min(samples), max(samples))


def ratios(mine: Sequence[float], yardstick: Sequence[float]) -> Spread | None:
    """Mine to the yardstick, each round by itself, so that slow minutes hit both alike."""
    pairs = [a / b for a, b in zip(mine, yardstick, strict=False)]
    return spread(pairs) if pairs else None


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that so many per cent do not exceed (nearest rank); NaN for none."""
    if not samples:
        return math.nan
    ranked = sorted(samples)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]
