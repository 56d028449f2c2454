"""A copy-on-write map by id: a fork costs the same however many items the map has.

The writer decides each batch on forks and discards them if the batch is not stored. Copying the
items of a busy round or player for every batch would cost more than deciding it.
"""

from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import Generic, TypeVar

from msgspec import Struct, field

ItemT = TypeVar("ItemT")


class CopyOnWriteMap(Struct, Generic[ItemT]):
    """Items by id, in the order in which they were added.

    A fork shares the items of its origin; its own additions and removals stay private until
    `merge`. A fork of a fork reads through to the one `below`, which is merged first.
    """

    shared: dict[str, ItemT] = field(default_factory=dict)
    added: dict[str, ItemT] | None = None
    removed: set[str] | None = None
    below: "CopyOnWriteMap[ItemT] | None" = None

    def fork(self) -> "CopyOnWriteMap[ItemT]":
        """A copy to change, which may be discarded."""
        below = self if self.added or self.removed else None
        return CopyOnWriteMap(self.shared, None, None, below)

    def merge(self) -> None:
        """Apply this fork's additions and removals to the shared items."""
        if self.added:
            self.shared.update(self.added)
        if self.removed:
            for key in self.removed:
                del self.shared[key]
        self.added = self.removed = self.below = None

    def add(self, key: str, item: ItemT) -> None:
        """Add an item under an id that was never used."""
        if self.added is None:
            self.added = {key: item}
        else:
            self.added[key] = item

    def remove(self, key: str) -> ItemT:
        """Remove an item and return it; raises KeyError if it is not in the map."""
        item = self.get(key)
        if item is None:
            raise KeyError(key)
        if self.removed is None:
            self.removed = set()
        self.removed.add(key)
        return item

    def get(self, key: str) -> ItemT | None:
        """The item with this id, None if it is not in the map."""
        layer: CopyOnWriteMap[ItemT] | None = self
        while layer is not None:
            if layer.removed and key in layer.removed:
                return None
            if layer.added and key in layer.added:
                return layer.added[key]
            layer = layer.below
        return self.shared.get(key)

    def __contains__(self, key: object) -> bool:
        """Whether an item with this id is in the map."""
        return isinstance(key, str) and self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        """The ids, in order."""
        return map(itemgetter(0), self._items())

    def values(self) -> Iterator[ItemT]:
        """The items, in order."""
        if self.below is None and not self.added and not self.removed:
            return iter(self.shared.values())
        return map(itemgetter(1), self._items())

    def _items(self) -> Iterator[tuple[str, ItemT]]:
        added: list[dict[str, ItemT]] = []
        gone: set[str] = set()
        layer: CopyOnWriteMap[ItemT] | None = self
        while layer is not None:
            if layer.added:
                added.insert(0, layer.added)
            if layer.removed:
                gone |= layer.removed
            layer = layer.below
        everything = chain(self.shared.items(), *(each.items() for each in added))
        return ((key, item) for key, item in everything if key not in gone) if gone else everything
