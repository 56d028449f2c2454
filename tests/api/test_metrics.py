"""Prometheus metrics: present, correct, bounded in number, and readable only from this machine."""

from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis.strategies import floats, lists
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.parser import text_string_to_metric_families

from api.ops.counters import BatchHistogram
from api.ops.metrics import _may_read
from engine.catalogue import GAMES
from engine.runtime.log.retention import rules
from engine.runtime.supervision import PARTS
from projections.registry import read_models
from tests.api.support import ApiServer, Player, events, new_key

HERE = ("127.0.0.1", 50_000)
ELSEWHERE = ("203.0.113.9", 50_000)
TOKEN = "a-long-random-word"
BOUNDS = (0.001, 0.5, 2.5)
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(house: ApiServer) -> Samples:
    answer = house.client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, frozenset(labels.items())), 0.0)


def test_commands_are_counted_by_kind_and_outcome(house: ApiServer, player: Player) -> None:
    before, key = scraped(house), new_key()
    player.bet("big", 10, key)
    player.bet("big", 10, key)
    player.bet("big", 2000)
    after = scraped(house)

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    counted = "fairdraw_commands_total"
    assert more(counted, command="PlaceBet", outcome="accepted") == 1
    assert more(counted, command="PlaceBet", outcome="repeated") == 1
    assert more(counted, command="PlaceBet", outcome="funds_insufficient") == 1
    assert more("fairdraw_command_seconds_count", command="PlaceBet") == 2
    assert more("fairdraw_commit_seconds_count") >= 2
    assert more("fairdraw_batch_commands_sum") >= 2
    route = "/api/Lottery/playOrder"
    assert more("fairdraw_http_answers_total", route=route, outcome="accepted") == 2
    assert more("fairdraw_http_answers_total", route=route, outcome="funds_insufficient") == 1
    assert more("fairdraw_http_answer_seconds_count", route=route) == 3


def test_requests_refused_by_the_guards_are_counted(house: ApiServer) -> None:
    labels = {"route": "front", "outcome": "url_too_long"}
    before = value(scraped(house), "fairdraw_http_answers_total", **labels)
    assert house.client.get(f"/api/{'x' * 5_000}").status_code == 414
    assert value(scraped(house), "fairdraw_http_answers_total", **labels) == before + 1


def test_the_state_of_the_house_is_exported(house: ApiServer, player: Player) -> None:
    house.next_round()
    player.bet("big", 100)
    house.catch_up()
    samples = scraped(house)
    assert value(samples, "fairdraw_leading") == 1
    assert value(samples, "fairdraw_database_up") == 1
    assert value(samples, "fairdraw_queue_commands") == 0
    assert value(samples, "fairdraw_batch_stuck_seconds") == 0
    assert value(samples, "fairdraw_exposure_units", game="1") >= 198
    assert value(samples, "fairdraw_exposure_cap_units") == 1_000_000
    assert value(samples, "process_resident_memory_bytes") > 10_000_000
    for model in (each.name for each in read_models("UTC")):
        assert ("fairdraw_projection_lag_facts", frozenset({("model", model)})) in samples
        assert value(samples, "fairdraw_projection_failed", model=model) == 0


def test_a_step_that_the_house_took_late_is_counted_with_its_lateness(house: ApiServer) -> None:
    before = scraped(house)
    opened = house.services.hub.games[1].opened
    assert opened is not None
    house.move_to(opened.draws_at + 30_000_000)
    after = scraped(house)
    for step in ("CloseRound", "DrawRound", "SettleRound"):
        late = [value(each, "fairdraw_rounds_late_total", step=step) for each in (before, after)]
        assert late[1] - late[0] >= 1
        name = "fairdraw_round_lateness_seconds_sum"
        seconds = [value(each, name, step=step) for each in (before, after)]
        assert seconds[1] - seconds[0] >= 30
    assert value(after, "fairdraw_round_overdue_seconds", game="1") == 0


def test_a_round_that_cannot_be_closed_is_overdue(house: ApiServer) -> None:
    house.next_round()
    opened = house.services.hub.games[1].opened
    assert opened is not None
    with psycopg.connect(house.conninfos.owner) as holding:
        holding.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
        house.clock.now = opened.closes_at + 7_000_000
        assert value(scraped(house), "fairdraw_round_overdue_seconds", game="1") == 7
    house.next_round()


def test_no_sample_has_a_second_one_with_its_time_of_creation(house: ApiServer) -> None:
    assert not [name for name, _ in scraped(house) if name.endswith("_created")]


def test_open_streams_are_counted(house: ApiServer) -> None:
    before = value(scraped(house), "fairdraw_stream_clients")
    query = {"game_id": 1, "plan_id": 1}
    with house.client.stream("GET", "/api/Lottery/stream", params=query) as stream:
        stream_events = events(stream.iter_lines())
        assert next(stream_events)[0] == "heart"
        assert value(scraped(house), "fairdraw_stream_clients") == before + 1


def test_no_label_identifies_a_person_and_all_have_bounded_values(
    house: ApiServer, player: Player
) -> None:
    player.bet()
    allowed = {"command", "outcome", "route", "model", "game", "step", "le", "part", "log", "kind"}
    kinds = {rule.name for rule in rules(1)}
    for name, labels in scraped(house):
        if name.startswith("fairdraw_"):
            found = dict(labels)
            assert set(found) <= allowed, name
            assert {found.get("part"), found.get("log")} <= {*PARTS, None}
            assert found.get("kind") in {*kinds, None}
            assert str(player.id) not in found.values()
            assert found.get("game", "1") in map(str, GAMES)


@pytest.mark.parametrize(
    ("client", "headers", "token", "may"),
    [
        (HERE, {}, "", True),
        (("::1", 1), {}, "", True),
        (HERE, {}, TOKEN, True),
        (HERE, {"x-forwarded-for": "203.0.113.9"}, "", False),
        (HERE, {"forwarded": "for=203.0.113.9"}, "", False),
        (HERE, {"x-forwarded-for": "203.0.113.9", "authorization": f"Bearer {TOKEN}"}, TOKEN, True),
        (ELSEWHERE, {}, "", False),
        (ELSEWHERE, {"authorization": "Bearer "}, "", False),
        (ELSEWHERE, {"authorization": f"Bearer {TOKEN}"}, "", False),
        (ELSEWHERE, {"authorization": f"bearer {TOKEN}"}, TOKEN, True),
        (ELSEWHERE, {"authorization": f"Basic {TOKEN}"}, TOKEN, False),
        (ELSEWHERE, {"authorization": "Bearer another-long-word"}, TOKEN, False),
        (None, {}, "", False),
    ],
)
def test_it_is_read_from_this_machine_or_with_the_token(
    client: tuple[str, int] | None, headers: dict[str, str], token: str, *, may: bool
) -> None:
    named = {"host": "localhost:8000"} | headers
    given = [(name.encode(), words.encode()) for name, words in named.items()]
    scope: Any = {"client": client, "headers": given}
    assert _may_read(scope, token, "127.0.0.1") is may


@pytest.mark.parametrize(
    ("host", "may"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LOCALHOST.:8000", True),
        ("127.0.0.1:8000", True),
        ("127.8.0.1", True),
        ("[::1]:8000", True),
        ("house.example:8000", True),
        ("rebound.example", False),
        ("rebound.example:8000", False),
        ("127.0.0.1.rebound.example", False),
        ("localhost.rebound.example:8000", False),
        ("203.0.113.9:8000", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_a_page_whose_name_leads_to_this_machine_does_not_read_it(host: str, *, may: bool) -> None:
    """DNS rebinding: a browser on this machine sends the page's host name from a local address."""
    scope: Any = {"client": HERE, "headers": [(b"host", host.encode())] if host else []}
    assert _may_read(scope, TOKEN, "house.example") is may
    scope["headers"].append((b"authorization", f"Bearer {TOKEN}".encode()))
    assert _may_read(scope, TOKEN, "house.example")


def test_another_name_finds_no_such_route(house: ApiServer) -> None:
    answer = house.client.get("/metrics", headers={"Host": "rebound.example"})
    assert (answer.status_code, answer.json()["reason"]) == (404, "route_unknown")


def test_the_route_does_not_exist_for_callers_who_may_not_read_it(house: ApiServer) -> None:
    answer = house.client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})
    assert answer.status_code == 404
    assert answer.json()["reason"] == "route_unknown"
    assert house.client.post("/metrics").status_code == 404


@given(values=lists(floats(0.0, 20.0), min_size=1, max_size=40))
def test_values_observed_at_once_count_as_one_by_one(values: list[float]) -> None:
    together, single = CollectorRegistry(), CollectorRegistry()
    BatchHistogram("waits", "", buckets=BOUNDS, registry=together).observe_all(values)
    one_by_one = Histogram("waits", "", buckets=BOUNDS, registry=single)
    for value in values:
        one_by_one.observe(value)
    for bound in (*map(str, BOUNDS), "+Inf"):
        name, labels = "waits_bucket", {"le": bound}
        counted = together.get_sample_value(name, labels)
        assert counted == single.get_sample_value(name, labels)
    total = together.get_sample_value("waits_sum")
    assert total == pytest.approx(single.get_sample_value("waits_sum"))
