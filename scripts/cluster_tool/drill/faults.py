"""The faults: which node each one is about, by what is seen, and what is done to it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from scripts.cluster_tool import clocks, disks, network, nodes
from scripts.cluster_tool.cluster import Cluster
from scripts.cluster_tool.observe import Observation
from scripts.cluster_tool.picture import is_leading, is_sync_standby, is_writable
from scripts.cluster_tool.topology import SERVING, Node

Chosen = Callable[[Observation], bool]


@dataclass(frozen=True)
class Fault:
    """A kind of fault; `is_target` chooses the node among those that are seen.

    It lasts `hold_s` seconds at least, during which it is injected again every second: a full disk
    must not become free because a program deletes a file.
    """

    name: str
    is_target: Chosen
    inject: Callable[[Cluster, Node], None]
    hold_s: float = 0.0

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


def _is_projector(seen: Observation) -> bool:
    return seen.node.kind == "projector" and seen.is_running


def _is_witness(seen: Observation) -> bool:
    return seen.about is not None


#: Longer than the minute in which a clock that the database agrees with becomes the right one.
_CLOCK_S: Final = 75.0
_DISK_S: Final = 30.0
#: The roles whose clock or disk can go wrong.
_ROLES: Final[Mapping[str, Chosen]] = {
    "engine": is_leading,
    "api": _serves_only,
    "projector": _is_projector,
    "witness": _is_witness,
    "primary": is_writable,
}
_SHIFTS: Final = {"minute": 60, "hour": 3_600, "day": 86_400}
_KILLS: Final = (
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
_CLOCKS: Final = tuple(
    Fault(
        f"clock-{role}-{length}-{direction}",
        chosen,
        partial(clocks.shift, seconds=sign * seconds),
        _CLOCK_S,
    )
    for role, chosen in _ROLES.items()
    for length, seconds in _SHIFTS.items()
    for direction, sign in (("ahead", 1), ("back", -1))
)
_DISKS: Final = tuple(
    Fault(f"disk-{role}", chosen, disks.fill, _DISK_S)
    for role, chosen in {**_ROLES, "standby": is_sync_standby, "etcd": _is_etcd_leader}.items()
)


def _by_name(faults: Iterable[Fault]) -> dict[str, Fault]:
    return {fault.name: fault for fault in faults}


#: Those that every cluster can have.
USUAL: Final[Mapping[str, Fault]] = _by_name(_KILLS)
#: All: those of clocks need `up --clocks`, those of disks `up --small-disks`.
FAULTS: Final[Mapping[str, Fault]] = _by_name((*_KILLS, *_CLOCKS, *_DISKS))
