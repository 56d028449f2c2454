"""Plans of a drill: how often each fault, and the order. Pure: one seed gives one order."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scripts.cluster_tool.drill.faults import FAULTS
from scripts.cluster_tool.topology import Kind, Node

#: How often each fault of a plan is injected.
PLANS: Final[Mapping[str, Mapping[str, int]]] = {
    "long": {
        "primary-kill": 30,
        "primary-cut": 20,
        "primary-freeze": 20,
        "standby-kill": 20,
        "engine-kill": 30,
        "engine-freeze": 30,
        "engine-cut": 30,
        "api-kill": 20,
        "etcd-kill": 10,
    },
}
#: How many nodes of a kind may be killed at once; a kind that is not here is never killed.
#:
#: A majority of etcd and of the databases is left, and one of every other kind.
MOST_AT_ONCE: Final[Mapping[Kind, int]] = {
    "etcd": 1,
    "db": 1,
    "engine": 1,
    "api": 2,
    "projector": 1,
}
#: One node is killed more often than several at once; six are all that `MOST_AT_ONCE` allows.
_SIZES: Final = (1, 1, 1, 2, 2, 3, 4, 5, 6)
_KILL: Final = "kill:"
_JOINT: Final = "+"


def shuffled(counts: Mapping[str, int], seed: int) -> list[str]:
    """Returns every fault as often as `counts` says, in an order that follows from the seed."""
    steps = [name for name, count in counts.items() for _ in range(count)]
    random.Random(seed).shuffle(steps)  # noqa: S311 - an order that can be repeated
    return steps


def random_kills(nodes: Sequence[Node], count: int, seed: int) -> list[str]:
    """Returns steps that kill `count` nodes in all, up to six at once.

    `MOST_AT_ONCE` of a kind die in one step, so that the house survives each one.
    """
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated
    steps: list[str] = []
    left = count
    while left > 0:
        chosen = _survivable(nodes, min(left, chance.choice(_SIZES)), chance)
        steps.append(_KILL + _JOINT.join(node.name for node in chosen))
        left -= len(chosen)
    return steps


def _survivable(nodes: Sequence[Node], size: int, chance: random.Random) -> list[Node]:
    chosen: list[Node] = []
    killed: Counter[Kind] = Counter()
    for node in chance.sample(nodes, len(nodes)):
        if len(chosen) < size and killed[node.kind] < MOST_AT_ONCE.get(node.kind, 0):
            chosen.append(node)
            killed[node.kind] += 1
    return chosen


def killed_nodes(step: str) -> list[str]:
    """The nodes that a step of `random_kills` names; empty for the name of a fault."""
    return step.removeprefix(_KILL).split(_JOINT) if step.startswith(_KILL) else []


def faults_named(names: Iterable[str]) -> list[str]:
    """Returns the faults; the first part of a name, such as `engine`, means all that begin with it.

    Raises:
        ValueError: a name is no fault and no first part of one; the message is that name.
    """
    found: list[str] = []
    for name in names:
        chosen = [fault for fault in FAULTS if fault == name or fault.startswith(f"{name}-")]
        if not chosen:
            raise ValueError(name)
        found += chosen
    return found


def kinds_of(nodes: Iterable[Node]) -> str:
    """The name under which killing these nodes together is listed, such as `kill db+engine`."""
    return f"kill {_JOINT.join(sorted(node.kind for node in nodes))}"


def unmet_need(steps: Iterable[str], *, clocks: bool, small_disks: bool) -> str:
    """What the cluster lacks for these steps, in one line; empty if it can have them all."""
    found = list(steps)
    if not clocks and any(step.startswith("clock-") for step in found):
        return "the nodes have the machine's clock: scripts/cluster up --clocks gives each its own"
    if not small_disks and any(step.startswith("disk-") for step in found):
        return "the nodes have the machine's disk: scripts/cluster up --small-disks gives each one"
    return ""
