from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.merkle import Tree, leaf_hash, root_from_path, tree_head

# Certificate Transparency's reference tree (RFC 6962): inputs, heads by size, inclusion proofs.
INPUTS = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
HEADS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATHS = {
    (0, 1): [],
    (0, 2): ["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"],
    (1, 2): ["6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}

sizes = st.integers(1, 130)


def _leaves(size: int) -> list[bytes]:
    return [leaf_hash(b"entry %d" % number) for number in range(size)]


def _split(size: int) -> int:
    """The largest power of two below `size`, as in RFC 9162 §2.1.1."""
    return 1 << (size - 1).bit_length() - 1


def _head_by_definition(leaves: Sequence[bytes]) -> bytes:
    """The recursive definition of RFC 9162 §2.1.1."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    middle = _split(len(leaves))
    left, right = _head_by_definition(leaves[:middle]), _head_by_definition(leaves[middle:])
    return sha256(b"\x01" + left + right).digest()


def _path_by_definition(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """The recursive definition of RFC 9162 §2.1.3.1."""
    if len(leaves) == 1:
        return []
    middle = _split(len(leaves))
    if index < middle:
        below = _path_by_definition(index, leaves[:middle])
        return [*below, _head_by_definition(leaves[middle:])]
    below = _path_by_definition(index - middle, leaves[middle:])
    return [*below, _head_by_definition(leaves[:middle])]


@pytest.mark.parametrize("size", range(9))
def test_a_tree_has_the_published_head(size: int) -> None:
    assert tree_head([leaf_hash(entry) for entry in INPUTS[:size]]).hex() == HEADS[size]


@pytest.mark.parametrize(("index", "size"), PATHS)
def test_a_leaf_has_the_published_path_which_leads_to_the_head(index: int, size: int) -> None:
    tree = Tree([leaf_hash(entry) for entry in INPUTS[:size]])
    path = tree.path(index)
    assert [node.hex() for node in path] == PATHS[index, size]
    assert root_from_path(leaf_hash(INPUTS[index]), index, size, path).hex() == HEADS[size]


@given(st.integers(0, 130))
def test_a_head_is_the_one_of_the_recursive_definition(size: int) -> None:
    assert tree_head(_leaves(size)) == _head_by_definition(_leaves(size))
    tree = Tree(_leaves(size))
    assert tree.size == len(tree.paths()) == size


@given(sizes, st.data())
def test_a_path_is_the_one_of_the_definition_and_leads_to_the_head(
    size: int, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, size - 1))
    leaves = _leaves(size)
    tree = Tree(leaves)
    path = tree.path(index)
    assert path == tree.paths()[index] == _path_by_definition(index, leaves)
    assert root_from_path(leaves[index], index, size, path) == tree_head(leaves)


@given(sizes.filter(lambda size: size > 1), st.data())
def test_a_changed_bit_of_leaf_or_path_leads_elsewhere(size: int, data: st.DataObject) -> None:
    leaves, index = _leaves(size), data.draw(st.integers(0, size - 1))
    proof = [leaves[index], *Tree(leaves).path(index)]
    place, byte, bit = (data.draw(st.integers(0, most)) for most in (len(proof) - 1, 31, 7))
    altered = bytearray(proof[place])
    altered[byte] ^= 1 << bit
    proof[place] = bytes(altered)
    assert root_from_path(proof[0], index, size, proof[1:]) != tree_head(leaves)


@given(sizes.filter(lambda size: size > 1), st.data())
def test_a_path_is_valid_at_its_own_index_only(size: int, data: st.DataObject) -> None:
    leaves, index = _leaves(size), data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size - 1).filter(lambda one: one != index))
    path = Tree(leaves).path(index)
    try:
        root = root_from_path(leaves[index], other, size, path)
    except ValueError:
        return
    assert root != tree_head(leaves)


@given(sizes, st.data())
def test_a_path_one_node_too_short_or_too_long_is_refused(size: int, data: st.DataObject) -> None:
    leaves, index = _leaves(size), data.draw(st.integers(0, size - 1))
    path = Tree(leaves).path(index)
    with pytest.raises(ValueError, match="too long"):
        root_from_path(leaves[index], index, size, [*path, leaves[0]])
    if path:
        with pytest.raises(ValueError, match="too short"):
            root_from_path(leaves[index], index, size, path[:-1])


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 4), (4, 4)])
def test_an_index_outside_the_tree_has_neither_root_nor_path(index: int, size: int) -> None:
    with pytest.raises(ValueError, match=f"leaf {index} of {size}"):
        root_from_path(leaf_hash(b""), index, size, [])
    with pytest.raises(IndexError, match=f"leaf {index} of {size}"):
        Tree(_leaves(size)).path(index)


def test_a_node_can_never_pass_for_a_leaf() -> None:
    left, right = _leaves(2)
    assert leaf_hash(left + right) != tree_head([left, right])


def test_a_tree_is_independent_of_the_list_it_was_built_from() -> None:
    leaves = _leaves(5)
    tree = Tree(leaves)
    head = tree.head
    leaves.append(leaf_hash(b"late"))
    assert (tree.size, tree.head) == (5, head)
