"""Network namespaces, the bridge and the links to it, by the program `ip`.

Everything has a name that begins with the cluster's prefix; nothing else on the machine is changed.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, Final

from scripts.cluster_tool.topology import Node, Topology

INSIDE: Final = "eth0"
_DEADLINE_S: Final = 20
_NAMESPACES: Final = Path("/run/netns")
_PROCESSES: Final = Path("/proc")


class NetworkError(Exception):
    """`ip` failed, or something of these names exists; the message is one line."""


def commands_to_make(topology: Topology) -> Iterator[Sequence[str]]:
    """Yields the arguments of `ip` that make the whole network."""
    bridge = topology.bridge
    yield ("link", "add", bridge, "type", "bridge")
    yield ("address", "add", topology.with_length(topology.machine), "dev", bridge)
    yield ("link", "set", bridge, "up")
    for node in topology.nodes:
        yield from commands_to_add(topology, node)


def commands_to_add(topology: Topology, node: Node) -> Iterator[Sequence[str]]:
    """Yields the arguments of `ip` that make one node's namespace and link."""
    name, inside = topology.namespace(node), ("-n", topology.namespace(node))
    yield ("netns", "add", name)
    yield ("link", "add", name, "type", "veth", "peer", "name", INSIDE, "netns", name)
    yield ("link", "set", name, "master", topology.bridge)
    yield ("link", "set", name, "up")
    yield (*inside, "link", "set", "lo", "up")
    yield (*inside, "address", "add", topology.with_length(topology.address(node)), "dev", INSIDE)
    yield (*inside, "link", "set", INSIDE, "up")


def make(topology: Topology) -> None:
    """Make the network. Raises NetworkError; what was made until then is left to `remove`."""
    for arguments in commands_to_make(topology):
        _ip(*arguments)


def remove(topology: Topology) -> None:
    """Remove what exists of the network, with any of it missing. No process may run in it."""
    for name in sorted(_namespaces() & _all_namespaces(topology)):
        _ip("netns", "delete", name)
    # Links end with their namespace, a moment later; the bridge does not.
    for name in sorted(_links().keys() & {*_all_namespaces(topology), topology.bridge}):
        _ip_if_possible("link", "delete", name)


def leftovers(topology: Topology) -> list[str]:
    """The names of namespaces and links of this cluster that exist."""
    names = {*_all_namespaces(topology), topology.bridge}
    return sorted((_namespaces() | _links().keys()) & names)


def overlapping(topology: Topology) -> list[str]:
    """The networks of this machine that share addresses with the cluster's, with their link."""
    routes = _ip_json("-4", "route", "show")
    return sorted(
        f"{route['dst']} on {route.get('dev', '?')}"
        for route in routes
        if route["dst"] != "default"
        if route.get("dev") != topology.bridge
        if IPv4Network(route["dst"], strict=False).overlaps(topology.network)
    )


def cut(topology: Topology, node: Node) -> None:
    """Take the node's link down. Its open connections are not closed: no packet says so."""
    _ip("link", "set", topology.namespace(node), "down")


def reconnect(topology: Topology, node: Node) -> None:
    """Bring the node's link up again."""
    _ip("link", "set", topology.namespace(node), "up")


def cut_nodes(topology: Topology) -> frozenset[str]:
    """The names of the nodes whose link is down."""
    links = _links()
    return frozenset(
        node.name
        for node in topology.nodes
        if (flags := links.get(topology.namespace(node))) is not None and "UP" not in flags
    )


def processes(topology: Topology, *nodes: Node) -> dict[str, list[int]]:
    """The process ids of everything that runs on these nodes, or on all of them, by their names."""
    found: dict[str, list[int]] = {node.name: [] for node in nodes or topology.nodes}
    names = {
        _identity(_NAMESPACES / topology.namespace(topology.named(name))): name for name in found
    }
    names.pop(None, None)
    for folder in _PROCESSES.iterdir():
        if folder.name.isdecimal() and (name := names.get(_identity(folder / "ns" / "net"))):
            found[name].append(int(folder.name))
    return found


def _identity(namespace: Path) -> tuple[int, int] | None:
    """What is the same for all names of a namespace; None if it, or the process, has ended."""
    try:
        found = namespace.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def command_in(topology: Topology, node: Node, *command: str) -> list[str]:
    """Returns the command that runs another one on the node."""
    return ["ip", "netns", "exec", topology.namespace(node), *command]


def _all_namespaces(topology: Topology) -> set[str]:
    return {topology.namespace(node) for node in topology.nodes}


def _namespaces() -> set[str]:
    return {line.split()[0] for line in _ip("netns", "list").splitlines() if line}


def _links() -> dict[str, Sequence[str]]:
    """The flags of every link by its name."""
    return {link["ifname"]: link["flags"] for link in _ip_json("link", "show")}


def _ip_json(*arguments: str) -> Iterable[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_ip("-j", *arguments) or "[]")
    return found


def _ip(*arguments: str) -> str:
    done = _run(*arguments)
    if done.returncode != 0:
        reason = done.stderr.strip() or f"status {done.returncode}"
        raise NetworkError(f"ip {' '.join(arguments)}: {reason}")
    return done.stdout


def _ip_if_possible(*arguments: str) -> None:
    _run(*arguments)


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ip", *arguments], capture_output=True, text=True, check=False, timeout=_DEADLINE_S
    )
