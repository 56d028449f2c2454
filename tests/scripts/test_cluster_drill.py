"""What `scripts/cluster drill` concludes from times, answers and the log."""

from pathlib import Path

import pytest

from engine.rounds.facts import RoundDrawn, RoundOpened
from engine.schedule import SECOND_US, demo, draw_day_bounds
from scripts.cluster_tool.cluster import ClusterError
from scripts.cluster_tool.drill.compare import Comparison, compare, together
from scripts.cluster_tool.drill.draws import RoundBook
from scripts.cluster_tool.drill.faults import FAULTS
from scripts.cluster_tool.drill.measure import (
    Draw,
    Probe,
    bets_still,
    draw_errors,
    draws_still,
    is_steady,
    longest_gap,
    percentile,
    ready_while_still_s,
    without_sale,
)
from scripts.cluster_tool.drill.players import Note, Notes, noted, read_notes
from scripts.cluster_tool.drill.record import RecordFile
from scripts.cluster_tool.drill.result import (
    Begun,
    Check,
    DrillResult,
    Failed,
    Injection,
    Line,
    Piece,
    Skipped,
    done_steps,
    result_of,
    shown,
)
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
    still = bets_still([10.0, 30.0], since=10.0, until=32.0)
    harmless = [
        Probe(14.0, "engine1", is_ready=True),  # not yet 5 s
        Probe(17.0, "engine2", is_ready=False),
        Probe(31.0, "engine1", is_ready=True),  # bets are accepted again
    ]
    wrong = [Probe(22.0, "engine1", is_ready=True), Probe(29.0, "engine1", is_ready=True)]
    assert ready_while_still_s(still, harmless) == 0
    assert ready_while_still_s(still, harmless + wrong) == 8.0


def test_a_house_that_sells_nothing_between_two_days_does_not_stand_still() -> None:
    schedule = demo(20)
    day_ends = draw_day_bounds(schedule, "2026-11-28")[1] / SECOND_US
    unsold = without_sale(schedule, day_ends - 60, day_ends + 60)
    accepted = sorted([day_ends - 16, *unsold, day_ends + 1])
    assert longest_gap(accepted, since=day_ends - 16, until=day_ends + 2) < 2
    assert bets_still(accepted, since=day_ends - 16, until=day_ends + 2) == []
    assert bets_still(accepted, since=day_ends - 16, until=day_ends + 9) != []


def test_while_one_game_sells_no_moment_is_without_a_sale() -> None:
    schedule = demo(20)
    day_begins = draw_day_bounds(schedule, "2026-11-28")[0] / SECOND_US
    assert without_sale(schedule, day_begins, day_begins + 3_600) == []


def test_a_house_that_says_ready_while_a_draw_is_overdue_is_found() -> None:
    draws = [Draw(1, "a", due=10.0, done=22.0), Draw(2, "b", due=11.0, done=12.0)]
    still = draws_still(draws, since=0.0, until=30.0)
    assert ready_while_still_s(still, [Probe(14.9, "api1", is_ready=True)]) == 0
    assert ready_while_still_s(still, [Probe(16.0, "api1", is_ready=True)]) == 6.0


def test_a_draw_that_never_came_is_overdue_until_now() -> None:
    assert draws_still([Draw(1, "a", due=10.0)], since=0.0, until=30.0) == [(15.0, 30.0)]
    assert draw_errors([Draw(1, "a", due=10.0)], since=0.0, until=30.0) == (0.0, 20.0)


def test_a_draw_of_before_the_fault_does_not_count() -> None:
    draws = [Draw(1, "a", due=1.0, done=9.0)]
    assert draws_still(draws, since=10.0, until=30.0) == []
    assert draw_errors(draws, since=10.0, until=30.0) == (0.0, 0.0)


def test_early_and_late_draws_are_measured_against_when_they_were_due() -> None:
    draws = [Draw(1, "a", due=20.0, done=17.5), Draw(2, "b", due=20.0, done=20.4)]
    early, late = draw_errors(draws, since=10.0, until=30.0)
    assert (early, round(late, 3)) == (2.5, 0.4)


def test_rounds_are_followed_from_their_opening_to_their_draw() -> None:
    book = RoundBook(monotonic_of_epoch=-1_000.0)
    book.apply(_opened("7", draws_at=1_050_000_000), seen_at=10.0)
    assert book.draws(since=0.0, until=40.0) == []  # it is due at 50 s
    (due,) = book.draws(since=0.0, until=60.0)
    assert (due.due, due.done) == (50.0, None)
    book.apply(_drawn("7"), seen_at=50.3)
    (done,) = book.draws(since=0.0, until=60.0)
    assert done.done == 50.3
    assert book.draws(since=51.0, until=60.0) == []


def test_a_draw_before_its_time_is_seen_although_it_is_not_due() -> None:
    book = RoundBook(monotonic_of_epoch=0.0)
    book.apply(_opened("7", draws_at=90_000_000), seen_at=10.0)
    book.apply(_drawn("7"), seen_at=20.0)
    assert draw_errors(book.draws(since=0.0, until=30.0), since=0.0, until=30.0) == (70.0, 0.0)


def _opened(issue: str, draws_at: int) -> RoundOpened:
    return RoundOpened(1, "day", 0, issue, 0, 0, draws_at, "table")


def _drawn(issue: str) -> RoundDrawn:
    return RoundDrawn(1, "day", 0, issue, "", "", "", (1, 2, 3), 6, "", "")


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
        _seen("db3", recovery=True, patroni={"role": "replica", "quorum_standby": True}),
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


def _begun(*steps: str) -> Begun:
    return Begun("long", 5, list(steps), "notes.jsonl", ttl_s=20, processors=2)


def _check(step: int, comparison: Comparison, audit: str = "") -> Check:
    return Check(step, comparison, audit, undecided=0, load=(1.0, 1.5, 2.0))


def _lines(*more: Line) -> list[Line]:
    return [
        _begun("primary-kill", "primary-kill", "api-kill"),
        Piece(0, undisturbed_s=0.4, load=(1.0, 1.0, 1.0)),
        Injection("primary-kill", "db1", 21.0, 0.5, 9.0, 0.0, step=1, late_s=0.3),
        Injection("primary-kill", "db2", 23.0, 0.6, 8.0, 3.2, step=2, late_s=19.1),
        *more,
    ]


def _result(comparison: Comparison, audit: str = "") -> DrillResult:
    return result_of(_lines(Skipped(3, "api-kill"), _check(3, comparison, audit)))


def test_the_result_shows_each_kind_with_its_percentiles() -> None:
    text = shown(_result(_compared(_ACCEPTED, _ACCEPTED, 1)))
    assert "Plan long, seed 5: 3 of 3 faults." in text
    (row,) = (line.split() for line in text.splitlines() if line.startswith("primary-kill"))
    assert row == ["primary-kill", "2", "21.0", "23.0", "23.0", "0.6", "9.0", "3.2", "19.1"]
    assert "api-kill: no node has the role" in text
    assert "1 bets noted, 1 accepted: 0 lost" in text


def test_kinds_are_followed_by_a_row_of_all() -> None:
    api = Injection("api-kill", "api1", 0.2, 0.1, 1.0, 0.0, step=3)
    text = shown(result_of(_lines(api)))
    (row,) = (line.split() for line in text.splitlines() if line.startswith("all "))
    assert row[1:5] == ["3", "21.0", "23.0", "23.0"]


def test_lost_bets_are_named_and_fail_the_drill() -> None:
    result = _result(_compared(_ACCEPTED, _ACCEPTED, 0))
    assert "lost: k" in shown(result)
    assert not result.is_clean


def test_a_finding_of_the_audit_fails_the_drill() -> None:
    kept = _compared(_ACCEPTED, _ACCEPTED, 1)
    assert _result(kept).is_clean
    assert not _result(kept, audit="a gap in the log").is_clean


def test_an_early_draw_fails_the_drill_and_is_named() -> None:
    early = Injection("clock-engine-hour-ahead", "engine1", 0.2, 0.1, 1.0, 0.0, step=3, early_s=9.0)
    result = result_of(_lines(early, _check(3, _compared(_ACCEPTED, _ACCEPTED, 1))))
    assert not result.is_clean
    assert "EARLY DRAW: by 9.0 s, at fault 3, clock-engine-hour-ahead of engine1" in shown(result)


def test_what_nodes_said_while_a_fault_lasted_is_shown() -> None:
    said = ["engine1: clock: the database's differs by +3600 s"]
    clock = Injection("clock-primary-hour-ahead", "db1", 0.2, 0.1, 1.0, 0.0, step=3, alarms=said)
    assert f"clock-primary-hour-ahead: {said[0]}" in shown(result_of(_lines(clock)))


def test_an_interrupted_drill_shows_what_was_measured_and_is_not_clean() -> None:
    result = result_of(_lines())
    assert "primary-kill" in shown(result)
    assert "Interrupted" in shown(result)
    assert not result.is_clean


def test_faults_after_the_last_check_are_counted_as_not_compared() -> None:
    kept = _compared(_ACCEPTED, _ACCEPTED, 1)
    begun, piece, first, second = _lines()
    result = result_of([begun, piece, first, _check(1, kept), second])
    assert "the bets of the last 1 faults were not repeated" in shown(result)
    assert not result.is_clean


def test_a_house_that_did_not_come_back_fails_the_drill() -> None:
    kept = _compared(_ACCEPTED, _ACCEPTED, 1)
    failed = Failed(3, "api-kill", "api1", "api1 did not come back")
    result = result_of(_lines(failed, _check(3, kept)))
    assert "FAILED: api-kill, api1: api1 did not come back" in shown(result)
    assert not result.is_clean


def test_what_an_earlier_check_found_stays_found() -> None:
    lost, kept = _compared(_ACCEPTED, _ACCEPTED, 0), _compared(_ACCEPTED, _ACCEPTED, 1)
    assert together([lost, kept]).lost == ["k"]
    assert not result_of(_lines(_check(1, lost), _check(2, kept))).is_clean


def test_a_later_check_reads_notes_that_it_does_not_repeat() -> None:
    notes = [_note(key="a"), _note(key="b")]
    found = compare(notes, {"b": _ACCEPTED}, {"a": 1, "b": 1}, repeated_before=1)
    assert found.is_clean
    assert found.noted == 2
    gone = compare(notes, {"b": _ACCEPTED}, {"b": 1}, repeated_before=1)
    assert gone.lost == ["a"]


def test_a_record_is_continued_after_the_steps_that_are_done(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    record = RecordFile.begin(path, _begun("api-kill", "api-kill", "etcd-kill"))
    record.write(Injection("api-kill", "api1", 0.2, 0.1, 1.0, 0.0, step=1))
    record.write(Skipped(2, "api-kill"))
    with path.open("ab") as file:
        file.write(b'{"type":"fault","fault":"etc')  # killed while it wrote
    again = RecordFile.open_again(path)
    assert again.begun.seed == 5
    assert done_steps(again.lines) == 2
    again.write(Skipped(3, "etcd-kill"))
    assert done_steps(RecordFile.open_again(path).lines) == 3


def test_another_file_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"token":"t"}' + "\n")
    with pytest.raises(ClusterError, match="is not the record of a drill"):
        RecordFile.open_again(path)


def test_notes_of_an_earlier_piece_are_repeated_unless_they_were(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    first = Notes(path)
    for key in ("a", "b", "c"):
        first.write(_note(key=key))
    first.close()
    with path.open("ab") as file:
        file.write(b'{"token":"t","key":"d')
    second = Notes(path, repeated_before=1)
    second.write(_note(key="e"))
    assert [note.key for note in second.take_unrepeated()] == ["b", "c", "e"]
    assert second.take_unrepeated() == []
    second.close()
    assert [note.key for note in read_notes(path)] == ["a", "b", "c", "e"]
