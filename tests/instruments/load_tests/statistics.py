"""Statistics of samples: medians, spreads, and ratios of the same round."""

import math
from collections.abc import Sequence
from statistics import median

from msgspec import Struct


class SampleStats(Struct, frozen=True):
    """Statistics of repeated runs."""

    median: float
    minimum: float
    maximum: float


def sample_stats(samples: Sequence[float]) -> SampleStats:
    """The median and the extremes of at least one sample."""
    return SampleStats(median(samples), min(samples), max(samples))


def ratios(samples: Sequence[float], yardstick: Sequence[float]) -> SampleStats | None:
    """The ratio to the yardstick in each round, so that slow minutes affect both alike."""
    pairs = [a / b for a, b in zip(samples, yardstick, strict=False)]
    return sample_stats(pairs) if pairs else None


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that is at least this percentile (nearest rank); NaN for none."""
    if not samples:
        return math.nan
    ranked = sorted(samples)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]
