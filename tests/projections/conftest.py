"""A database whose log a test writes, and read models that the test steps explicitly."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.schema import create
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.registry import read_models
from projections.runner.projection import Projection
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import SERVED
from tests.projections.history import History
from tests.projections.support import ZONE, ProjectionHarness


@pytest.fixture
def stored(database: Conninfos) -> Conninfos:
    """A database with an empty log."""
    create(database.owner)
    return database


@pytest.fixture
def history(stored: Conninfos) -> Iterator[History]:
    """Appends facts to the log."""
    with datastore(stored.app) as store:
        yield History(FactLog(store))


@pytest.fixture
def runner_of(stored: Conninfos) -> Iterator[Callable[..., ProjectionRunner]]:
    """Creates runners of the given models, closed when the test ends."""
    with ExitStack() as made:

        def make(*models: Projection, page_size: int = 2_000) -> ProjectionRunner:
            runner = ProjectionRunner(stored.app, models or read_models(ZONE), page_size=page_size)
            made.callback(runner.close)
            return runner

        yield make


@pytest.fixture
def views(stored: Conninfos) -> Iterator[psycopg.Connection]:
    """A connection to the served read models."""
    with psycopg.connect(
        stored.app, autocommit=True, options=f"-c search_path={SERVED}"
    ) as connection:
        yield connection


@pytest.fixture
def house(
    history: History, runner_of: Callable[..., ProjectionRunner], views: psycopg.Connection
) -> ProjectionHarness:
    """The history, every read model, and a connection to query them."""
    return ProjectionHarness(history, runner_of(), views)
