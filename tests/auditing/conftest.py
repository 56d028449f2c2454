"""Houses whose logs a test writes, and which the audit is asked about."""

import importlib
import itertools
import os
from collections.abc import Callable, Iterator

import pytest

from engine.runtime import schema
from engine.runtime.log import FactLog, datastore
from engine.runtime.postgres import Conninfos, EmbeddedPostgres
from tests.projections.history import History

Audit = Callable[..., int]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def _template(postgres: EmbeddedPostgres) -> Iterator[str]:
    """A database with the engine's schema, which others are copied from."""
    name = f"audit_template_{os.getpid()}"
    postgres.create_database(name)
    schema.create(postgres.conninfos(name).owner)
    yield name
    postgres.drop_database(name)


@pytest.fixture
def new_house(postgres: EmbeddedPostgres, _template: str) -> Iterator[Callable[[], Conninfos]]:
    """Makes databases with an empty log, dropped when the test ends."""
    made = []

    def make() -> Conninfos:
        made.append(f"audited_{os.getpid()}_{next(_numbers)}")
        postgres.create_database(made[-1], _template)
        return postgres.conninfos(made[-1])

    yield make
    for name in made:
        postgres.drop_database(name)


@pytest.fixture
def stored(new_house: Callable[[], Conninfos]) -> Conninfos:
    """A database with an empty log."""
    return new_house()


@pytest.fixture
def log(stored: Conninfos) -> Iterator[FactLog]:
    """Its log."""
    with datastore(stored.app) as store:
        yield FactLog(store)


@pytest.fixture
def history(log: FactLog) -> History:
    """What happens, stored in the log."""
    return History(log)


@pytest.fixture
def audit(stored: Conninfos, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Asks as a person would, of this test's house or another; the exit status comes back."""
    main = importlib.import_module("scripts.auditing.__main__").main

    def ask(*arguments: object, of: Conninfos = stored) -> int:
        monkeypatch.setenv("DATABASE_URL", of.owner)
        status: int = main([str(argument) for argument in arguments])
        return status

    return ask
