"""How far a long piece of work is, on standard error, where somebody is looking."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")
_EVERY_SECONDS = 0.2
_LOOK_EVERY = 1_000


class Progress:
    """Counts what passes through it; says nothing when standard error is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        """`what` is told as in `reading 12,000 of 40,000 facts`, from `reading {} facts`."""
        self._what = what
        self._total = total

    def over(self, items: Iterable[_T]) -> Iterator[_T]:
        """The same items, counted."""
        return self._told(items) if sys.stderr.isatty() else iter(items)

    def _told(self, items: Iterable[_T]) -> Iterator[_T]:
        told = 0.0
        try:
            for number, item in enumerate(items):
                if number % _LOOK_EVERY == 0 and time.monotonic() > told + _EVERY_SECONDS:
                    told = time.monotonic()
                    self._tell(f"{number:,} of {self._total:,}")
                yield item
        finally:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _tell(self, counted: str) -> None:
        line = self._what.format(counted)
        print(f"\r\033[K{line} …", end="", file=sys.stderr, flush=True)
