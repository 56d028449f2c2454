"""Finds small subsets of amounts with a given sum: a bounded, deterministic search."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct


class SubsetSums(Struct, frozen=True):
    """Subsets found, as indexes into the amounts; `complete` if there are no others."""

    found: tuple[tuple[int, ...], ...]
    complete: bool


def sums(
    amounts: Sequence[int], low: int, high: int, *, parts: int, steps: int, max_found: int
) -> SubsetSums:
    """Every subset of two to `parts` amounts whose sum is from `low` to `high`.

    `amounts` are above zero, the largest first. Ends after `max_found` subsets, or after `steps`
    steps.
    """
    search = _Search(amounts, steps, max_found)
    complete = parts > 1 and search.run(0, (), parts, low, high)
    return SubsetSums(tuple(search.found), complete or parts < 2)  # noqa: PLR2004 - one is no sum


class _Search:
    def __init__(self, amounts: Sequence[int], steps: int, max_found: int) -> None:
        self.found: list[tuple[int, ...]] = []
        self._amounts = amounts
        self._ascending = [
            -amount for amount in amounts
        ]  # negated, because bisect needs ascending order
        self._until = [0, *accumulate(amounts)]
        self._steps = steps
        self._max_found = max_found

    def run(self, start: int, chosen: tuple[int, ...], parts: int, low: int, high: int) -> bool:
        """Choose at most `parts` more from `start` on; False if the search was cut short."""
        if chosen and not self._add_last(start, chosen, low, high):
            return False
        if parts == 1:
            return True
        # Skip amounts that are too large alone, and stop where even the next `parts` do not
        # suffice.
        for index in range(self._not_above(high, start), len(self._amounts)):
            end = min(index + parts, len(self._amounts))
            if self._until[end] - self._until[index] < low:
                return True
            self._steps -= 1
            if self._steps < 0:
                return False
            rest = self._amounts[index]
            if not self.run(index + 1, (*chosen, index), parts - 1, low - rest, high - rest):
                return False
        return True

    def _add_last(self, start: int, chosen: tuple[int, ...], low: int, high: int) -> bool:
        end = bisect_right(self._ascending, -max(low, 1), start)
        for index in range(self._not_above(high, start), end):
            if len(self.found) == self._max_found:
                return False
            self.found.append((*chosen, index))
        return True

    def _not_above(self, high: int, start: int) -> int:
        return bisect_left(self._ascending, -high, start)
