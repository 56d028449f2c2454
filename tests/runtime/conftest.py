from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from tests.databases import new_database
from tests.runtime.house import Clock, EngineHarness, NoTicks
from tests.runtime.vaults import Keeper, empty, keeper_of


@pytest.fixture
def house_database(postgres: EmbeddedPostgres, template: str) -> Iterator[Conninfos]:
    """A new database with the engine's schema."""
    with new_database(postgres, template) as made:
        yield made


@pytest.fixture
def log(house_database: Conninfos) -> Iterator[FactLog]:
    """An empty log, opened with the application's role."""
    store = datastore(house_database.app)
    yield FactLog(store)
    store.close()


@pytest.fixture
def house(
    house_database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> EngineHarness:
    """A house that is not started yet: use `async with house`."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    return EngineHarness(house_database, tmp_path, Clock())


@pytest.fixture(scope="session")
def _vault_database(postgres: EmbeddedPostgres, template: str) -> Iterator[Conninfos]:
    """One database for all tests of the vault: emptying it is quicker than creating many."""
    with new_database(postgres, template) as made:
        yield made


@pytest.fixture
def keeper(_vault_database: Conninfos) -> Iterator[Keeper]:
    """An empty vault and sessions, with a clock that the test controls."""
    empty(_vault_database)
    with keeper_of(_vault_database) as keeper:
        yield keeper
