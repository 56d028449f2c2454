"""A house whose log a test writes, and which the audit is asked about."""

import importlib
from collections.abc import Callable, Iterator

import pytest

from engine.runtime import schema
from engine.runtime.log import FactLog, datastore
from engine.runtime.postgres import Conninfos
from tests.projections.history import History

Audit = Callable[..., int]


@pytest.fixture
def stored(database: Conninfos) -> Conninfos:
    """A database with an empty log."""
    schema.create(database.owner)
    return database


@pytest.fixture
def history(stored: Conninfos) -> Iterator[History]:
    """What happens, stored in the log."""
    with datastore(stored.app) as store:
        yield History(FactLog(store))


@pytest.fixture
def audit(stored: Conninfos, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Asks as a person would, of this test's database; the exit status comes back."""
    monkeypatch.setenv("DATABASE_URL", stored.owner)
    main = importlib.import_module("scripts.auditing.__main__").main

    def ask(*arguments: object) -> int:
        status: int = main([str(argument) for argument in arguments])
        return status

    return ask
