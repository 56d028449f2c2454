"""Which faults a drill injects, in which order, and what it needs of the cluster."""

from argparse import ArgumentTypeError
from collections import Counter

import pytest

from scripts.cluster_tool.drill.cli import faults_of
from scripts.cluster_tool.drill.faults import FAULTS, USUAL
from scripts.cluster_tool.drill.plan import (
    MOST_AT_ONCE,
    PLANS,
    killed_nodes,
    kinds_of,
    random_kills,
    shuffled,
    unmet_need,
)
from scripts.cluster_tool.topology import DEFAULT_NETWORK, NODES, topology_of

_TOPOLOGY = topology_of("t", DEFAULT_NETWORK)


def test_a_plan_has_each_fault_as_often_as_it_says_and_the_seed_gives_the_order() -> None:
    long = PLANS["long"]
    steps = shuffled(long, seed=7)
    assert Counter(steps) == long
    assert shuffled(long, seed=7) == steps
    assert shuffled(long, seed=8) != steps


def test_every_fault_of_a_plan_exists() -> None:
    assert all(name in FAULTS for plan in PLANS.values() for name in plan)


def test_random_kills_are_as_many_as_asked_for() -> None:
    steps = random_kills(NODES, 200, seed=3)
    assert sum(len(killed_nodes(step)) for step in steps) == 200
    assert random_kills(NODES, 200, seed=3) == steps
    assert random_kills(NODES, 200, seed=4) != steps
    assert {len(killed_nodes(step)) for step in steps} == {1, 2, 3, 4, 5, 6}


def test_a_random_kill_leaves_a_quorum_and_one_node_of_each_role() -> None:
    for step in random_kills(NODES, 2_000, seed=1):
        nodes = [_TOPOLOGY.named(name) for name in killed_nodes(step)]
        assert len({node.name for node in nodes}) == len(nodes)
        for kind, count in Counter(node.kind for node in nodes).items():
            assert count <= MOST_AT_ONCE[kind]
            left = len(_TOPOLOGY.of_kind(kind)) - count
            assert left > count if kind in {"etcd", "db"} else left >= 1


def test_a_node_without_another_of_its_kind_is_never_killed_at_random() -> None:
    killed = {name for step in random_kills(NODES, 2_000, seed=1) for name in killed_nodes(step)}
    assert killed == {node.name for node in NODES} - {"proxy", "witness"}


def test_a_step_is_a_fault_or_nodes_to_kill() -> None:
    assert killed_nodes("primary-kill") == []
    assert killed_nodes("kill:db1+engine2") == ["db1", "engine2"]
    nodes = [_TOPOLOGY.named(name) for name in ("engine2", "db1")]
    assert kinds_of(nodes) == "kill db+engine"


def test_a_first_part_names_all_faults_that_begin_with_it() -> None:
    assert faults_of("engine") == ["engine-kill", "engine-freeze", "engine-cut"]
    assert faults_of("clock-witness-hour,api-kill") == [
        "clock-witness-hour-ahead",
        "clock-witness-hour-back",
        "api-kill",
    ]
    assert len(faults_of("clock")) == 30
    with pytest.raises(ArgumentTypeError, match="'eng' is no fault; they are primary-kill"):
        faults_of("engine,eng")
    with pytest.raises(ArgumentTypeError, match="'' is no fault"):
        faults_of("")


def test_clocks_and_disks_are_needed_before_the_first_fault() -> None:
    assert unmet_need(USUAL, clocks=False, small_disks=False) == ""
    clock, disk = ["api-kill", "clock-api-day-back"], ["api-kill", "disk-api"]
    assert "up --clocks" in unmet_need(clock, clocks=False, small_disks=True)
    assert unmet_need(clock, clocks=True, small_disks=False) == ""
    assert "up --small-disks" in unmet_need(disk, clocks=True, small_disks=False)
    assert unmet_need(disk, clocks=False, small_disks=True) == ""
