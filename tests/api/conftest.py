import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.postgres import EmbeddedPostgres
from tests.api import catalogue, conformity
from tests.api.support import House, Player


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def house(postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One served house for all tests of the run: each test brings members of its own."""
    name = f"api_{os.getpid()}"
    postgres.create_database(name)
    data: Path = tmp_path_factory.mktemp("house")
    with House(postgres.conninfos(name), data, free_port()) as served:
        yield served
    postgres.drop_database(name)


@pytest.fixture
def player(house: House) -> Player:
    """A member of the test's own, with 1,000 u, while a round of game 1 is on sale."""
    return house.register()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """When all has passed: was only what is described answered, and was every refusal given?"""
    undescribed = conformity.mismatches()
    if undescribed and not session.exitstatus:
        print("\nanswered otherwise than the OpenAPI description says:", *undescribed, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    here = Path(__file__).parent
    ran = {item.path for item in session.items if item.path.parent == here}
    if session.exitstatus or ran != set(here.glob("test_*.py")) or session.config.option.keyword:
        return
    missing = catalogue.unprovoked()
    if missing:
        print(f"\nno test provokes over HTTP: {', '.join(missing)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
