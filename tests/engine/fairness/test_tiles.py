"""The log's tree in tiles: the roots and proofs of RFC 9162, whatever the sizes of its steps."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fairness.merkle import (
    EMPTY_HEAD,
    Tree,
    leaf_hash,
    root_from_path,
    tree_head,
    verify_consistency,
)
from engine.fairness.tiles import (
    HASH_BYTES,
    WIDTH,
    TileId,
    consistency_path,
    entry,
    extend,
    inclusion_path,
    inclusion_paths,
    last_tiles,
    root,
    tile_path,
)

LEAVES = [leaf_hash(b"%d" % number) for number in range(70_000)]
WRONG = bytes(HASH_BYTES)
SIZES = st.one_of(
    st.integers(1, 700), st.sampled_from([255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537])
)


class Tiles:
    """Tiles in memory."""

    def __init__(self) -> None:
        self.size = 0
        self.kept: dict[TileId, bytes] = {}

    def tile(self, level: int, number: int) -> bytes:
        return self.kept[level, number]

    def add(self, leaf_hashes: list[bytes]) -> None:
        last = {level: self.kept[level, number] for level, number in last_tiles(self.size)}
        levels = [last.get(level, b"") for level in range(max(last, default=-1) + 1)]
        self.kept |= extend(levels, self.size, leaf_hashes)
        self.size += len(leaf_hashes)


def grown(*steps: int) -> Tiles:
    tiles = Tiles()
    for step in steps:
        tiles.add(LEAVES[tiles.size : tiles.size + step])
    return tiles


WHOLE = grown(len(LEAVES))


@settings(deadline=None)
@given(st.lists(st.integers(1, 900), max_size=12))
def test_the_steps_in_which_a_log_grew_do_not_change_its_tiles(steps: list[int]) -> None:
    tiles = grown(*steps)
    assert root(tiles, tiles.size) == tree_head(LEAVES[: tiles.size])
    assert tiles.kept == grown(tiles.size).kept if tiles.size else tiles.kept == {}


@settings(deadline=None)
@given(SIZES)
def test_the_root_of_any_size_is_that_of_rfc_9162(size: int) -> None:
    assert root(WHOLE, size) == tree_head(LEAVES[:size])


def test_an_empty_log_has_the_root_of_an_empty_tree() -> None:
    assert root(Tiles(), 0) == EMPTY_HEAD == sha256(b"").digest()


@settings(deadline=None)
@given(SIZES, st.data())
def test_each_leaf_is_proved_to_be_in_the_log(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    path = inclusion_path(WHOLE, index, size)
    assert path == Tree(LEAVES[:size]).path(index)
    assert root_from_path(LEAVES[index], index, size, path) == root(WHOLE, size)


@settings(deadline=None)
@given(SIZES, st.data())
def test_many_leaves_are_proved_as_each_by_itself(size: int, data: st.DataObject) -> None:
    indices = data.draw(st.lists(st.integers(0, size - 1), max_size=20))
    found = inclusion_paths(WHOLE, indices, size)
    assert found == [inclusion_path(WHOLE, index, size) for index in indices]


def test_hashes_that_many_leaves_share_are_computed_once() -> None:
    """Leaves far apart share the hashes of the upper levels, whose tile is read for those alone."""
    read: list[TileId] = []

    class Counting:
        def tile(self, level: int, number: int) -> bytes:
            read.append((level, number))
            return WHOLE.tile(level, number)

    inclusion_path(Counting(), 0, 65_536)
    alone = sum(level > 0 for level, _ in read)
    read.clear()
    inclusion_paths(Counting(), [0, 0, 1, 255], 65_536)
    assert sum(level > 0 for level, _ in read) == alone > 0


@settings(deadline=None)
@given(SIZES, SIZES, st.data())
def test_a_log_is_proved_to_continue_an_older_one(
    one: int, other: int, data: st.DataObject
) -> None:
    old, new = sorted((one, other))
    path = consistency_path(WHOLE, old, new)
    roots = root(WHOLE, old), root(WHOLE, new)
    assert verify_consistency(old, roots[0], new, roots[1], path)
    assert not verify_consistency(old, roots[0], new, WRONG, path)
    assert not verify_consistency(old, WRONG, new, roots[1], path)
    if path:
        place = data.draw(st.integers(0, len(path) - 1))
        changed = [*path[:place], WRONG, *path[place + 1 :]]
        assert not verify_consistency(old, roots[0], new, roots[1], changed)
        assert not verify_consistency(old, roots[0], new, roots[1], path[:-1])
        assert not verify_consistency(old, roots[0], new, roots[1], [*path, WRONG])


def test_a_changed_leaf_changes_the_root() -> None:
    changed = Tiles()
    changed.add([*LEAVES[:300], LEAVES[0], *LEAVES[301:1_000]])
    assert root(changed, 1_000) != root(WHOLE, 1_000)
    assert root(changed, 300) == root(WHOLE, 300)
    proof = consistency_path(changed, 400, 1_000)
    heads = root(WHOLE, 400), root(changed, 1_000)
    assert not verify_consistency(400, heads[0], 1_000, heads[1], proof)


def test_only_the_last_tile_of_a_level_changes() -> None:
    full = {place for place, tile in grown(70_000).kept.items() if len(tile) == WIDTH * HASH_BYTES}
    changed = extend([WHOLE.kept[0, 273], WHOLE.kept[1, 1], WHOLE.kept[2, 0]], 70_000, LEAVES[:10])
    assert not full & changed.keys()


def test_there_is_no_proof_of_what_is_not_in_the_log() -> None:
    for index in (5, -1):
        with pytest.raises(IndexError):
            inclusion_path(WHOLE, index, 5)
    for old in (0, 6):
        with pytest.raises(IndexError):
            consistency_path(WHOLE, old, 5)


def test_tiles_are_named_as_c2sp_names_them() -> None:
    assert tile_path(0, 5) == "tile/0/005"
    assert tile_path(1, 1_234_067) == "tile/1/x001/x234/067"
    assert tile_path("entries", 1_000, 3) == "tile/entries/x001/000.p/3"


def test_every_field_of_a_fact_is_in_its_entry() -> None:
    fact = (7, "player-1", 3, "bet-placed.1", 1_795_000_000_000_000, "key", "player-1", b"{}")
    whole = entry(*fact)
    numbers = [number.to_bytes(8, "big") for number in (7, 3, 1_795_000_000_000_000)]
    texts = [b"\0\x08player-1", b"\0\x0cbet-placed.1", b"\0\x03key", b"\0\x08player-1"]
    assert whole == b"".join(
        (numbers[0], texts[0], numbers[1], texts[1], numbers[2], *texts[2:], b"\0\0\0\x02{}")
    )
    others = (8, "player-2", 4, "bet-placed.2", 1, "kez", "player-2", b"{ }")
    for place, other in enumerate(others):
        assert entry(*fact[:place], other, *fact[place + 1 :]) != whole  # type: ignore[arg-type,call-arg]
