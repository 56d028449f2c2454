"""The cluster's nodes, addresses and names: `scripts/cluster` touches nothing else."""

from ipaddress import IPv4Address

import pytest

from scripts.cluster_tool.network import commands_to_make
from scripts.cluster_tool.topology import (
    DEFAULT_NETWORK,
    DEFAULT_PREFIX,
    Node,
    TopologyError,
    topology_of,
)

_MAX_LINK_NAME = 15  # what Linux accepts
_DEFAULT = topology_of(DEFAULT_PREFIX, DEFAULT_NETWORK)


def test_every_node_has_an_address_of_its_own_in_the_network() -> None:
    addresses = [_DEFAULT.address(node) for node in _DEFAULT.nodes] + [_DEFAULT.machine]
    assert len({*addresses}) == len(_DEFAULT.nodes) + 1
    assert all(IPv4Address(address) in _DEFAULT.network for address in addresses)


def test_another_network_moves_every_address() -> None:
    moved = topology_of("x", "192.168.5.0/24")
    assert moved.machine == "192.168.5.254"
    assert moved.address(moved.named("db1")) == "192.168.5.21"


def test_the_longest_prefix_makes_valid_names_of_links() -> None:
    longest = topology_of("abcd", DEFAULT_NETWORK)
    names = [longest.namespace(Node("projector1", "projector", 51)), longest.bridge]
    names += [longest.namespace(node) for node in longest.nodes]
    assert all(len(name) <= _MAX_LINK_NAME for name in names)


def test_everything_made_on_the_machine_has_the_prefix() -> None:
    made = [
        command[2]
        for command in commands_to_make(topology_of("zz", DEFAULT_NETWORK))
        if command[:2] in {("netns", "add"), ("link", "add")}
    ]
    assert len(made) == 2 * len(_DEFAULT.nodes) + 1
    assert all(name.startswith("zz-") for name in made)


def test_what_is_set_inside_a_node_names_its_namespace() -> None:
    for command in commands_to_make(_DEFAULT):
        if "eth0" in command and command[:2] != ("link", "add"):
            assert command[0] == "-n"


@pytest.mark.parametrize("prefix", ["", "Fdc", "1a", "abcde", "a-b", "a b", "../x"])
def test_a_prefix_that_is_no_short_word_is_refused(prefix: str) -> None:
    with pytest.raises(TopologyError, match="one to four small letters"):
        topology_of(prefix, DEFAULT_NETWORK)


@pytest.mark.parametrize("network", ["10.0.0.1/24", "10.0.0", "::1/64", "word"])
def test_what_is_no_network_is_refused(network: str) -> None:
    with pytest.raises(TopologyError, match=r"is not an IPv4 network such as 10\.79\.0\.0/24"):
        topology_of(DEFAULT_PREFIX, network)


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(TopologyError, match="must have 256 addresses"):
        topology_of(DEFAULT_PREFIX, "10.0.0.0/16")


def test_an_unknown_node_is_answered_with_the_names_of_all() -> None:
    with pytest.raises(
        TopologyError, match=r"no node 'db9'; the nodes are etcd1, .*db1, .*witness"
    ):
        _DEFAULT.named("db9")
