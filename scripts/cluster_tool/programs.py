"""What each node runs, and the files that it needs before its first start."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from api import keys
from engine.runtime.clock import GuardedClock
from engine.runtime.postgres.files import SystemAccount, reachable_programs
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.witness.remote_witness import WitnessAddress
from scripts.cluster_tool import clocks, databases, disks, installation
from scripts.cluster_tool.cluster import Cluster
from scripts.cluster_tool.nodes import Program
from scripts.cluster_tool.topology import ENGINE_PORT, PORTS, PROBED, PRODUCT, Node
from scripts.devtools.paths import CACHE, ROOT

OWNER: Final = "fairdraw_owner"
APP: Final = "fairdraw_app"
_BASE: Final = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
_OUR_PYTHON: Final = _BASE | {
    "PYTHONPATH": str(ROOT),
    "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode"),
}
#: So that a drill's players, who share one address, are not limited.
_RATE_FACTOR: Final = "1000000"


def prepare(cluster: Cluster) -> None:
    """Write every node's files. The databases' account owns what its programs read and write."""
    account = installation.database_account()
    for node in cluster.topology.nodes:
        folder = cluster.data(node)
        folder.mkdir(mode=0o700)
        if cluster.record.settings.small_disks:
            disks.mount(cluster, node)
        match node.kind:
            case "etcd":
                account.own(folder)
            case "db":
                _prepare_database(cluster, node, account)
            case "proxy":
                cluster.config(node).write_text(databases.haproxy_config(cluster.topology))
            case "witness":
                LocalWitness(folder, GuardedClock())  # creates its key
            case "house" | "engine" | "api" | "projector":
                pass
    _make_keys(cluster)
    clocks.prepare(cluster)


def program_of(cluster: Cluster, node: Node) -> Program:
    """Returns what the node runs."""
    program = _program_of(cluster, node)
    return replace(program, command=clocks.command_on(cluster, node, program.command))


def _program_of(cluster: Cluster, node: Node) -> Program:
    account = installation.database_account()
    if node.kind in PRODUCT:
        return Program(_house(cluster, node), _environment(cluster, node), ROOT)
    if node.kind == "witness":
        return Program(_witness(cluster, node), _OUR_PYTHON, ROOT)
    if node.kind == "etcd":
        command = [
            _program("etcd"),
            *databases.etcd_arguments(cluster.topology, node, cluster.data(node)),
        ]
    elif node.kind == "proxy":
        command = [_program("haproxy"), "-db", "-f", str(cluster.config(node))]
    else:
        command = _patroni(cluster, node)
    return Program(command, _BASE, Path("/"), account)


def _program(name: str) -> str:
    found = installation.find(name)
    assert found is not None, f"{name} was found when the cluster was started"
    return found


def _patroni(cluster: Cluster, node: Node) -> list[str]:
    python = str(installation.patroni_python())
    started = [str(_launcher(cluster))] if cluster.record.settings.fast else ["-m", "patroni"]
    return [python, *started, str(cluster.config(node))]


def _launcher(cluster: Cluster) -> Path:
    return cluster.folder / "config" / "fast_patroni.py"


def _prepare_database(cluster: Cluster, node: Node, account: SystemAccount) -> None:
    folder, config = cluster.data(node), cluster.config(node)
    socket = folder / "socket"
    socket.mkdir(mode=0o700)
    files = databases.DatabaseFiles(
        data=folder / "data",
        pgpass=folder / "pgpass",
        socket=socket,
        programs=reachable_programs(account),
    )
    text = databases.patroni_config(
        cluster.topology, node, files, cluster.record.settings.passwords, cluster.timing
    )
    config.touch(mode=0o600)
    config.write_text(text)
    for path in (folder, socket, config):
        account.own(path)
    _launcher(cluster).write_text(databases.PATRONI_LAUNCHER)


def _make_keys(cluster: Cluster) -> None:
    """Make the operator's keys for the first node of the product; the others get a copy."""
    first, *others = cluster.topology.of_kind(*PRODUCT)
    for name in keys.FILES:
        secret_file(cluster.data(first) / "keys" / name)
    for node in others:
        shutil.copytree(cluster.data(first) / "keys", cluster.data(node) / "keys")


def _house(cluster: Cluster, node: Node) -> list[str]:
    role = () if node.kind == "house" else ("--role", node.kind)
    where = ("--host", cluster.topology.address(node), "--port", str(PORTS[node.kind]))
    return [
        *(sys.executable, "-m", "api.app", *role, *(where if node.kind in PROBED else ())),
        *("--data", str(cluster.data(node))),
        *("--round-seconds", str(cluster.record.settings.round_seconds)),
    ]


def _environment(cluster: Cluster, node: Node) -> dict[str, str]:
    topology, passwords = cluster.topology, cluster.record.settings.passwords
    engine = {"FAIRDRAW_ENGINE_ADDRESS": f"{topology.address(node)}:{ENGINE_PORT}"}
    return (_OUR_PYTHON | engine if node.kind == "engine" else _OUR_PYTHON) | {
        "DATABASE_URL": databases.connection(topology, APP, passwords[APP]),
        "DATABASE_OWNER_URL": databases.connection(topology, OWNER, passwords[OWNER]),
        "FAIRDRAW_WITNESS": _witness_address(cluster).text(),
        "FAIRDRAW_TRUSTED_PROXIES": topology.address(topology.one("proxy")),
        "FAIRDRAW_RATE_FACTOR": _RATE_FACTOR,
    }


def _witness(cluster: Cluster, node: Node) -> list[str]:
    first = cluster.topology.of_kind(*PRODUCT)[0]
    operator = OperatorKey(secret_file(cluster.data(first) / "keys" / "operator.key"))
    return [
        *(sys.executable, "-m", "scripts.witness_cli", "serve"),
        *("--operator", operator.public.hex(), "--data", str(cluster.data(node))),
        *("--host", cluster.topology.address(node), "--port", str(PORTS["witness"])),
    ]


def _witness_address(cluster: Cluster) -> WitnessAddress:
    node = cluster.topology.one("witness")
    witness = LocalWitness(cluster.data(node), GuardedClock())
    url = f"http://{cluster.topology.address(node)}:{PORTS['witness']}"
    return WitnessAddress(url, witness.name, witness.public)
