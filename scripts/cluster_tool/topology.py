"""The nodes of the cluster, their addresses and the names of their network parts. Pure.

Each node has a network namespace of its own, which a link (a veth pair) connects to one bridge.
The machine itself has the last address of the network, so that players and this tool reach every
node.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Final, Literal, get_args

Kind = Literal["etcd", "db", "proxy", "witness", "house", "engine", "api", "projector"]

DEFAULT_PREFIX: Final = "fdc"
DEFAULT_NETWORK: Final = "10.79.0.0/24"
_PREFIX: Final = re.compile(r"[a-z][a-z0-9]{0,3}")
_PREFIX_LENGTH: Final = 24
#: Kinds of the product's own programs, which know the database and the witness.
PRODUCT: Final = frozenset[Kind]({"house", "engine", "api", "projector"})
#: Kinds whose nodes answer players; the proxy sends a player to one that is ready.
SERVING: Final = frozenset[Kind]({"house", "api"})
#: Kinds of which one node at a time decides on bets.
DECIDING: Final = frozenset[Kind]({"house", "engine"})
#: Kinds that answer /readyz.
PROBED: Final = SERVING | DECIDING
#: The port of each kind, on the node's own address.
PORTS: Final[dict[Kind, int]] = {
    "etcd": 2379,
    "db": 5432,
    "proxy": 8000,
    "witness": 8300,
    "house": 8000,
    "engine": 8000,
    "api": 8000,
    "projector": 0,  # serves nothing
}
#: Where an engine answers the APIs.
ENGINE_PORT: Final = 8400


@dataclass(frozen=True)
class Node:
    """One machine of the cluster; `host` is the last number of its address."""

    name: str
    kind: Kind
    host: int


#: The product's nodes, each one role. The kind `house` would run every role in one process.
HOUSE: Final = (
    *(Node(f"engine{number}", "engine", 30 + number) for number in (1, 2)),
    *(Node(f"api{number}", "api", 40 + number) for number in (1, 2, 3)),
    *(Node(f"projector{number}", "projector", 50 + number) for number in (1, 2)),
)
#: etcd has nodes apart from the databases: a cut database must not take a vote with it.
NODES: Final = (
    *(Node(f"etcd{number}", "etcd", 10 + number) for number in (1, 2, 3)),
    *(Node(f"db{number}", "db", 20 + number) for number in (1, 2, 3)),
    Node("proxy", "proxy", 71),
    Node("witness", "witness", 61),
    *HOUSE,
)


class TopologyError(ValueError):
    """A prefix, a network or a node's name is not valid; the message says what is."""


@dataclass(frozen=True)
class Topology:
    """The nodes in one network. `prefix` begins the name of everything on the machine."""

    prefix: str
    network: IPv4Network
    nodes: tuple[Node, ...] = NODES

    @property
    def bridge(self) -> str:
        """The bridge's name."""
        return f"{self.prefix}-bridge"

    @property
    def machine(self) -> str:
        """The machine's own address in the network."""
        return str(self.network.broadcast_address - 1)

    def namespace(self, node: Node) -> str:
        """The name of the node's namespace, and of the machine's end of its link."""
        return f"{self.prefix}-{node.name}"

    def address(self, node: Node) -> str:
        """The node's address."""
        return str(self.network.network_address + node.host)

    def with_length(self, address: str) -> str:
        """Returns an address as `ip address add` takes it."""
        return f"{address}/{self.network.prefixlen}"

    def of_kind(self, *kinds: Kind) -> tuple[Node, ...]:
        """The nodes of these kinds, in the order of the table."""
        return tuple(node for node in self.nodes if node.kind in kinds)

    def one(self, kind: Kind) -> Node:
        """The only node of a kind."""
        (node,) = self.of_kind(kind)
        return node

    def named(self, name: str) -> Node:
        """Returns the node. Raises TopologyError with all names if there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        names = ", ".join(node.name for node in self.nodes)
        raise TopologyError(f"there is no node {name!r}; the nodes are {names}")

    @property
    def players_url(self) -> str:
        """The address at which players reach whichever node is ready."""
        proxy = self.one("proxy")
        return f"http://{self.address(proxy)}:{PORTS['proxy']}"


def topology_of(prefix: str, network: str) -> Topology:
    """Returns the topology. Raises TopologyError if the prefix or the network is not valid."""
    if _PREFIX.fullmatch(prefix) is None:
        raise TopologyError(
            f"{prefix!r} is not one to four small letters or digits that begin with a letter"
        )
    try:
        found = IPv4Network(network)
    except ValueError:
        raise TopologyError(f"{network!r} is not an IPv4 network such as 10.79.0.0/24") from None
    if found.prefixlen != _PREFIX_LENGTH:
        raise TopologyError(f"{network} must have 256 addresses: write it as a.b.c.0/24")
    return Topology(prefix, found)


assert set(PORTS) == set(get_args(Kind))
