"""The configuration of etcd, Patroni and HAProxy, as texts. Pure.

Patroni keeps one of the databases the primary and promotes another one when it is lost. It holds
its lock in etcd. A replica, whichever is first, confirms every commit (`synchronous_mode`), and
without one the primary commits nothing (`synchronous_mode_strict`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.cluster_tool.topology import PORTS, SERVING, Node, Topology

PATRONI_PORT: Final = 8008
PROXY_DATABASE_PORT: Final = 5000
PROXY_STATUS_PORT: Final = 7000
_ETCD_PEER_PORT: Final = 2380
DATABASE: Final = "fairdraw"
SUPERUSER: Final = "postgres"
_REPLICATOR: Final = "replicator"
SCOPE: Final = "fairdraw"


@dataclass(frozen=True)
class Timing:
    """How fast a lost primary is noticed; seconds. Patroni needs loop_wait + 2 retry <= ttl."""

    ttl: int
    loop_wait: int
    retry_timeout: int


#: The shortest ttl that Patroni accepts.
NORMAL: Final = Timing(ttl=20, loop_wait=3, retry_timeout=5)
#: For tests, below what Patroni accepts: `PATRONI_LAUNCHER` keeps it from being raised.
FAST: Final = Timing(ttl=6, loop_wait=1, retry_timeout=2)

#: Starts Patroni with a ttl below 20 s. It replaces a method that is no public interface, so the
#: version of Patroni is pinned in requirements.lock.
PATRONI_LAUNCHER: Final = """\
from patroni.__main__ import main
from patroni.config import Config

assert callable(Config._validate_and_adjust_timeouts)
Config._validate_and_adjust_timeouts = staticmethod(lambda config: None)
if __name__ == "__main__":  # Patroni starts PostgreSQL in a process that imports this file again
    main()
"""


@dataclass(frozen=True)
class DatabaseFiles:
    """Where a database's node keeps what it has, and PostgreSQL's programs."""

    data: Path
    pgpass: Path
    socket: Path
    programs: Path


def etcd_arguments(topology: Topology, node: Node, data: Path) -> list[str]:
    """The arguments of `etcd`."""
    address = topology.address(node)
    client, peer = f"http://{address}:{PORTS['etcd']}", f"http://{address}:{_ETCD_PEER_PORT}"
    members = ",".join(
        f"{each.name}=http://{topology.address(each)}:{_ETCD_PEER_PORT}"
        for each in topology.of_kind("etcd")
    )
    return [
        *("--name", node.name, "--data-dir", str(data), "--logger", "zap"),
        *("--listen-client-urls", client, "--advertise-client-urls", client),
        *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
        *("--initial-cluster", members, "--initial-cluster-state", "new"),
        *("--initial-cluster-token", SCOPE),
        *("--heartbeat-interval", "100", "--election-timeout", "1000"),
    ]


def patroni_config(
    topology: Topology,
    node: Node,
    files: DatabaseFiles,
    passwords: Mapping[str, str],
    timing: Timing,
) -> str:
    """The text of patroni.yml, in JSON, which is YAML. `passwords` are by the role's name."""
    address = topology.address(node)
    etcd = [f"{topology.address(each)}:{PORTS['etcd']}" for each in topology.of_kind("etcd")]
    rest = f"{address}:{PATRONI_PORT}"
    config = {
        "scope": SCOPE,
        "name": node.name,
        "restapi": {"listen": rest, "connect_address": rest},
        "etcd3": {"hosts": etcd},
        "bootstrap": {
            "dcs": _cluster_wide(timing),
            "initdb": [{"encoding": "UTF8"}, "data-checksums", {"locale": "C.UTF-8"}],
        },
        "postgresql": {
            "listen": f"{address},127.0.0.1:{PORTS['db']}",
            "connect_address": f"{address}:{PORTS['db']}",
            "data_dir": str(files.data),
            "bin_dir": str(files.programs),
            "pgpass": str(files.pgpass),
            "authentication": {
                "superuser": _login(SUPERUSER, passwords),
                "replication": _login(_REPLICATOR, passwords),
                "rewind": _login(SUPERUSER, passwords),
            },
            "parameters": {"unix_socket_directories": str(files.socket)},
            "pg_hba": _access(topology),
        },
    }
    return json.dumps(config, indent=2) + "\n"


def _login(role: str, passwords: Mapping[str, str]) -> dict[str, str]:
    return {"username": role, "password": passwords[role]}


def roles_with_passwords() -> tuple[str, ...]:
    """The roles that Patroni makes."""
    return (SUPERUSER, _REPLICATOR)


def _cluster_wide(timing: Timing) -> dict[str, Any]:
    return {
        "ttl": timing.ttl,
        "loop_wait": timing.loop_wait,
        "retry_timeout": timing.retry_timeout,
        # A primary whose PostgreSQL died is replaced, not restarted.
        "primary_start_timeout": 0,
        # While etcd elects a leader, a primary that reaches all replicas stays the primary.
        "failsafe_mode": True,
        "maximum_lag_on_failover": 1_048_576,
        # The replica that is ahead is promoted. With one fixed synchronous replica, another may be
        # ahead of it, and must rewind before it can confirm anything: bets stood still for it.
        "synchronous_mode": "quorum",
        "synchronous_mode_strict": True,
        "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": _PARAMETERS},
    }


_PARAMETERS: Final[Mapping[str, str | int]] = {
    # Those of every process, and once more those of a node that was cut off and is back.
    "max_connections": 400,
    "shared_buffers": "64MB",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # In memory of the node's IPC namespace, which ends with the node.
    "dynamic_shared_memory_type": "sysv",
    # With it all commits wait for 16 MB of zeros whenever a new file begins.
    "wal_init_zero": "off",
    "wal_log_hints": "on",
    "wal_keep_size": "256MB",
    # With it, promotions failed for minutes after a rewind had removed what it still needed.
    "summarize_wal": "off",
    # A cut peer is noticed without its closing the connection.
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "tcp_keepalives_idle": 2,
    "tcp_keepalives_interval": 1,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}


def _access(topology: Topology) -> list[str]:
    network = str(topology.network)
    return [
        "local all all trust",  # the socket's folder is closed to other accounts
        "host all all 127.0.0.1/32 scram-sha-256",
        # Patroni reads its own timeline over a replication connection to this address.
        f"host replication {_REPLICATOR} 127.0.0.1/32 scram-sha-256",
        f"host replication {_REPLICATOR} {network} scram-sha-256",
        f"host all all {network} scram-sha-256",
    ]


_PROXY: Final = """\
# Made by scripts/cluster.
global
    maxconn 4000

defaults
    timeout connect 1s
    timeout check 1s
    timeout queue 1s
    timeout client 30m
    timeout server 30m
    retries 1
    option redispatch
    default-server inter 500ms fastinter 250ms downinter 250ms rise 1 fall 2 \
on-marked-down shutdown-sessions

# The primary. /primary says that the node has Patroni's lock, a moment before it may be writable.
listen database
    bind {address}:{database_port} tcp-ut 5s
    mode tcp
    # A node that was cut off never ends its connections. Without these times they would stay open
    # here for half an hour, and after two cuts PostgreSQL had none left for the node that is back.
    option tcpka
    clitcpka-idle 2s
    clitcpka-intvl 1s
    clitcpka-cnt 3
    srvtcpka-idle 2s
    srvtcpka-intvl 1s
    srvtcpka-cnt 3
    option httpchk
    http-check send meth OPTIONS uri /primary
    http-check expect status 200
{databases}

# Players, at a node that accepts bets.
listen players
    bind {address}:{players_port}
    mode http
    timeout check 2s
    option forwardfor
    option httpchk
    http-check send meth GET uri /readyz?exclude=draws
    http-check expect status 200
{houses}

listen status
    bind {address}:{status_port}
    mode http
    stats enable
    stats uri /
"""


def haproxy_config(topology: Topology) -> str:
    """The text of haproxy.cfg."""
    databases = (
        f"    server {node.name} {topology.address(node)}:{PORTS['db']}"
        f" check port {PATRONI_PORT} tcp-ut 5s"
        for node in topology.of_kind("db")
    )
    houses = (
        f"    server {node.name} {topology.address(node)}:{PORTS[node.kind]} check"
        for node in topology.of_kind(*SERVING)
    )
    return _PROXY.format(
        address=topology.address(topology.one("proxy")),
        database_port=PROXY_DATABASE_PORT,
        players_port=PORTS["proxy"],
        status_port=PROXY_STATUS_PORT,
        databases="\n".join(databases),
        houses="\n".join(houses),
    )


def connection(topology: Topology, role: str, password: str, database: str = DATABASE) -> str:
    """The address of the primary through the proxy, for a role."""
    proxy = topology.address(topology.one("proxy"))
    return f"postgresql://{role}:{password}@{proxy}:{PROXY_DATABASE_PORT}/{database}"
