"""What `scripts/cluster status` shows, from answers that nodes gave."""

from typing import Any

import pytest

from scripts.cluster_tool.bring_up import is_whole
from scripts.cluster_tool.observe import Observation, servers_of
from scripts.cluster_tool.picture import picture, state_of, verdict
from scripts.cluster_tool.topology import DEFAULT_NETWORK, topology_of

_TOPOLOGY = topology_of("t", DEFAULT_NETWORK)
_PRIMARY: dict[str, Any] = {
    "state": "running",
    "role": "primary",
    "server_version": 180004,
    "xlog": {"location": 90_000_000},
    "timeline": 3,
    "replication": [{"application_name": "db2", "state": "streaming", "sync_state": "quorum"}],
}
_STANDBY: dict[str, Any] = {
    "state": "running",
    "role": "replica",
    "quorum_standby": True,
    "server_version": 180004,
    "xlog": {
        "received_location": 90_000_000,
        "replayed_location": 89_999_488,
        "paused": False,
    },
    "timeline": 3,
    "replication_state": "streaming",
}
_REPLICA = {name: value for name, value in _STANDBY.items() if name != "quorum_standby"} | {
    "xlog": {"received_location": 90_000_000, "replayed_location": 80_000_000, "paused": False}
}
_LEADING = {"ready": True, "role": "leading", "reasons": [], "warnings": []}
_ON_STANDBY = {"ready": False, "role": "standby", "reasons": ["engine: standby"], "warnings": []}


def _seen(name: str, **answers: Any) -> Observation:
    node = _TOPOLOGY.named(name)
    return Observation(node, _TOPOLOGY.address(node), **answers)


def _whole() -> dict[str, Observation]:
    follower = {"healthy": True, "leader": False}
    servers = {"database/db1": "UP", "database/db2": "DOWN", "players/api1": "UP"}
    seen = [
        _seen("etcd1", etcd={"healthy": True, "leader": True}),
        _seen("etcd2", etcd=follower),
        _seen("etcd3", etcd=follower),
        _seen("db1", patroni=_PRIMARY, recovery=False, position=1234),
        _seen("db2", patroni=_STANDBY, recovery=True, position=1234),
        _seen("db3", patroni=_REPLICA, recovery=True, position=1200),
        _seen("proxy", servers=servers),
        _seen("witness", about={"name": "witness.example"}),
        _seen("engine1", ready=_LEADING),
        _seen("engine2", ready=_ON_STANDBY),
        _seen("api1", ready=_LEADING),
    ]
    return {each.node.name: each for each in seen}


def _line(name: str, seen: dict[str, Observation]) -> str:
    lines = picture([*seen.values()], colour=False).splitlines()
    (found,) = (line for line in lines if line.startswith(f"{name} "))
    return " ".join(found.split())


def test_every_node_has_a_line_with_its_role() -> None:
    whole = _whole()
    assert _line("etcd1", whole) == "etcd1 10.79.0.11 up runs leader"
    assert _line("etcd2", whole) == "etcd2 10.79.0.12 up runs follower"
    assert _line("db1", whole) == "db1 10.79.0.21 up runs leader 1234 timeline 3"
    assert _line("db2", whole) == "db2 10.79.0.22 up runs sync standby 512 B 1234 timeline 3"
    assert _line("db3", whole) == "db3 10.79.0.23 up runs replica 9.5 MiB 1200 timeline 3"
    assert _line("engine1", whole) == "engine1 10.79.0.31 up runs leading"
    assert _line("engine2", whole) == "engine2 10.79.0.32 up runs standby engine: standby"
    assert _line("witness", whole) == "witness 10.79.0.61 up runs witness"
    assert _line("proxy", whole).endswith("proxy sends to database/db1, players/api1")


def test_a_cluster_with_a_replica_on_an_older_timeline_is_not_whole() -> None:
    seen = _whole()
    assert is_whole(seen, houses=False)
    seen["db3"] = _seen("db3", patroni=_REPLICA | {"timeline": 2}, recovery=True, position=1200)
    assert not is_whole(seen, houses=False)


def test_a_replica_that_answers_and_follows_no_primary_is_not_whole_and_is_named() -> None:
    """PostgreSQL 18 can stay like this after its disk was full; Patroni calls it running."""
    alone = {name: value for name, value in _REPLICA.items() if name != "replication_state"}
    seen = _whole() | {"db3": _seen("db3", patroni=alone, recovery=True, position=1200)}
    assert _line("db3", seen).endswith("follows no primary; timeline 3")
    assert not is_whole(seen, houses=False)


def test_a_whole_cluster_is_summed_up_in_three_lines() -> None:
    assert verdict([*_whole().values()]) == [
        "etcd: 3 of 3 healthy",
        "databases: db1 is the primary, db2 confirms its commits",
        "house: engine1 leads; bets: accepted by api1",
    ]


@pytest.mark.parametrize(
    ("trouble", "shown"),
    [
        ({"is_cut": True}, "engine1 10.79.0.31 cut runs -"),
        ({"is_frozen": True}, "engine1 10.79.0.31 up frozen -"),
        ({"is_running": False}, "engine1 10.79.0.31 up ended -"),
    ],
)
def test_a_node_in_trouble_is_shown_as_what_it_is(trouble: dict[str, bool], shown: str) -> None:
    away = {"ready": False, "role": "engine unreachable"}
    seen = _whole() | {"engine1": _seen("engine1", **trouble), "api1": _seen("api1", ready=away)}
    assert _line("engine1", seen) == shown
    assert state_of(seen["engine1"]) == "bad"
    assert verdict([*seen.values()])[-1] == "house: none leads; bets: not accepted"


def test_a_node_with_the_lock_that_is_still_in_recovery_is_no_primary() -> None:
    seen = _whole() | {"db1": _seen("db1", patroni=_PRIMARY, recovery=True, position=1234)}
    assert "holds the lock, and is still in recovery" in _line("db1", seen)
    assert "databases: none accepts writes" in verdict([*seen.values()])


def test_a_replica_that_was_asked_after_the_primary_is_not_ahead_of_it() -> None:
    later = _STANDBY | {"xlog": {"replayed_location": 90_000_100}}
    seen = _whole() | {"db2": _seen("db2", patroni=later, recovery=True, position=1234)}
    assert " sync standby 0 B " in _line("db2", seen)


def test_a_silent_postgresql_is_named_although_patroni_answers() -> None:
    seen = _whole() | {"db1": _seen("db1", patroni=_PRIMARY)}
    assert "PostgreSQL does not answer" in _line("db1", seen)


def test_a_primary_without_a_standby_waits_for_one() -> None:
    seen = _whole() | {"db2": _seen("db2", patroni=_REPLICA, recovery=True, position=1)}
    assert "databases: db1 is the primary, and waits for a sync standby" in verdict(
        [*seen.values()]
    )


def test_two_writable_databases_are_called_a_split_brain() -> None:
    seen = _whole() | {"db3": _seen("db3", patroni=_PRIMARY, recovery=False, position=1)}
    assert "databases: db1 and db3 accept writes: SPLIT BRAIN" in verdict([*seen.values()])


def test_the_reasons_of_a_house_that_takes_no_bets_are_shown() -> None:
    ready = {"ready": False, "role": "nobody leads", "reasons": ["database: no answer"]}
    seen = _whole() | {"engine1": _seen("engine1", ready=ready)}
    assert "database: no answer" in _line("engine1", seen)
    assert state_of(seen["engine1"]) == "warning"


def test_colour_is_for_terminals() -> None:
    seen = [*_whole().values()]
    assert "\033[" not in picture(seen, colour=False)
    assert picture(seen, colour=True).count("\033[32m") == len(seen)


def test_the_proxy_s_servers_are_read_without_its_front_ends() -> None:
    csv = (
        "# pxname,svname,qcur,status,check\n"
        "database,FRONTEND,0,OPEN,\n"
        "database,db1,0,UP,L7OK\n"
        "database,db2,0,DOWN,L7STS\n"
        "database,BACKEND,0,UP,\n"
    )
    assert servers_of(csv) == {"database/db1": "UP", "database/db2": "DOWN"}
