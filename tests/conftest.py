"""What every suite shares: the real database server, fresh databases, and hypothesis profiles.

All servers of a test run are in one folder, named after the run's leading process. Each run first
stops and removes the servers that a killed run left behind.
"""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres, find_postmaster
from tests.databases import new_database

hypothesis.settings.register_profile(
    "normal",
    deadline=None,
    derandomize=True,  # the same examples on every machine; profile "long" draws new ones
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "quick",
    hypothesis.settings.get_profile("normal"),
    max_examples=20,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],  # shrinking can take minutes
)
hypothesis.settings.register_profile(
    "long",
    hypothesis.settings.get_profile("normal"),
    derandomize=False,
    max_examples=5_000,
)
hypothesis.settings.load_profile("normal")

_PREFIX = "fairdraw-tests-"
_numbers = itertools.count(1)


def _leading_pid() -> int:
    """The process that leads the run: the parent of a worker, else this one."""
    return os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()


def _run_folder() -> Path:
    """The run's folder. Unlike pytest's own, the account that runs a server may traverse it."""
    folder = Path(tempfile.gettempdir(), f"{_PREFIX}{_leading_pid()}")
    folder.mkdir(mode=0o711, exist_ok=True)
    return folder


def _remove(folder: Path) -> None:
    for data_dir in folder.iterdir():
        _stop_server(data_dir)
    shutil.rmtree(folder, ignore_errors=True)


def _stop_server(data_dir: Path) -> None:
    postmaster = find_postmaster(data_dir / "postgres" / "cluster")
    if postmaster is not None:
        postmaster.stop(fast_seconds=0.5)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if not psutil.pid_exists(int(folder.name.removeprefix(_PREFIX))):
                _remove(folder)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        _remove(_run_folder())


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """The run's server, shared by all workers; the last worker stops it.

    Without fsync and compressed WAL, creating a database takes a quarter of the time. Only a power
    cut could lose data, not a killed process. A test's own server (`data_dir`) has the product's
    settings.
    """
    with EmbeddedPostgres(_run_folder() / "server") as server:
        with psycopg.connect(server.dsn("admin"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("ALTER SYSTEM SET wal_compression = off")
            connection.execute("SELECT pg_reload_conf()")
        yield server


@pytest.fixture
def database(postgres: EmbeddedPostgres) -> Iterator[Conninfos]:
    """A new empty database for one test, dropped afterwards even if connections are still open."""
    with new_database(postgres) as made:
        yield made


@pytest.fixture(scope="session")
def template(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The name of a database with the engine's schema, the template for others."""
    with new_database(postgres) as made:
        schema.create(made.owner)
        yield str(conninfo_to_dict(made.owner)["dbname"])


@contextmanager
def _data_folder() -> Iterator[Path]:
    folder = _run_folder() / f"{os.getpid()}-{next(_numbers)}"
    yield folder
    _stop_server(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder for a process that the test starts; its server is stopped afterwards."""
    with _data_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def module_data_dir() -> Iterator[Path]:
    """A data folder for a process that all tests of one file share."""
    with _data_folder() as folder:
        yield folder
