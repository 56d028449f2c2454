from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.runtime.vault import password_login
from tests.api.banking import set_terms
from tests.api.conftest import opened
from tests.api.support import ApiServer
from tests.databases import new_database
from tests.probing.crew import dead_pass, hired
from tests.probing.scene import Scene


@pytest.fixture(scope="session")
def house(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """A server without demo mode, without cooling and waiting times."""
    data: Path = tmp_path_factory.mktemp("probing")
    with (
        new_database(postgres) as database,
        opened(database, data) as served,
        pytest.MonkeyPatch.context() as patch,
    ):
        # The real hasher with a low cost: hundreds of passwords are hashed here.
        patch.setattr(password_login, "_HASHER", PasswordHasher(1, 8, 1))
        # The daily limit on approvals by one person does not fit hundreds of small approvals.
        set_terms(served, cooling_us=0, bonus_wait_us=0, four_eyes_minor=100_000_000)
        yield served


@pytest.fixture(scope="session")
def scenes(house: ApiServer) -> Callable[[], Scene]:
    """Makes a new scene on the server."""
    passes = hired(house)
    passes["expired"] = dead_pass(house, passes, revoked=False)
    passes["revoked"] = dead_pass(house, passes, revoked=True)
    return lambda: Scene(house, passes)
