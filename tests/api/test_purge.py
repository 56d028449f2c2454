"""The leader deletes rows after their retention time, on a connection of its own."""

import asyncio
from datetime import timedelta

import msgspec
import psycopg
import pytest

from api.ops import jobs
from api.services import wait_until
from engine.runtime.log.retention import SESSION_RETENTION_US
from tests.api.support import ApiServer

COUNT = "SELECT count(*) FROM vault.sessions WHERE device = 'old'"
ADD = (
    "INSERT INTO vault.sessions (token_hash, player, created_at, device)"
    " SELECT decode(lpad(to_hex(number), 64, '0'), 'hex'), %s, %s, 'old'"
    " FROM generate_series(1, %s) AS number"
)


def old_sessions(house: ApiServer) -> int:
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(COUNT).fetchone()
    assert row is not None
    return int(row[0])


def add_old_sessions(house: ApiServer, number: int) -> None:
    player = house.register().id
    with psycopg.connect(house.conninfos.owner) as connection:
        connection.execute("DELETE FROM vault.sessions WHERE device = 'old'")
        connection.execute(ADD, (player, house.clock() - SESSION_RETENTION_US - 1, number))


def purged_sessions(house: ApiServer) -> float:
    registry = house.services.counters.registry
    return registry.get_sample_value("fairdraw_purged_rows_total", {"kind": "sessions"}) or 0


def test_8000_old_sessions_go_within_one_run_and_members_stay_signed_in(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_PURGE_PAUSE_S", 0.0)
    add_old_sessions(house, 8_000)
    member = house.register()
    before = purged_sessions(house)
    assert house.on_loop(lambda: jobs.purge(house.services))["sessions"] == 8_000
    assert old_sessions(house) == 0
    assert member.call("user/userInfo", {})["code"] == 1
    assert purged_sessions(house) == before + 8_000
    assert 'fairdraw_purged_rows_total{kind="sessions"}' in house.client.get("/metrics").text


def test_a_standby_deletes_nothing(house: ApiServer) -> None:
    class Standby:
        ready = False

    add_old_sessions(house, 10)
    standby = msgspec.structs.replace(house.services, engine=Standby())
    assert not house.on_loop(lambda: jobs.purge(standby))
    assert old_sessions(house) == 10


def test_it_runs_at_the_start_and_every_hour_and_a_failure_ends_nothing(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(hours=1) == jobs.EVERY
    monkeypatch.setattr(jobs, "EVERY", timedelta(milliseconds=50))
    add_old_sessions(house, 10)
    attempts = 0
    delete = jobs._purge_slice

    def failing(*given: object) -> int:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise psycopg.OperationalError("database is away")
        if attempts == 2:
            raise RuntimeError("a fault")
        return delete(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "_purge_slice", failing)

    async def watch() -> None:
        running = asyncio.create_task(jobs.run(house.services))
        await wait_until(lambda: old_sessions(house) == 0)
        running.cancel()

    house.on_loop(watch)
    assert attempts > 2
