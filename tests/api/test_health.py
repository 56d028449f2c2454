"""Probes of a load balancer: live, ready, or not ready with the reasons."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from msgspec.structs import replace

from api.app import start_server, stop_server
from api.composition import open_services
from api.ops import health
from api.ops.health_probe import HealthProbe, ProbeResult
from api.setting_types import ServerRole
from engine.runtime.clock import GuardedClock, wall_clock
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.writer.observer import UnfinishedRound
from tests.api.support import DEADLINE_S, ApiServer, Clock, Player
from tests.ports import reserved_port
from tests.runtime.test_log_integrity import TOPIC, newer_version_leads
from tests.runtime.witnesses import running

DISK_IS_FULL = """
CREATE FUNCTION log.disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
 $$ BEGIN RAISE disk_full; END $$;
CREATE TRIGGER disk_is_full BEFORE INSERT ON log.facts EXECUTE FUNCTION log.disk_is_full()
"""
READY: dict[str, Any] = {"ready": True, "role": "leading", "reasons": [], "warnings": []}
CHECKPOINTS_FAIL = """
CREATE FUNCTION log.no_checkpoint() RETURNS trigger LANGUAGE plpgsql AS
 $$ BEGIN RAISE disk_full; END $$;
CREATE TRIGGER no_checkpoint BEFORE INSERT OR UPDATE ON log.checkpoints
 EXECUTE FUNCTION log.no_checkpoint()
"""
CHECKPOINTS_ARE_STORED = "DROP FUNCTION log.no_checkpoint CASCADE"
ROOM_IS_MADE = "DROP FUNCTION log.disk_is_full CASCADE"
PROBES_OF_A_FULL_DISK = 30
FAIL = (
    "INSERT INTO views.failures SELECT application_name, notification_id + 1, 'player-1',"
    " 'bet-placed.1', 'for the test' FROM views.positions WHERE application_name LIKE 'feed.%'"
)


def readiness(house: ApiServer, query: str = "") -> tuple[int, dict[str, Any]]:
    answer = house.client.get(f"/readyz{query}")
    return answer.status_code, answer.json()


@pytest.fixture
def server(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(data_dir) as running:
        yield running


def test_a_house_that_takes_bets_is_ready(house: ApiServer) -> None:
    house.catch_up()
    assert readiness(house) == (200, READY)


def test_a_read_model_that_stopped_makes_it_unready(house: ApiServer) -> None:
    house.catch_up()
    with psycopg.connect(house.conninfos.app, autocommit=True) as connection:
        try:
            assert connection.execute(FAIL).rowcount == 1
            status, body = readiness(house)
        finally:
            connection.execute("DELETE FROM views.failures")
    assert (status, body["ready"], body["role"]) == (503, False, "leading")
    assert [reason.split(" at ")[0] for reason in body["reasons"]] == ["feed: stopped"]
    assert readiness(house)[0] == 200


def test_a_writer_that_cannot_store_makes_it_unready(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.catch_up()
    monkeypatch.setattr(health, "MAX_STORE_DELAY_S", 0.0)
    assert readiness(house)[0] == 200
    betting = threading.Thread(target=player.bet)
    with psycopg.connect(house.conninfos.owner) as holding:
        holding.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
        betting.start()
        house.wait_until(lambda: house.engine.stuck_s > 0)
        status, body = readiness(house)
    betting.join()
    assert status == 503
    assert body["reasons"] == ["engine: a batch has waited to be stored for 0 s"]
    house.wait_until(lambda: not house.engine.stuck_s)
    house.catch_up()
    assert readiness(house)[0] == 200


def test_a_writer_whose_every_try_fails_makes_it_unready(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk each try fails within milliseconds, and the next one begins."""
    house.catch_up()
    monkeypatch.setattr(health, "MAX_STORE_DELAY_S", 1.0)
    betting = threading.Thread(target=player.bet)
    with psycopg.connect(house.conninfos.owner, autocommit=True) as owner:
        owner.execute(DISK_IS_FULL)
        try:
            betting.start()
            house.wait_until(lambda: house.engine.stuck_s > 1)
            answers = [readiness(house) for _ in range(PROBES_OF_A_FULL_DISK)]
        finally:
            owner.execute(ROOM_IS_MADE)
    betting.join()
    for status, body in answers:
        assert (status, body["role"]) == (503, "leading")
        stuck, *others = body["reasons"]
        assert stuck.startswith("engine: a batch has waited to be stored for ")
        assert not others
    house.wait_until(lambda: not house.engine.stuck_s)
    house.catch_up()
    assert readiness(house)[0] == 200


def test_a_log_that_is_not_sealed_in_time_makes_it_unready(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.catch_up()
    monkeypatch.setattr(health, "MAX_SEAL_DELAY_S", 1.0)
    with psycopg.connect(house.conninfos.owner, autocommit=True) as owner:
        owner.execute(CHECKPOINTS_FAIL)
        try:
            assert player.bet()["code"] == 1
            house.catch_up()
            house.wait_until(lambda: house.engine.status().unsealed_s > 1)
            status, body = readiness(house)
        finally:
            owner.execute(CHECKPOINTS_ARE_STORED)
    assert (status, body["ready"], body["role"]) == (503, False, "leading")
    (reason,) = body["reasons"]
    assert reason.startswith("log: not sealed for ")
    house.wait_until(lambda: not house.engine.status().unsealed_s)
    assert readiness(house)[0] == 200


def test_an_absent_cosigner_is_a_warning_and_bets_are_accepted(
    database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MAX_COSIGN_DELAY_S", 1.0)
    data, clock = tmp_path / "house", Clock()
    operator = OperatorKey(secret_file(data / "keys" / "operator.key"))
    with (
        running(tmp_path / "first", clock, operator.public) as first,
        running(tmp_path / "second", clock, operator.public) as second,
    ):
        second.stop()
        house = ApiServer(database, data, reserved_port())
        house.settings = replace(house.settings, witness=first.address, cosigners=(second.address,))
        with house:
            house.wait_until(lambda: house.engine.status().uncosigned_s > 1)
            status, body = readiness(house)
            assert (status, body["ready"], body["reasons"]) == (200, True, [])
            (warning,) = body["warnings"]
            assert warning.startswith("log: no quorum of cosignatures for ")
            assert warning.endswith(f", missing: {second.address.name}")
            assert house.register().bet()["code"] == 1
            second.start()
            house.wait_until(lambda: house.engine.status().uncosigned_s == 0)
            assert readiness(house) == (200, READY)


def test_a_clock_older_than_the_log_makes_it_unready_and_is_named(house: ApiServer) -> None:
    house.catch_up()
    hour = 3_600 * 1_000_000
    house.clock.now -= hour
    try:
        status, body = readiness(house)
    finally:
        house.clock.now += hour
    assert (status, body["ready"]) == (503, False)
    assert any(reason.startswith("clock: the log's last fact is") for reason in body["reasons"])
    assert readiness(house)[0] == 200


def test_a_draw_that_waits_for_its_witness_is_a_reason_but_for_a_balancer(
    database: Conninfos, tmp_path: Path
) -> None:
    data, clock = tmp_path / "house", Clock()
    operator = OperatorKey(secret_file(data / "keys" / "operator.key"))
    with running(tmp_path / "witness", clock, operator.public) as witness:
        house = ApiServer(database, data, reserved_port())
        house.clock = clock
        house.settings = replace(house.settings, witness=witness.address)
        with house:
            player = house.register()
            witness.stop()
            opened = house.services.hub.games[1].opened
            assert opened is not None
            clock.now = opened.draws_at
            house.wait_until(lambda: house.issue != opened.issue)
            assert readiness(house) == (200, READY)
            clock.now = opened.draws_at + 5_000_000
            late = "rounds: game 1 has waited 5 s for its next step"
            status, body = readiness(house)
            assert (status, body["ready"], body["role"]) == (503, False, "leading")
            assert late in body["reasons"]
            status, body = readiness(house, "?exclude=draws")
            assert (status, body["ready"], body["reasons"]) == (200, True, [])
            assert late in body["warnings"]
            assert player.bet()["code"] == 1
            witness.start()
            house.move_to(clock.now)
            assert readiness(house) == (200, READY)


def test_a_round_that_waits_for_managers_while_others_are_drawn_is_no_reason(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restore a round may wait for days to be voided, and later rounds are drawn."""
    house.next_round()
    draw, status = house.services.hub.games[1].draw, house.engine.status()
    assert draw is not None
    waiting = UnfinishedRound(1, draw.at - 10_000_000, 0, 1)
    monkeypatch.setattr(
        house.engine, "status", lambda: replace(status, rounds=(*status.rounds, waiting))
    )
    assert readiness(house) == (200, READY)


def test_only_draws_can_be_excluded(house: ApiServer) -> None:
    """A balancer with a typing error must not find out when the witness is away."""
    house.catch_up()
    status, body = readiness(house, "?exclude=draw")
    assert (status, body["reasons"]) == (503, ["exclude: only draws"])
    assert readiness(house, "?exclude=draws") == (200, READY)


def test_a_wrong_clock_of_the_witnesses_machine_is_a_warning(
    database: Conninfos, tmp_path: Path
) -> None:
    data, clock = tmp_path / "house", Clock()
    operator = OperatorKey(secret_file(data / "keys" / "operator.key"))
    machine = Clock()
    machine.now += 60_000_000
    with running(tmp_path / "witness", machine, operator.public) as witness:
        house = ApiServer(database, data, reserved_port())
        house.clock = clock
        house.settings = replace(house.settings, witness=witness.address)
        with house:
            status, body = readiness(house)
            assert (status, body["reasons"]) == (200, [])
            assert body["warnings"] == ["clock: the witness's differs by +60 s"]


def test_an_api_process_names_its_own_wrong_clock_and_follows_a_corrected_one(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no engine that would compare the clock with the database's."""
    hour_us = 3_600 * 1_000_000
    monkeypatch.setattr("engine.runtime.clock.CONFIRMED_AFTER_US", 1_000_000)
    settings = replace(house.settings, role=ServerRole.API, port=reserved_port())
    ahead_us = hour_us
    guard = GuardedClock(lambda: wall_clock() + ahead_us)

    async def until_warnings_are(*expected: str) -> None:
        async with httpx.AsyncClient() as client:
            shown = None
            while shown != expected:
                answer = await client.get(f"http://127.0.0.1:{settings.port}/readyz")
                shown = tuple(one for one in answer.json()["warnings"] if one.startswith("clock"))

    async def compare() -> None:
        nonlocal ahead_us
        async with open_services(settings, house.conninfos.app, guard, guard) as services:
            server, serving = await start_server(services)
            await until_warnings_are("clock: the database's differs by -3600 s")
            ahead_us = 0
            await until_warnings_are()
            assert abs(guard() - wall_clock()) < 1_000_000
            ahead_us = -hour_us
            await until_warnings_are("clock: it was set by -3600 s, which this server ignores")
            assert abs(guard() - wall_clock()) < 1_000_000
            await stop_server(server, serving)

    asyncio.run(asyncio.wait_for(compare(), DEADLINE_S))


def test_an_older_version_says_why_it_does_not_lead_and_its_lists_stay_up(
    database: Conninfos, tmp_path: Path
) -> None:
    with ApiServer(database, tmp_path, reserved_port()) as house:
        player = house.register()
        placed = player.bet()["data"]["orderNo"]
        house.catch_up()
        with newer_version_leads(database) as write:
            position = write("news")
        models = house.services.models
        house.wait_until(lambda: bool(house.engine.status().unknown_topics))
        house.wait_until(lambda: all(model.failed for model in models()))
        status, body = readiness(house)
        assert (status, body["ready"], body["role"]) == (503, False, "nobody leads")
        start = "start the newer version that wrote it"
        assert body["reasons"] == [
            "engine: nobody leads",
            f"log: this version does not know {TOPIC} (from position {position}): {start}",
            *(
                f"{model.name}: stopped at {position}: this version does not know {TOPIC}: {start}"
                for model in models()
            ),
        ]
        assert player.bet()["reason"] == "unavailable"
        listed = player.call("user/orderList", {"begin_date": "", "end_date": ""})["data"]
        assert [order["orderNo"] for order in listed] == [placed]


@pytest.mark.slow
def test_a_server_without_leader_or_database_reports_it(
    server: EmbeddedPostgres, tmp_path: Path
) -> None:
    with ApiServer(server.conninfos(), tmp_path, reserved_port()) as house:

        async def stop() -> None:
            house.engine.stop()

        house.on_loop(stop)
        house.wait_until(house.engine.ended.is_set)
        role = {"role": "nobody leads", "reasons": ["engine: nobody leads"]}
        assert readiness(house) == (503, READY | {"ready": False} | role)
        postmaster = server.postmaster()
        assert postmaster is not None
        postmaster.stop(fast_seconds=0)
        status, body = readiness(house)
        assert (status, body["reasons"][-1]) == (503, "database: no answer")


def test_a_hanging_database_is_probed_once_for_all_callers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.ops.health_probe.PROBE_TIMEOUT_S", 0.0)
    answers, queries = threading.Event(), []

    def hang() -> Any:
        queries.append(1)
        answers.wait()
        return ()

    async def probe() -> None:
        look = HealthProbe(hang, lambda: True)
        assert await asyncio.gather(*(look() for _ in range(20))) == [ProbeResult()] * 20
        assert len(queries) <= 1
        answers.set()
        monkeypatch.setattr("api.ops.health_probe.PROBE_TIMEOUT_S", 20.0)
        assert await look() == ProbeResult((), has_leader=True)
        assert len(queries) == 1

    asyncio.run(probe())


def test_callers_who_wait_together_get_the_result_though_another_query_has_begun() -> None:
    async def probe() -> None:
        look = HealthProbe(lambda: (), lambda: True)

        async def twice() -> list[ProbeResult]:
            return [await look(), await look()]

        answers, answer = await asyncio.gather(twice(), look())
        assert [*answers, answer] == [ProbeResult((), has_leader=True)] * 3

    asyncio.run(probe())
