"""What `scripts/cluster drill` concludes from times, answers and the log."""

import pytest

from scripts.cluster_tool.drill.compare import Comparison, compare
from scripts.cluster_tool.drill.faults import FAULTS
from scripts.cluster_tool.drill.measure import (
    Probe,
    is_steady,
    longest_gap,
    percentile,
    ready_while_still_s,
)
from scripts.cluster_tool.drill.players import Note, noted
from scripts.cluster_tool.drill.result import DrillResult, Injection, shown
from scripts.cluster_tool.observe import Observation
from scripts.cluster_tool.topology import DEFAULT_NETWORK, topology_of

_TOPOLOGY = topology_of("t", DEFAULT_NETWORK)
_ACCEPTED, _REFUSED = (1, "", "order-7"), (0, "round_closed", "")


def _note(decision: tuple[int, str, str] = _ACCEPTED, key: str = "k") -> Note:
    return Note("token", key, {}, *decision, 0.0)


def _compared(
    first: tuple[int, str, str], again: tuple[int, str, str] | None, placed: int
) -> Comparison:
    repeated = {} if again is None else {"k": again}
    return compare([_note(first)], repeated, {"k": placed} if placed else {})


def test_a_bet_that_is_kept_once_is_clean() -> None:
    assert _compared(_ACCEPTED, _ACCEPTED, 1).is_clean
    assert _compared(_REFUSED, _REFUSED, 0).is_clean


def test_an_accepted_bet_that_the_log_has_not_is_lost() -> None:
    assert _compared(_ACCEPTED, _ACCEPTED, 0).lost == ["k"]
    assert _compared(_ACCEPTED, None, 0).lost == ["k"]


def test_an_accepted_bet_that_a_repeat_refuses_is_lost() -> None:
    assert _compared(_ACCEPTED, _REFUSED, 1).lost == ["k"]


def test_a_bet_that_was_placed_twice_is_doubled() -> None:
    assert _compared(_ACCEPTED, _ACCEPTED, 2).doubled == ["k"]


def test_a_refused_bet_that_the_log_has_is_doubled() -> None:
    assert _compared(_REFUSED, _ACCEPTED, 1).doubled == ["k"]


def test_another_order_or_another_refusal_is_a_different_answer() -> None:
    assert _compared(_ACCEPTED, (1, "", "order-8"), 1).different == ["k"]
    assert _compared(_REFUSED, (0, "round_unknown", ""), 0).different == ["k"]


def test_a_repeat_without_a_decision_is_reported() -> None:
    found = _compared(_ACCEPTED, None, 1)
    assert found.unanswered == ["k"]
    assert not found.is_clean


def test_bets_are_counted() -> None:
    found = compare([_note(key="a"), _note(_REFUSED, key="b")], {}, {"a": 1})
    assert (found.noted, found.accepted) == (2, 1)


def test_a_decision_is_noted_with_its_order_or_its_reason() -> None:
    accepted = noted("t", "k", {}, {"code": 1, "data": {"orderNo": 5}}, 1.0)
    refused = noted("t", "k", {}, {"code": 0, "data": None, "reason": "round_closed"}, 1.0)
    assert accepted.decision == (1, "", "5")
    assert refused.decision == (0, "round_closed", "")


def test_an_outage_begins_at_the_last_bet_before_the_fault() -> None:
    assert longest_gap([1.0, 2.0, 9.0, 9.5], since=3.0, until=10.0) == 7.0


def test_an_outage_that_has_not_ended_counts_until_now() -> None:
    assert longest_gap([1.0], since=1.5, until=21.0) == 20.0
    assert longest_gap([], since=1.0, until=4.0) == 3.0


def test_a_gap_that_was_over_before_the_fault_does_not_count() -> None:
    assert longest_gap([1.0, 50.0, 51.0], since=50.5, until=51.5) == 1.0


def test_bets_are_steady_when_each_second_has_one() -> None:
    assert is_steady([5.5, 6.5, 7.5], now=8.0, seconds=3)
    assert not is_steady([5.5, 7.5], now=8.0, seconds=3)


def test_a_house_that_says_ready_after_five_seconds_without_a_bet_is_found() -> None:
    accepted = [10.0, 30.0]
    harmless = [
        Probe(14.0, "engine1", is_ready=True),  # not yet 5 s
        Probe(17.0, "engine2", is_ready=False),
        Probe(31.0, "engine1", is_ready=True),  # bets are accepted again
    ]
    wrong = [Probe(22.0, "engine1", is_ready=True), Probe(29.0, "engine1", is_ready=True)]
    assert ready_while_still_s(accepted, harmless, since=10.0, until=32.0) == 0
    assert ready_while_still_s(accepted, harmless + wrong, since=10.0, until=32.0) == 8.0


def test_percentiles_of_few_values_are_values_that_were_measured() -> None:
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([3.0, 1.0, 2.0], 99) == 3.0
    assert percentile([4.0], 50) == 4.0


@pytest.mark.parametrize(
    ("fault", "target"),
    [
        ("primary-kill", "db2"),
        ("primary-cut", "db2"),
        ("standby-kill", "db3"),
        ("engine-freeze", "engine2"),
        ("api-kill", "api1"),
        ("etcd-kill", "etcd3"),
    ],
)
def test_a_fault_hits_the_node_that_has_the_role(fault: str, target: str) -> None:
    seen = [
        _seen("etcd1", etcd={"healthy": True, "leader": False}),
        _seen("etcd3", etcd={"healthy": True, "leader": True}),
        _seen("db1", recovery=True, patroni={"role": "primary"}),  # has the lock, is not writable
        _seen("db2", recovery=False, patroni={"role": "primary"}),
        _seen("db3", recovery=True, patroni={"role": "replica", "sync_standby": True}),
        _seen("engine2", ready={"ready": True, "role": "leading"}),
        _seen("engine1", ready={"ready": False, "role": "standby"}),
        _seen("api1", ready={"ready": True, "role": "leading"}),
    ]
    found = FAULTS[fault].target(seen)
    assert found is not None
    assert found.name == target


def test_without_a_node_of_the_role_there_is_no_target() -> None:
    assert FAULTS["primary-kill"].target([_seen("db1", recovery=True)]) is None


def _seen(name: str, **answers: object) -> Observation:
    node = _TOPOLOGY.named(name)
    return Observation(node, _TOPOLOGY.address(node), **answers)  # type: ignore[arg-type]


def _result(comparison: Comparison | None, audit: str | None = "") -> DrillResult:
    return DrillResult(
        ttl_s=20,
        processors=2,
        load=(1.0, 1.5, 2.0),
        undisturbed_s=0.4,
        injections=[
            Injection("primary-kill", "db1", 21.0, 0.5, 9.0, 0.0),
            Injection("primary-kill", "db2", 23.0, 0.6, 8.0, 3.2),
        ],
        skipped=["api-kill: no node has the role"],
        undecided=0,
        notes="notes.jsonl",
        comparison=comparison,
        audit=audit,
    )


def test_the_result_shows_each_kind_with_its_percentiles() -> None:
    text = shown(_result(_compared(_ACCEPTED, _ACCEPTED, 1)))
    assert "primary-kill      2  21.0  23.0" in text
    assert text.splitlines()[2].split()[-1] == "3.2"
    assert "api-kill: no node has the role" in text
    assert "1 bets noted, 1 accepted: 0 lost" in text


def test_lost_bets_are_named_and_fail_the_drill() -> None:
    result = _result(_compared(_ACCEPTED, _ACCEPTED, 0))
    assert "lost: k" in shown(result)
    assert not result.is_clean


def test_a_finding_of_the_audit_fails_the_drill() -> None:
    kept = _compared(_ACCEPTED, _ACCEPTED, 1)
    assert _result(kept).is_clean
    assert not _result(kept, audit="a gap in the log").is_clean


def test_an_interrupted_drill_shows_what_was_measured_and_is_not_clean() -> None:
    result = _result(None, audit=None)
    assert "primary-kill" in shown(result)
    assert "Interrupted" in shown(result)
    assert not result.is_clean
