"""Scheduled jobs: one that runs while the server stops is no error."""

import asyncio
import logging

import pytest

from api.office import integrity
from api.ops import jobs
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
