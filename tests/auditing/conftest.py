"""Houses whose logs a test writes, and which the audit is asked about."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from tests.databases import new_database
from tests.projections.history import History

Audit = Callable[..., int]


@pytest.fixture
def new_house(postgres: EmbeddedPostgres, template: str) -> Iterator[Callable[[], Conninfos]]:
    """Makes databases with an empty log, dropped when the test ends."""
    with ExitStack() as made:
        yield lambda: made.enter_context(new_database(postgres, template))


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
    main = importlib.import_module("scripts.audit_tool.__main__").main

    def ask(*arguments: object, of: Conninfos = stored) -> int:
        monkeypatch.setenv("DATABASE_URL", of.owner)
        status: int = main([str(argument) for argument in arguments])
        return status

    return ask
