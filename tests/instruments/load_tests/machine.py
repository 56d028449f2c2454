"""Where something is measured, and how fast that machine is just then.

A machine that shares its cores and caches with others runs at half its speed in one hour and at
twice that in the next. Ratios bear it, rates do not: they can be compared only beside its own.
"""

import os
import platform
import time

_PLACES = 1 << 20


def conditions() -> dict[str, object]:
    """What does not change while it is measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "load_average_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
    }


def steps_per_second() -> float:
    """A plain Python loop on one core, reading 2^20 numbers in an order no cache foresees."""
    numbers, place, total = list(range(_PLACES)), 1, 0
    began = time.perf_counter()
    for _ in range(_PLACES):
        # Full period: it meets every place once (Numerical Recipes' multiplier and increment).
        place = (place * 1_664_525 + 1_013_904_223) % _PLACES
        total += numbers[place]
    return _PLACES / (time.perf_counter() - began)
