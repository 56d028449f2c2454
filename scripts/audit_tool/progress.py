"""Progress of a long operation, on standard error if that is a terminal."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")
_EVERY_SECONDS = 0.2
_CHECK_EVERY = 1_000


class ProgressMeter:
    """Counts the items that pass through it; silent if standard error is not a terminal."""

    def __init__(self, what: str, total: int) -> None:
        """`what` is the format: `reading {} facts` prints `reading 12,000 of 40,000 facts`."""
        self._what = what
        self._total = total

    def over(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yields the same items, counted."""
        return self._counted(items) if sys.stderr.isatty() else iter(items)

    def _counted(self, items: Iterable[_T]) -> Iterator[_T]:
        printed_at = 0.0
        try:
            for number, item in enumerate(items):
                if number % _CHECK_EVERY == 0 and time.monotonic() > printed_at + _EVERY_SECONDS:
                    printed_at = time.monotonic()
                    self._print(f"{number:,} of {self._total:,}")
                yield item
        finally:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _print(self, counted: str) -> None:
        line = self._what.format(counted)
        print(f"\r\033[K{line} …", end="", file=sys.stderr, flush=True)
