"""The faults: which node each one is about, by what is seen, and what is done to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scripts.cluster_tool import network, nodes
from scripts.cluster_tool.cluster import Cluster
from scripts.cluster_tool.observe import Observation
from scripts.cluster_tool.picture import is_leading, is_sync_standby, is_writable
from scripts.cluster_tool.topology import SERVING, Node

Chosen = Callable[[Observation], bool]


@dataclass(frozen=True)
class Fault:
    """A kind of fault; `is_target` chooses the node among those that are seen."""

    name: str
    is_target: Chosen
    inject: Callable[[Cluster, Node], None]

    def target(self, seen: Sequence[Observation]) -> Node | None:
        """Returns the node; None if no node has the role at the moment."""
        return next((each.node for each in seen if self.is_target(each)), None)


def _cut(cluster: Cluster, node: Node) -> None:
    network.cut(cluster.topology, node)


def _is_etcd_leader(seen: Observation) -> bool:
    return bool(seen.etcd and seen.etcd["leader"])


def _serves_only(seen: Observation) -> bool:
    """Whether a node answers players and does not decide: an API, or the house on standby."""
    return seen.node.kind in SERVING and seen.ready is not None and not is_leading(seen)


_ALL: Final = (
    Fault("primary-kill", is_writable, nodes.kill),
    Fault("primary-cut", is_writable, _cut),
    Fault("primary-freeze", is_writable, nodes.freeze),
    Fault("standby-kill", is_sync_standby, nodes.kill),
    Fault("engine-kill", is_leading, nodes.kill),
    Fault("engine-freeze", is_leading, nodes.freeze),
    Fault("engine-cut", is_leading, _cut),
    Fault("api-kill", _serves_only, nodes.kill),
    Fault("etcd-kill", _is_etcd_leader, nodes.kill),
)
FAULTS: Final[Mapping[str, Fault]] = {fault.name: fault for fault in _ALL}
