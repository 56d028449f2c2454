"""Finds which lines of a statement and which movements of the ledger are the same money. Pure.

Rules of this module:
- References first, exactly, then as people retype them; then amount and day; then sums.
- Each step proposes every match it can find. A proposal that shares no line and no movement with
  another one is accepted; others are an ambiguity, are listed, and take part in no later step.
- A match has one direction: in with in, out with out. A line of zero is never matched.
- The result does not depend on the order of lines and movements.

Items are found by direction, amount and day in time that hardly grows with their number. Small
subsets with a given sum are found by a bounded, deterministic search.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from msgspec import Struct

from scripts.audit_tool.reconciling.items import (
    Ambiguity,
    Dispute,
    Item,
    Match,
    MatchOutcome,
    MatchTolerance,
    Rule,
)

_MAX_ALIKE = 12  # a second one already makes the match ambiguous; the others are only listed
_MAX_ALTERNATIVES: Final = 12  # readings of an ambiguity
_MAX_STEPS: Final = 20_000  # of the search for one sum; takes some hundredths of a second
_LINE, _MOVEMENT = 0, 1
_Node = tuple[int, int]  # side and key
_Both = tuple[list[Item], list[Item]]
_Target = tuple[int, Item]
Watch = Callable[[Sequence[_Target]], Iterable[_Target]]


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
        found = self._by_sign[target.amount_minor > 0] if target.amount_minor else []
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


def reconcile(
    lines: Iterable[Item],
    movements: Iterable[Item],
    limits: MatchTolerance,
    watch: Watch = iter,
) -> MatchOutcome:
    """Match two sides; `watch` shows the progress of the sum search: it passes on its targets."""
    matching = _Matching(lines, movements, limits)
    matching.by_reference("reference", _as_written)
    matching.by_reference("similar reference", _as_retyped)
    matching.disputed()
    matching.by_amount()
    matching.by_sum(watch)
    return matching.outcome()


def _as_written(reference: str) -> str:
    return reference.strip()


def _as_retyped(reference: str) -> str:
    """Ignores case, spaces and punctuation, which banks and people change."""
    return "".join(letter for letter in reference.casefold() if letter.isalnum())


class _Matching:
    def __init__(
        self, lines: Iterable[Item], movements: Iterable[Item], limits: MatchTolerance
    ) -> None:
        self._free = ({it.key: it for it in lines}, {it.key: it for it in movements})
        self._all = (dict(self._free[_LINE]), dict(self._free[_MOVEMENT]))
        self._limits = limits
        self._matches: list[Match] = []
        self._disputes: list[Dispute] = []
        self._ambiguities: list[Ambiguity] = []
        self._contested: set[_Node] = set()
        self._unsearched: tuple[set[int], set[int]] = (set(), set())

    def by_reference(self, rule: Rule, spelling: Callable[[str], str]) -> None:
        """Match items with the same reference: pairs, and one item with all of the other side."""
        proposed: set[Match] = set()
        for lines, movements in _grouped(self._free, spelling):
            proposed.update(self._pairs(rule, lines, movements))
            proposed.update(self._wholes(rule, lines, movements))
        self._settle(proposed)

    def disputed(self) -> None:
        """Record one line and one movement that alone share a reference but did not match."""
        for lines, movements in _grouped(self._all, _as_retyped):
            if len(lines) == len(movements) == 1:
                line, movement = lines[0].key, movements[0].key
                if line in self._free[_LINE] and movement in self._free[_MOVEMENT]:
                    self._disputes.append(Dispute(line, movement))
                    self._remove((line,), (movement,))

    def by_amount(self) -> None:
        """Match one line and one movement that fit nothing else."""
        lines, movements = (list(side.values()) for side in self._free)
        self._settle(set(self._pairs("amount and day", lines, movements)))

    def by_sum(self, watch: Watch) -> None:
        """Match one item of a side with several of the other that add up to it."""
        others = [NearestIndex(side.values(), self._limits) for side in reversed(self._free)]
        targets = [
            (side, item) for side in (_LINE, _MOVEMENT) for item in self._free[side].values()
        ]
        proposed: set[Match] = set()
        for side, target in watch(targets):
            proposed.update(self._sums(side, target, others[side].smaller(target)))
        self._settle(proposed)

    def _pairs(self, rule: Rule, lines: list[Item], movements: list[Item]) -> Iterator[Match]:
        """Looks up from both sides, because each lookup returns at most a dozen items."""
        near_movements = NearestIndex(movements, self._limits)
        for line in lines:
            for movement in near_movements.alike(line):
                yield Match((line.key,), (movement.key,), rule)
        near_lines = NearestIndex(lines, self._limits)
        for movement in movements:
            for line in near_lines.alike(movement):
                yield Match((line.key,), (movement.key,), rule)

    def _wholes(self, rule: Rule, lines: list[Item], movements: list[Item]) -> Iterator[Match]:
        near_movements = NearestIndex(movements, self._limits)
        for line in lines:
            if whole := near_movements.all_together(line):
                yield Match((line.key,), _keys(whole), rule)
        near_lines = NearestIndex(lines, self._limits)
        for movement in movements:
            if whole := near_lines.all_together(movement):
                yield Match(_keys(whole), (movement.key,), rule)

    def _sums(self, side: int, target: Item, parts: list[Item]) -> Iterator[Match]:
        amount, tolerance = abs(target.amount_minor), self._limits.tolerance_minor
        found = sums(
            [abs(part.amount_minor) for part in parts],
            amount - tolerance,
            amount + tolerance,
            parts=self._limits.parts,
            steps=_MAX_STEPS,
            max_found=_MAX_ALTERNATIVES,
        )
        for indexes in found.found:
            both = ((target.key,), _keys(parts[index] for index in indexes))
            yield Match(both[side], both[1 - side], "sum")
        if not found.complete:
            self._give_up(side, target, parts)

    def _give_up(self, side: int, target: Item, parts: list[Item]) -> None:
        """More sums may exist than were found, so all possible parts of one are uncertain."""
        self._unsearched[side].add(target.key)
        self._contested.add((side, target.key))
        self._contested.update((1 - side, part.key) for part in parts)

    def _settle(self, proposed: set[Match]) -> None:
        """Accept matches without conflict; set conflicting ones aside as ambiguous."""
        for cluster in _clusters(sorted(proposed)):
            lines = tuple(sorted({key for match in cluster for key in match.lines}))
            movements = tuple(sorted({key for match in cluster for key in match.movements}))
            contested = any(not self._contested.isdisjoint(_nodes(match)) for match in cluster)
            if len(cluster) == 1 and not contested:
                self._matches += cluster
            else:
                listed = tuple(cluster[:_MAX_ALTERNATIVES])
                more = contested or len(cluster) > _MAX_ALTERNATIVES
                self._ambiguities.append(Ambiguity(lines, movements, listed, more))
            self._remove(lines, movements)

    def _remove(self, lines: Iterable[int], movements: Iterable[int]) -> None:
        for side, keys in ((_LINE, lines), (_MOVEMENT, movements)):
            for key in keys:
                del self._free[side][key]

    def outcome(self) -> MatchOutcome:
        """Returns the result, in order."""
        lines, movements = (tuple(sorted(side)) for side in self._free)
        return MatchOutcome(
            matches=tuple(sorted(self._matches)),
            disputes=tuple(sorted(self._disputes)),
            ambiguities=tuple(sorted(self._ambiguities)),
            lines=lines,
            movements=movements,
            unsearched_lines=tuple(sorted(self._unsearched[_LINE].intersection(lines))),
            unsearched_movements=tuple(sorted(self._unsearched[_MOVEMENT].intersection(movements))),
        )


def _grouped(
    sides: tuple[dict[int, Item], dict[int, Item]], spelling: Callable[[str], str]
) -> Iterator[_Both]:
    """Yields lines and movements with the same reference, one group per reference on both sides."""
    groups: tuple[defaultdict[str, list[Item]], ...] = (defaultdict(list), defaultdict(list))
    for side, group in zip(sides, groups, strict=True):
        for item in side.values():
            for reference in {spelling(each) for each in item.references} - {""}:
                group[reference].append(item)
    for reference, lines in groups[_LINE].items():
        if reference in groups[_MOVEMENT]:
            yield lines, groups[_MOVEMENT][reference]


def _clusters(matches: list[Match]) -> list[list[Match]]:
    """Groups matches that share a line or a movement, directly or through others."""
    parent: dict[_Node, _Node] = {}
    for match in matches:
        first, *others = _nodes(match)
        for node in others:
            parent[_root(parent, node)] = _root(parent, first)
    together: defaultdict[_Node, list[Match]] = defaultdict(list)
    for match in matches:
        together[_root(parent, _nodes(match)[0])].append(match)
    return list(together.values())


def _root(parent: dict[_Node, _Node], node: _Node) -> _Node:
    while (above := parent.setdefault(node, node)) != node:
        parent[node] = parent.setdefault(above, above)
        node = parent[node]
    return node


def _nodes(match: Match) -> list[_Node]:
    return [
        *((_LINE, key) for key in match.lines),
        *((_MOVEMENT, key) for key in match.movements),
    ]


def _keys(items: Iterable[Item]) -> tuple[int, ...]:
    return tuple(sorted(item.key for item in items))
