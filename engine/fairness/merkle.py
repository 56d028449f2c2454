"""Merkle trees as RFC 9162 §2.1 defines them: leaf H(0x00 || x), node H(0x01 || l || r).

The leaves of such a tree are the bets of a frozen round, the receipts of a batch, or what a witness
released of a day. The log has a tree too: its tiles and leaves are in `tiles.py`, which hashes many
leaves at a time. `scripts/audit` has hashes of its own.
"""

from collections.abc import Sequence
from hashlib import sha256

EMPTY_HEAD = sha256(b"").digest()
# Copying a started hash costs half of creating one, and every bet needs two.
_begin_leaf = sha256(b"\x00").copy
_begin_node = sha256(b"\x01").copy


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry as a leaf of a tree."""
    hashed = _begin_leaf()
    hashed.update(entry)
    return hashed.digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two others."""
    hashed = _begin_node()
    hashed.update(left + right)
    return hashed.digest()


def _level_above(level: list[bytes]) -> list[bytes]:
    """Hashes pairs; a last node without a partner moves up unchanged.

    This yields the tree of RFC 9162, whose largest full subtrees are on the left.
    """
    pairs = zip(level[::2], level[1::2], strict=False)
    above = [node_hash(left, right) for left, right in pairs]
    if len(level) % 2:
        above.append(level[-1])
    return above


class Tree:
    """A finished tree that keeps its levels, so that each path costs one lookup a level."""

    __slots__ = ("_levels",)

    def __init__(self, leaf_hashes: Sequence[bytes]) -> None:
        self._levels = [list(leaf_hashes)]
        while len(self._levels[-1]) > 1:
            self._levels.append(_level_above(self._levels[-1]))

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0])

    @property
    def head(self) -> bytes:
        """The root hash; that of the empty string when there are no leaves."""
        top = self._levels[-1]
        return top[0] if top else EMPTY_HEAD

    def path(self, index: int) -> list[bytes]:
        """The inclusion proof of a leaf, from the leaf upwards; IndexError outside the tree."""
        if not 0 <= index < self.size:
            raise IndexError(f"leaf {index} of {self.size}")
        siblings = []
        for level in self._levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                siblings.append(level[sibling])
            index >>= 1
        return siblings

    def paths(self) -> list[list[bytes]]:
        """The inclusion proofs of all leaves, in order, four times as fast as one by one."""
        paths: list[list[bytes]] = [[]]
        for level in reversed(self._levels[:-1]):
            above, last = paths, len(level) - 1
            paths = [
                [level[place ^ 1], *above[place >> 1]] if place ^ 1 <= last else above[place >> 1]
                for place in range(last + 1)
            ]
        return paths if self.size else []


def tree_head(leaf_hashes: Sequence[bytes]) -> bytes:
    """The root hash over hashed leaves, that of the empty string over none."""
    return Tree(leaf_hashes).head


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root computed from a hashed leaf and its path (RFC 9162 §2.1.3.2).

    Raises ValueError for an index outside the tree or a path of the wrong length: such a proof
    proves nothing, whatever root it would give.
    """
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} of {size}")
    node, last, remaining = leaf, size - 1, list(reversed(path))
    while last:
        if index & 1 or index < last:
            if not remaining:
                raise ValueError("the path is too short")
            sibling = remaining.pop()
            node = node_hash(sibling, node) if index & 1 else node_hash(node, sibling)
        index >>= 1
        last >>= 1
    if remaining:
        raise ValueError("the path is too long")
    return node


def verify_consistency(
    old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether the tree of `new` leaves continues that of `old` leaves (RFC 9162 §2.1.4.2)."""
    if old == new:
        return old_root == new_root and not path
    if not 0 < old < new or not path:
        return False
    nodes = [old_root, *path] if not old & (old - 1) else list(path)
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    older = newer = nodes[0]
    for node in nodes[1:]:
        if not last:
            return False
        if place & 1 or place == last:
            older, newer = node_hash(node, older), node_hash(node, newer)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            newer = node_hash(newer, node)
        place, last = place >> 1, last >> 1
    return (older, newer, last) == (old_root, new_root, 0)
