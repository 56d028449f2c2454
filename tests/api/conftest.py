from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.engine_state import EngineState
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.staff.roles import Role
from tests.api import catalogue, conformity
from tests.api.staffing import hire
from tests.api.support import ApiServer, Player
from tests.databases import new_database
from tests.ports import reserved_port

_WHAT_IT_SAW: Final = "api"


@pytest.fixture(scope="session")
def house(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """One running server for all tests of the run. Each test registers players of its own."""
    data: Path = tmp_path_factory.mktemp("house")
    with (
        new_database(postgres) as database,
        ApiServer(database, data, reserved_port()) as served,
    ):
        yield served


@pytest.fixture(autouse=True)
def _no_sums_of_the_day(request: pytest.FixtureRequest) -> None:
    """One person's approvals in other tests do not count toward the four-eyes limit of this one."""
    if "house" in request.fixturenames:
        served: ApiServer = request.getfixturevalue("house")
        world = served.engine.state
        served.on_loop(lambda: _clear_approvals(world))


async def _clear_approvals(world: EngineState) -> None:
    world.solo_approvals = msgspec.structs.replace(world.solo_approvals, alone=())


@pytest.fixture
def player(house: ApiServer) -> Player:
    """A new player with 1,000 u, while a round of game 1 is on sale."""
    return house.register()


def opened(database: Conninfos, data: Path) -> ApiServer:
    """A server without demo mode, not started yet: `with` starts it."""
    served = ApiServer(database, data, reserved_port())
    served.settings = msgspec.structs.replace(served.settings, demo=False)
    return served


@pytest.fixture(scope="module")
def staffed(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """A non-demo server with two managers, ann and ben, and one person for each other role."""
    data = tmp_path_factory.mktemp("staff")
    with new_database(postgres) as database, opened(database, data) as served:
        for person, role in (("ann", Role.MANAGER), ("ben", Role.MANAGER)):
            served.passes[person] = hire(served, person, role)
        for role in Role:
            person = "ann" if role is Role.MANAGER else role.value
            served.passes[role] = served.passes.get(person) or hire(served, person, role)
        yield served


@pytest.fixture
def unstaffed(database: Conninfos, tmp_path: Path) -> Iterator[ApiServer]:
    """A server without staff."""
    with opened(database, tmp_path) as served:
        yield served


_worker_reports: list[tuple[list[str], list[str], bool]] = []


def pytest_testnodedown(node: Any) -> None:
    """Collect the report of a test worker that has ended."""
    _worker_reports.append(node.workeroutput[_WHAT_IT_SAW])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """If all tests passed, check that every answer was described and every refusal provoked."""
    here = Path(__file__).parent
    ran = {item.path for item in session.items if item.path.parent == here}
    whole = ran == set(here.glob("test_*.py")) and not session.config.option.keyword
    saw = (catalogue.provoked(), conformity.mismatches(), whole)
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_WHAT_IT_SAW] = saw
        return
    shares = _worker_reports or [saw]
    undescribed = sorted({each for _, found, _ in shares for each in found})
    if undescribed and not session.exitstatus:
        print("\nanswered otherwise than the OpenAPI description says:", *undescribed, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if session.exitstatus or not all(whole for _, _, whole in shares):
        return
    missing = catalogue.unprovoked({each for seen, _, _ in shares for each in seen})
    if missing:
        print(f"\nno test provokes over HTTP: {', '.join(missing)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
