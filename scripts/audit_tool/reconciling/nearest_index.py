"""Finds items by direction, amount and day, in time that hardly grows with their number."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice

from scripts.audit_tool.reconciling.items import Item, MatchTolerance

_MAX_ALIKE = 12  # a second one already makes the match ambiguous; the others are only listed


class NearestIndex:
    """The items of one side, queried for one item of the other side at a time."""

    def __init__(self, items: Iterable[Item], limits: MatchTolerance) -> None:
        self._limits = limits
        self._by_amount: defaultdict[int, list[Item]] = defaultdict(list)
        self._by_sign: defaultdict[bool, list[Item]] = defaultdict(list)
        for item in sorted(items, key=_order):
            if item.amount_minor:
                self._by_amount[item.amount_minor].append(item)
                self._by_sign[item.amount_minor > 0].append(item)
        self._amounts = sorted(self._by_amount)
        self._sums = {
            sign: [0, *accumulate(item.amount_minor for item in found)]
            for sign, found in self._by_sign.items()
        }

    def alike(self, target: Item) -> list[Item]:
        """Returns those within the tolerances of the target, at most a dozen."""
        return list(islice(self._alike(target), _MAX_ALIKE))

    def _alike(self, target: Item) -> Iterator[Item]:
        tolerance = self._limits.tolerance_minor
        first = bisect_left(self._amounts, target.amount_minor - tolerance)
        for amount in islice(self._amounts, first, None):
            if amount > target.amount_minor + tolerance:
                return
            if (amount > 0) == (target.amount_minor > 0) and target.amount_minor:
                found = self._by_amount[amount]
                yield from islice(found, *self._window(found, target))

    def all_together(self, target: Item) -> list[Item]:
        """Returns all items of the target's days and direction, if they add up to the target."""
        found = self._by_sign[target.amount_minor > 0]
        first, end = self._window(found, target)
        sums = self._sums.get(target.amount_minor > 0, [0])
        apart = abs(sums[end] - sums[first] - target.amount_minor)
        return found[first:end] if end - first > 1 and apart <= self._limits.tolerance_minor else []

    def smaller(self, target: Item) -> list[Item]:
        """Returns the possible parts of the target, the largest first."""
        max_amount = abs(target.amount_minor) + self._limits.tolerance_minor
        found = self._by_sign[target.amount_minor > 0] if target.amount_minor else []
        first, end = self._window(found, target)
        parts = [item for item in islice(found, first, end) if abs(item.amount_minor) < max_amount]
        return sorted(parts, key=lambda item: (-abs(item.amount_minor), *_order(item)))

    def _window(self, found: list[Item], target: Item) -> tuple[int, int]:
        days = self._limits.days
        first = bisect_left(found, target.day - days, key=_day)
        return first, bisect_right(found, target.day + days, key=_day)


def _day(item: Item) -> int:
    return item.day


def _order(item: Item) -> tuple[int, int, int]:
    return item.day, item.amount_minor, item.key
