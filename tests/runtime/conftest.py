from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.log import FactLog, datastore
from engine.runtime.postgres import Conninfos, EmbeddedPostgres
from tests.databases import new_database
from tests.runtime.house import Clock, EngineHarness, NoTicks
from tests.runtime.vaults import Keeper, empty, keeper_of


@pytest.fixture
def house_database(postgres: EmbeddedPostgres, template: str) -> Iterator[Conninfos]:
    """A fresh database with the engine's schema in it."""
    with new_database(postgres, template) as made:
        yield made


@pytest.fixture
def log(house_database: Conninfos) -> Iterator[FactLog]:
    """An empty log, as the application's role sees it."""
    store = datastore(house_database.app)
    yield FactLog(store)
    store.close()


@pytest.fixture
def house(
    house_database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> EngineHarness:
    """A house that is not yet open: `async with house`."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    return EngineHarness(house_database, tmp_path, Clock())


@pytest.fixture(scope="session")
def _vault_database(postgres: EmbeddedPostgres, template: str) -> Iterator[Conninfos]:
    """One database for all tests of the vault: they are many, and it is soon emptied."""
    with new_database(postgres, template) as made:
        yield made


@pytest.fixture
def keeper(_vault_database: Conninfos) -> Iterator[Keeper]:
    """An empty vault and sessions, under a clock of the test's own."""
    empty(_vault_database)
    with keeper_of(_vault_database) as keeper:
        yield keeper
