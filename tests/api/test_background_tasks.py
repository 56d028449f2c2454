"""Every background task of the server restarts when it fails, and a metric counts it."""

import asyncio
from functools import partial

import pytest

from api import app
from api.services import Services, wait_until
from api.setting_types import ServerRole
from engine.runtime import supervision
from engine.runtime.supervision import PARTS, RESTARTS, RestartPolicy
from tests.api.support import ApiServer


@pytest.mark.parametrize("part", sorted(app.background_tasks(ServerRole.ALL)))
def test_a_part_of_the_program_that_fails_begins_again(house: ApiServer, part: str) -> None:
    assert PARTS[part] is RestartPolicy.RESTART
    before, began = RESTARTS[part], 0

    async def failing_once(_: Services) -> None:
        nonlocal began
        began += 1
        if began == 1:
            raise OSError(24, "too many open files")
        await asyncio.Event().wait()

    async def watch() -> None:
        running = supervision.task(part, partial(failing_once, house.services))
        await wait_until(lambda: began == 2)
        running.cancel()

    house.on_loop(watch)
    assert RESTARTS[part] == before + 1
    line = f'fairdraw_restarts_total{{part="{part}"}} {before + 1}.0'
    assert line in house.client.get("/metrics").text


def test_a_background_job_runs_where_the_engine_is_and_nowhere_else() -> None:
    whole, engine = (app.background_tasks(role) for role in (ServerRole.ALL, ServerRole.ENGINE))
    assert engine.keys() == whole.keys()
    assert app.background_tasks(ServerRole.API).keys() == {"welcome"}
