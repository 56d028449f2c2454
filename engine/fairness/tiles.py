"""The Merkle tree over the log, kept in tiles (C2SP tlog-tiles).

Leaf i is the fact at position i + 1. The tile (level, number) has up to 256 hashes of 32 bytes:
those of leaves at level 0, those of full tiles of the level below at any other. A full tile never
changes; only the last tile of a level grows. Roots and proofs are those of RFC 9162. The auditors
have code of their own (`scripts/audit_tool/`).
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from struct import Struct as BinaryStruct
from typing import Final, Protocol

from msgspec import Struct

from engine.fairness.merkle import EMPTY_HEAD, node_hash, tree_head

WIDTH: Final = 256
HASH_BYTES: Final = 32
_HEIGHT: Final = 8
_begin_leaf: Final = sha256(b"\x00").copy
_u16: Final = BinaryStruct(">H").pack
_u32: Final = BinaryStruct(">I").pack
_u64: Final = BinaryStruct(">Q").pack
_u64_u16: Final = BinaryStruct(">QH").pack
TileId = tuple[int, int]
"""The level of a tile, and its number in the level."""


class TileReader(Protocol):
    """Where tiles are read from."""

    def tile(self, level: int, number: int) -> bytes:
        """Returns the tile's hashes; maybe more than the caller needs. KeyError if missing."""


def entry(
    position: int,
    stream: str,
    version: int,
    topic: str,
    at: int,
    command_id: str,
    actor: str,
    state: bytes,
) -> bytes:
    """Returns the bytes of a fact that its leaf hashes; `at` is in microseconds.

    `state` is the text as stored. The query of engine/runtime/log/sealer.py returns the same bytes.
    """
    return b"".join(
        (
            position.to_bytes(8, "big"),
            _prefixed(stream),
            version.to_bytes(8, "big"),
            _prefixed(topic),
            at.to_bytes(8, "big"),
            _prefixed(command_id),
            _prefixed(actor),
            len(state).to_bytes(4, "big"),
            state,
        )
    )


StoredFields = tuple[int, str, int, int, str, str, str, bytes]
"""Position, stream, version, time, command id, actor, topic and state, as the log returns them."""


def leaf_hashes(facts: Iterable[StoredFields]) -> list[bytes]:
    """Returns the leaf hash of each fact's `entry`, for a fifth less than one by one."""
    hashes: list[bytes] = []
    topics: dict[str, bytes] = {}
    for position, stream, version, at, command_id, actor, topic, state in facts:
        names = stream.encode(), command_id.encode(), actor.encode()
        if topic not in topics:
            topics[topic] = _prefixed(topic)
        hashed = _begin_leaf()
        hashed.update(
            b"%b%b%b%b%b%b%b%b%b%b"
            % (
                _u64_u16(position, len(names[0])),
                names[0],
                _u64(version),
                topics[topic],
                _u64_u16(at, len(names[1])),
                names[1],
                _u16(len(names[2])),
                names[2],
                _u32(len(state)),
                state,
            )
        )
        hashes.append(hashed.digest())
    return hashes


class LeafEntry(Struct, frozen=True):
    """The content of a leaf, as `entry` has its arguments."""

    position: int
    stream: str
    version: int
    topic: str
    at: int
    command_id: str
    actor: str
    state: bytes


def read_entry(content: bytes) -> LeafEntry:
    """Returns the fact of a leaf's bytes. Raises ValueError for any other bytes."""
    rest = memoryview(content)

    def take(length: int) -> bytes:
        nonlocal rest
        taken, rest = bytes(rest[:length]), rest[length:]
        if len(taken) != length:
            raise ValueError("the entry is too short")
        return taken

    def number(length: int) -> int:
        return int.from_bytes(take(length), "big")

    def text() -> str:
        return take(number(2)).decode()

    found = LeafEntry(
        number(8), text(), number(8), text(), number(8), text(), text(), take(number(4))
    )
    if rest:
        raise ValueError("the entry is too long")
    return found


def _prefixed(text: str) -> bytes:
    content = text.encode()
    return len(content).to_bytes(2, "big") + content


def extend(last: Sequence[bytes], size: int, leaf_hashes: Sequence[bytes]) -> dict[TileId, bytes]:
    """Returns the tiles that change when leaves are added to a tree of `size` leaves.

    `last` has the last tile of each level from 0 on, empty where that level's tiles are all full.
    """
    changed: dict[TileId, bytes] = {}
    level, added = 0, b"".join(leaf_hashes)
    while added:
        number, width = divmod(size, WIDTH)
        content = last[level][: width * HASH_BYTES] if level < len(last) else b""
        content += added
        full: list[bytes] = []
        for first in range(0, len(content), WIDTH * HASH_BYTES):
            tile = content[first : first + WIDTH * HASH_BYTES]
            changed[level, number] = tile
            number += 1
            if len(tile) == WIDTH * HASH_BYTES:
                full.append(tree_head(hashes_of(tile)))
        level, size, added = level + 1, size // WIDTH, b"".join(full)
    return changed


def hashes_of(tile: bytes) -> list[bytes]:
    """Returns the hashes of a tile."""
    return [tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES)]


def last_tiles(size: int) -> list[TileId]:
    """Returns the last tile of each level of a tree of `size` leaves that is not full."""
    found: list[TileId] = []
    level = 0
    while size:
        if size % WIDTH:
            found.append((level, size // WIDTH))
        level, size = level + 1, size // WIDTH
    return found


def root(tiles: TileReader, size: int) -> bytes:
    """Returns the root hash of the first `size` leaves."""
    return _head(tiles, 0, size) if size else EMPTY_HEAD


def inclusion_path(tiles: TileReader, index: int, size: int) -> list[bytes]:
    """Returns the inclusion proof of a leaf (RFC 9162 §2.1.3.1). IndexError outside the tree."""
    return inclusion_paths(tiles, (index,), size)[0]


def inclusion_paths(tiles: TileReader, indices: Iterable[int], size: int) -> list[list[bytes]]:
    """Returns the inclusion proof of each leaf; hashes that they share are computed once."""
    known: dict[tuple[int, int], bytes] = {}

    def head(first: int, end: int) -> bytes:
        found = known.get((first, end))
        if found is None:
            found = known[first, end] = _head(tiles, first, end)
        return found

    return [_path(head, index, size) for index in indices]


def _path(head: Callable[[int, int], bytes], index: int, size: int) -> list[bytes]:
    if not 0 <= index < size:
        raise IndexError(f"leaf {index} of {size}")
    first, path = 0, []
    while size - first > 1:
        middle = first + _split(size - first)
        if index < middle:
            path.append(head(middle, size))
            size = middle
        else:
            path.append(head(first, middle))
            first = middle
    return path[::-1]


def consistency_path(tiles: TileReader, old: int, new: int) -> list[bytes]:
    """Returns the proof that a tree continues an older one (RFC 9162 §2.1.4.1); [] for equal sizes.

    Raises IndexError unless 0 < old <= new.
    """
    if not 0 < old <= new:
        raise IndexError(f"{old} of {new}")
    first, size, path, is_whole = 0, new, [], True
    while old < size:
        middle = first + _split(size - first)
        if old <= middle:
            path.append(_head(tiles, middle, size))
            size = middle
        else:
            path.append(_head(tiles, first, middle))
            first, is_whole = middle, False
    if not is_whole:
        path.append(_head(tiles, first, size))
    return path[::-1]


def _split(size: int) -> int:
    """Returns the largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def _head(tiles: TileReader, first: int, end: int) -> bytes:
    """Returns the hash of the subtree over the leaves from `first` up to `end`."""
    size = end - first
    if size & (size - 1):
        middle = first + _split(size)
        return node_hash(_head(tiles, first, middle), _head(tiles, middle, end))
    level, height = divmod(size.bit_length() - 1, _HEIGHT)
    number, place = divmod(first >> (_HEIGHT * level), WIDTH)
    content = tiles.tile(level, number)
    hashes = content[place * HASH_BYTES : (place + (1 << height)) * HASH_BYTES]
    if len(hashes) != HASH_BYTES << height:
        raise KeyError((level, number))
    return tree_head(hashes_of(hashes))


def tile_path(level: int | str, number: int, width: int = WIDTH) -> str:
    """Returns the path of a tile below the log's prefix; `width` is its number of hashes."""
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    named = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
    return f"tile/{level}/{named}" + (f".p/{width}" if width < WIDTH else "")
