"""The machine of a measurement, and its speed at that time.

A machine that shares its cores and caches with others may run at half its speed in one hour and at
twice that in the next. Ratios stay comparable; rates are comparable only together with this speed.
"""

import os
import platform
import sys
import time

_PLACES = 1 << 20


def conditions() -> dict[str, object]:
    """Properties that do not change during a measurement."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "load_average_before": round(os.getloadavg()[0], 2),
        # One built without optimization makes the writer a fifth slower than the distribution's.
        "python": f"{platform.python_version()} of {sys.base_prefix}",
    }


def steps_per_second() -> float:
    """A Python loop on one core that reads 2^20 numbers in an order no cache can predict."""
    numbers, place, total = list(range(_PLACES)), 1, 0
    began = time.perf_counter()
    for _ in range(_PLACES):
        # Full period: it visits every place once (Numerical Recipes' multiplier and increment).
        place = (place * 1_664_525 + 1_013_904_223) % _PLACES
        total += numbers[place]
    return _PLACES / (time.perf_counter() - began)
