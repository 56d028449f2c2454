"""Asks every node what it is. Nothing is remembered: an answer that does not come is not guessed.

etcd is asked for its health and its leader, Patroni for its role, each PostgreSQL whether it is in
recovery (Patroni's answer comes a moment before a server is writable), HAProxy for its servers,
the product for /readyz, the witness for what it is.
"""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from scripts.cluster_tool import network
from scripts.cluster_tool.cluster import Cluster, is_stopped
from scripts.cluster_tool.databases import DATABASE, PATRONI_PORT, PROXY_STATUS_PORT, SUPERUSER
from scripts.cluster_tool.topology import PORTS, PROBED, Node

_TIMEOUT_S: Final = 2.0
#: The nodes are on this machine: no proxy of the environment leads to them.
_OPENER: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_STATE: Final = "SELECT pg_is_in_recovery(), to_regclass('log.facts') IS NOT NULL"
_POSITION: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
Answer = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """What was seen of one node; an answer is None if none came within two seconds.

    `etcd`, `patroni`, `ready` and `about` are what etcd, Patroni, /readyz and the witness returned.
    `recovery` and `position` are of a PostgreSQL: whether it is in recovery, and its last fact.
    `servers` are those that the proxy has, by section and name, with their status.
    """

    node: Node
    address: str
    is_cut: bool = False
    is_running: bool = True
    is_frozen: bool = False
    etcd: Answer | None = None
    patroni: Answer | None = None
    recovery: bool | None = None
    position: int | None = None
    ready: Answer | None = None
    about: Answer | None = None
    servers: Mapping[str, str] | None = None


def observe(cluster: Cluster) -> list[Observation]:
    """Returns what is seen of every node, in the order of the table; takes about 6 s at most."""
    cut = network.cut_nodes(cluster.topology)
    running = network.processes(cluster.topology)
    with ThreadPoolExecutor(len(cluster.topology.nodes)) as threads:
        return list(
            threads.map(
                lambda node: _observe(cluster, node, cut, running[node.name]),
                cluster.topology.nodes,
            )
        )


def _observe(cluster: Cluster, node: Node, cut: frozenset[str], running: list[int]) -> Observation:
    return Observation(
        node=node,
        address=cluster.topology.address(node),
        is_cut=node.name in cut,
        is_running=bool(running),
        is_frozen=bool(running) and all(is_stopped(pid) for pid in running),
        **_answers(cluster, node),
    )


def _answers(cluster: Cluster, node: Node) -> dict[str, Any]:
    base = f"http://{cluster.topology.address(node)}:{PORTS[node.kind]}"
    if node.kind in PROBED:
        return {"ready": get_json(f"{base}/readyz")}
    match node.kind:
        case "etcd":
            return {"etcd": _etcd(base)}
        case "db":
            return _database(cluster, node)
        case "witness":
            return {"about": get_json(base)}
        case "proxy":
            return {"servers": _proxy(cluster.topology.address(node))}
        case _:
            return {}


def _etcd(base: str) -> Answer | None:
    health = get_json(f"{base}/health")
    status = get_json(f"{base}/v3/maintenance/status", b"{}")
    if health is None or status is None:
        return None
    is_leader = status.get("leader") == status.get("header", {}).get("member_id")
    return {"healthy": health.get("health") in {"true", True}, "leader": is_leader}


def _database(cluster: Cluster, node: Node) -> dict[str, Any]:
    address = cluster.topology.address(node)
    found: dict[str, Any] = {"patroni": get_json(f"http://{address}:{PATRONI_PORT}/patroni")}
    password = cluster.record.settings.passwords[SUPERUSER]
    for database in (DATABASE, SUPERUSER):  # the second one is there before the first
        with suppress(psycopg.Error):
            recovery, position = ask_database(address, password, database)
            return found | {"recovery": recovery, "position": position}
    return found


def ask_database(address: str, password: str, database: str) -> tuple[bool, int]:
    """Whether a PostgreSQL is in recovery, and its last fact; raises psycopg.Error."""
    with psycopg.connect(
        host=address,
        port=PORTS["db"],
        user=SUPERUSER,
        password=password,
        dbname=database,
        connect_timeout=2,  # the least that libpq takes
        tcp_user_timeout=2_000,
        options="-c statement_timeout=2s",
    ) as connection:
        ((recovery, has_log),) = connection.execute(_STATE).fetchall()
        if not has_log:
            return bool(recovery), 0
        ((position,),) = connection.execute(_POSITION).fetchall()
    return bool(recovery), int(position)


def _proxy(address: str) -> dict[str, str] | None:
    status, text = _get(f"http://{address}:{PROXY_STATUS_PORT}/;csv")
    return servers_of(text) if status else None


def servers_of(csv: str) -> dict[str, str]:
    """The status of each server in HAProxy's statistics, by `section/name`."""
    header, *lines = csv.lstrip("# ").splitlines()
    column = header.split(",").index("status")
    rows = (line.split(",") for line in lines if line)
    return {
        f"{row[0]}/{row[1]}": row[column] for row in rows if row[1] not in {"FRONTEND", "BACKEND"}
    }


def get_json(url: str, body: bytes | None = None) -> Answer | None:
    """Returns the JSON of an answer, of a refusal too; None if none came within two seconds."""
    status, text = _get(url, body)
    if status:
        with suppress(ValueError):
            found = json.loads(text)
            return found if isinstance(found, dict) else None
    return None


def status_of(url: str) -> int:
    """The HTTP status of an answer; 0 if none came within two seconds."""
    return _get(url)[0]


def _get(url: str, body: bytes | None = None) -> tuple[int, str]:
    """The status and the text of an answer, of a refusal too; 0 if none came."""
    try:
        with _OPENER.open(url, body, timeout=_TIMEOUT_S) as answer:
            return answer.status, _decoded(answer.read())
    except urllib.error.HTTPError as error:
        with suppress(OSError, http.client.HTTPException), error:
            return error.code, _decoded(error.read())
    except (OSError, ValueError, http.client.HTTPException):
        pass
    return 0, ""


def _decoded(content: bytes) -> str:
    return content.decode(errors="replace")
