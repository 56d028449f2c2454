"""Scheduled jobs: one that fails runs again; one that runs while the server stops is no error."""

import asyncio
import logging
from datetime import timedelta

import psycopg
import pytest

from api.office import integrity, players
from api.ops import jobs
from api.services import wait_until
from tests.api.support import ApiServer


def test_a_job_that_is_under_way_when_the_house_stops_is_no_error(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def stopped_while_checking() -> None:
        began = asyncio.Event()

        async def endless(*_: object) -> None:
            began.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(integrity, "check", endless)
        monkeypatch.setattr(jobs, "purge", endless)
        running = asyncio.create_task(jobs.run(house.services))
        await began.wait()
        running.cancel()
        await asyncio.wait((running,))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    with caplog.at_level(logging.INFO, "apscheduler"):
        house.on_loop(stopped_while_checking)
    assert [it.getMessage() for it in caplog.records if it.levelno > logging.INFO] == []


def test_an_erasure_that_fails_as_the_server_starts_is_tried_again_without_a_restart(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(hours=1) == jobs.EVERY
    monkeypatch.setattr(jobs, "EVERY", timedelta(milliseconds=50))
    attempts = 0

    async def failing(_: object) -> int:
        nonlocal attempts
        attempts += 1
        raise psycopg.OperationalError("database is away")

    monkeypatch.setattr(players, "finish_erasures", failing)

    async def watch() -> None:
        running = asyncio.create_task(jobs.run(house.services))
        await wait_until(lambda: attempts > 2)
        running.cancel()

    house.on_loop(watch)
