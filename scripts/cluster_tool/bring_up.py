"""`scripts/cluster up` and `down`: the order in which everything starts, and its complete end."""

import secrets
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from scripts.cluster_tool import clocks, databases, disks, network, nodes, programs
from scripts.cluster_tool.cluster import Cluster, ClusterError, Settings, create
from scripts.cluster_tool.observe import Observation, observe
from scripts.cluster_tool.picture import is_following, is_sync_standby, is_writable
from scripts.cluster_tool.topology import DECIDING, PRODUCT, SERVING, Kind, Node, topology_of

_DEADLINE_S: Final = 120.0
_POLL_S: Final = 0.3
_SHOWN_LINES: Final = 15
Seen = dict[str, Observation]


def up(folder: Path, settings: Settings, *, keep_logs: bool) -> Cluster:
    """Start everything, and return once bets are accepted. The folder's lock must be held.

    Raises:
        ClusterError: something exists already or did not start. Nothing is left then, but the
            logs with `keep_logs`.
    """
    topology = topology_of(settings.prefix, settings.network)
    cluster = create(folder, settings)
    try:
        _check_machine(cluster)
    except BaseException:
        cluster.forget(keep_logs=False)  # `down` would remove what belongs to another cluster
        raise
    try:
        network.make(topology)
        programs.prepare(cluster)
        _start_all(cluster)
    except BaseException:
        print("\nNot started; everything is removed again.", file=sys.stderr)
        down(cluster, keep_logs=keep_logs)
        raise
    cluster.record.complete = True
    cluster.save()
    return cluster


def down(cluster: Cluster, *, keep_logs: bool) -> None:
    """End and remove everything; any part of it may be gone already. Ctrl-C has to wait."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nodes.end_all(cluster)
    disks.unmount(cluster)
    network.remove(cluster.topology)
    clocks.remove_leftovers()
    cluster.forget(keep_logs=keep_logs)


def new_settings(
    prefix: str, net: str, *, fast: bool, round_seconds: int, clocks: bool, small_disks: bool
) -> Settings:
    """Returns the settings of a new cluster, with new passwords."""
    roles = (*databases.roles_with_passwords(), programs.OWNER, programs.APP)
    passwords = {role: secrets.token_hex(16) for role in roles}
    return Settings(prefix, net, fast, round_seconds, passwords, clocks, small_disks)


def start_node(cluster: Cluster, node: Node) -> None:
    """Start one node's program."""
    nodes.start(cluster, node, programs.program_of(cluster, node))


def heal(cluster: Cluster, node: Node) -> None:
    """Undo every fault of the node: its link, clock and disk are whole, and its program runs."""
    if node.name in network.cut_nodes(cluster.topology):
        network.reconnect(cluster.topology, node)
    clocks.correct(cluster, node)
    disks.make_room(cluster, node)
    nodes.thaw(cluster, node)
    if not nodes.running(cluster, node):
        start_node(cluster, node)


def is_whole(seen: Seen, *, houses: bool = True) -> bool:
    """Whether every node has the role that an undisturbed cluster gives it."""
    databases_ = [each for each in seen.values() if each.node.kind == "db"]
    product = [each for each in seen.values() if each.node.kind in PRODUCT]
    return (
        all(
            each.etcd and each.etcd["healthy"] for each in seen.values() if each.node.kind == "etcd"
        )
        and len([each for each in databases_ if is_writable(each)]) == 1
        and any(is_sync_standby(each) for each in databases_)
        and all(each.patroni and (is_writable(each) or is_following(each)) for each in databases_)
        # A former primary streams for a moment before Patroni rewinds it to the new timeline.
        and len({each.patroni.get("timeline") for each in databases_ if each.patroni}) == 1
        and (not houses or _houses_are_whole(product))
    )


def _houses_are_whole(seen: list[Observation]) -> bool:
    deciding = [each for each in seen if each.node.kind in DECIDING]
    serving = [each for each in seen if each.node.kind in SERVING]
    roles = [str(each.ready["role"]) for each in deciding if each.ready and "role" in each.ready]
    return (
        len(roles) == len(deciding)
        and roles.count("leading") == 1
        and any(each.ready and each.ready.get("ready") for each in serving)
    )


def wait(cluster: Cluster, title: str, condition: Callable[[Seen], bool]) -> None:
    """Wait until what is seen of the nodes fulfils the condition, printing the seconds.

    Raises:
        ClusterError: it did not within two minutes.
    """
    began = time.monotonic()
    while True:
        seen = {each.node.name: each for each in observe(cluster)}
        seconds = time.monotonic() - began
        if condition(seen):
            print(f"\r  {title}: {seconds:.1f} s", flush=True)
            return
        if seconds > _DEADLINE_S:
            print(f"\r  {title}: gave up after {seconds:.0f} s", flush=True)
            raise ClusterError(f"{title} took longer than {_DEADLINE_S:.0f} s")
        if sys.stdout.isatty():
            print(f"\r  {title} … {seconds:.0f} s", end="", flush=True)
        time.sleep(_POLL_S)


def _start_all(cluster: Cluster) -> None:
    print("Starting:", flush=True)
    _start_kind(
        cluster, "etcd", "etcd", lambda seen: _count_healthy(seen) == len(_of(seen, "etcd"))
    )
    _start_kind(cluster, "db", "Patroni and PostgreSQL", lambda seen: is_whole(seen, houses=False))
    _start_kind(cluster, "proxy", "HAProxy", _leads_to_primary)
    _make_database(cluster)
    _start_kind(cluster, "witness", "the witness", lambda seen: seen["witness"].about is not None)
    first, *others = cluster.topology.of_kind(*PRODUCT)
    start_node(cluster, first)
    _watched(cluster, [first], f"{first.name}", lambda seen: seen[first.name].ready is not None)
    for node in others:
        start_node(cluster, node)
    _watched(cluster, [first, *others], "the house", is_whole)


def _start_kind(
    cluster: Cluster, kind: Kind, title: str, condition: Callable[[Seen], bool]
) -> None:
    started = cluster.topology.of_kind(kind)
    for node in started:
        start_node(cluster, node)
    _watched(cluster, started, title, condition)


def _watched(
    cluster: Cluster,
    started: tuple[Node, ...] | list[Node],
    title: str,
    condition: Callable[[Seen], bool],
) -> None:
    """Wait as `wait` does; a program that ends meanwhile is shown with the end of its log."""

    def holds(seen: Seen) -> bool:
        for node in started:
            if nodes.has_ended(cluster, node):
                _show_log(cluster, node)
                raise ClusterError(f"{node.name} ended while it was started")
        return condition(seen)

    try:
        wait(cluster, title, holds)
    except ClusterError:
        for node in started:
            if not nodes.has_ended(cluster, node):
                _show_log(cluster, node)
        raise


def _show_log(cluster: Cluster, node: Node) -> None:
    print(f"\nThe end of the log of {node.name}:", file=sys.stderr)
    for line in nodes.last_lines(cluster.log(node), _SHOWN_LINES):
        print(f"    {line}", file=sys.stderr)


def _of(seen: Seen, kind: Kind) -> list[Observation]:
    return [each for each in seen.values() if each.node.kind == kind]


def _count_healthy(seen: Seen) -> int:
    return len([each for each in _of(seen, "etcd") if each.etcd and each.etcd["healthy"]])


def _leads_to_primary(seen: Seen) -> bool:
    servers = seen["proxy"].servers or {}
    found = {name for name, status in servers.items() if status == "UP"}
    return any(
        f"database/{each.node.name}" in found for each in _of(seen, "db") if is_writable(each)
    )


def _make_database(cluster: Cluster) -> None:
    """Make the owner and its database; the house's first start makes the other roles."""
    passwords = cluster.record.settings.passwords
    superuser = databases.SUPERUSER
    dsn = databases.connection(
        cluster.topology, superuser, passwords[superuser], database=superuser
    )
    owner, name = sql.Identifier(programs.OWNER), sql.Identifier(databases.DATABASE)
    with psycopg.connect(dsn, autocommit=True, connect_timeout=5) as connection:
        connection.execute("SET statement_timeout = '30s'")
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD {}").format(
                owner, sql.Literal(passwords[programs.OWNER])
            )
        )
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8' TEMPLATE template0").format(
                name, owner
            )
        )


def _check_machine(cluster: Cluster) -> None:
    """Raises ClusterError if names or addresses of the cluster are used already."""
    prefix, net = cluster.record.settings.prefix, cluster.record.settings.network
    if found := network.leftovers(cluster.topology):
        raise ClusterError(
            f"{found[0]} exists already, of a cluster in another folder: end that one first, or"
            f" choose another prefix than {prefix} (--prefix)"
        )
    if found := network.overlapping(cluster.topology):
        raise ClusterError(
            f"this machine uses addresses of {net} already ({found[0]}): choose another network"
            " (--network)"
        )
