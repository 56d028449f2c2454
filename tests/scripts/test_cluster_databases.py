"""The configuration of etcd, Patroni and HAProxy that `scripts/cluster` writes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.cluster_tool import databases, installation
from scripts.cluster_tool.databases import FAST, NORMAL, DatabaseFiles, Timing
from scripts.cluster_tool.topology import DEFAULT_NETWORK, topology_of
from tests.scripts.installed import needs, output_of

_TOPOLOGY = topology_of("t", DEFAULT_NETWORK)
_SHORTEST_TTL_S = 20  # Patroni raises a shorter one to this


def _patroni(name: str = "db1", timing: Timing = NORMAL) -> dict[str, Any]:
    files = DatabaseFiles(Path("/d/data"), Path("/d/pgpass"), Path("/d/socket"), Path("/pg/bin"))
    passwords = {role: f"secret-{role}" for role in databases.roles_with_passwords()}
    text = databases.patroni_config(_TOPOLOGY, _TOPOLOGY.named(name), files, passwords, timing)
    found: dict[str, Any] = json.loads(text)
    return found


def test_no_commit_is_confirmed_by_the_primary_alone() -> None:
    dcs = _patroni()["bootstrap"]["dcs"]
    assert (dcs["synchronous_mode"], dcs["synchronous_mode_strict"]) == ("quorum", True)


def test_a_primary_whose_postgresql_died_is_replaced() -> None:
    assert _patroni()["bootstrap"]["dcs"]["primary_start_timeout"] == 0


def test_an_election_in_etcd_does_not_demote_the_primary() -> None:
    assert _patroni()["bootstrap"]["dcs"]["failsafe_mode"] is True


def test_patroni_may_read_its_own_timeline() -> None:
    rules = _patroni()["postgresql"]["pg_hba"]
    assert "host replication replicator 127.0.0.1/32 scram-sha-256" in rules


def test_the_wal_summarizer_is_off() -> None:
    parameters = _patroni()["bootstrap"]["dcs"]["postgresql"]["parameters"]
    assert parameters["summarize_wal"] == "off"


def test_no_rule_trusts_a_connection_over_the_network() -> None:
    rules = _patroni()["postgresql"]["pg_hba"]
    assert all(rule.endswith("scram-sha-256") for rule in rules if rule.startswith("host"))


@pytest.mark.parametrize("timing", [NORMAL, FAST])
def test_two_retries_fit_into_the_lease(timing: Timing) -> None:
    assert timing.loop_wait + 2 * timing.retry_timeout <= timing.ttl


def test_patroni_accepts_the_normal_timing_as_it_is() -> None:
    assert NORMAL.ttl >= _SHORTEST_TTL_S
    assert _patroni()["bootstrap"]["dcs"]["ttl"] == NORMAL.ttl


def test_the_version_whose_check_of_the_timing_is_replaced_is_pinned() -> None:
    assert FAST.ttl < _SHORTEST_TTL_S
    assert "Config._validate_and_adjust_timeouts" in databases.PATRONI_LAUNCHER
    assert re.search(r"^patroni(\[.*\])?==4\.1\.5\b", installation.LOCK.read_text(), re.MULTILINE)


def test_every_etcd_knows_the_same_members() -> None:
    members = set()
    for node in _TOPOLOGY.of_kind("etcd"):
        arguments = databases.etcd_arguments(_TOPOLOGY, node, Path("/e"))
        members.add(arguments[arguments.index("--initial-cluster") + 1])
    assert members == {
        "etcd1=http://10.79.0.11:2380,etcd2=http://10.79.0.12:2380,etcd3=http://10.79.0.13:2380"
    }


def test_a_database_node_asks_every_etcd_and_has_none_itself() -> None:
    config = _patroni()
    assert config["etcd3"]["hosts"] == ["10.79.0.11:2379", "10.79.0.12:2379", "10.79.0.13:2379"]
    assert config["restapi"]["listen"] == "10.79.0.21:8008"


def test_the_proxy_listens_in_the_network_alone() -> None:
    binds = re.findall(r"bind (\S+):\d+", databases.haproxy_config(_TOPOLOGY))
    assert {*binds} == {_TOPOLOGY.address(_TOPOLOGY.one("proxy"))}


def test_the_proxy_checks_each_database_by_its_patroni_and_each_api_by_readyz() -> None:
    text = databases.haproxy_config(_TOPOLOGY)
    sections = {part.split()[0]: part for part in text.split("\nlisten ")[1:]}
    assert "uri /primary" in sections["database"]
    assert "uri /readyz?exclude=draws" in sections["players"]
    for number in (1, 2, 3):
        assert f"server db{number} 10.79.0.2{number}:5432 check port 8008" in sections["database"]
    assert "server api1 10.79.0.41:8000 check" in sections["players"]


def test_the_proxy_ends_the_connections_to_a_server_that_is_away() -> None:
    assert "on-marked-down shutdown-sessions" in databases.haproxy_config(_TOPOLOGY)


def test_the_proxy_ends_the_connections_of_a_node_that_was_cut_off() -> None:
    """They kept PostgreSQL full for half an hour: the house stood still after two cuts."""
    text = databases.haproxy_config(_TOPOLOGY)
    (database,) = re.findall(r"listen database\n(.*?)\n\n", text, re.DOTALL)
    lines = {line.strip() for line in database.splitlines()}
    for side in ("clitcpka", "srvtcpka"):
        assert {"option tcpka", f"{side}-idle 2s", f"{side}-intvl 1s", f"{side}-cnt 3"} <= lines
    assert re.search(r"bind \S+ tcp-ut 5s", database)
    assert len(re.findall(r"server db\d .* tcp-ut 5s", database)) == 3


@needs("haproxy", "haproxy")
def test_the_proxys_configuration_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "haproxy.cfg"
    file.write_text(databases.haproxy_config(_TOPOLOGY))
    assert "WARNING" not in output_of("haproxy", "-c", "-f", file)
