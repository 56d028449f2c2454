"""Databases whose logs a test writes, and the audit command on them."""

import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from tests.databases import new_database
from tests.projections.history import History

Audit = Callable[..., int]
Saved = Callable[[Any], Path]


@pytest.fixture
def new_house(postgres: EmbeddedPostgres, template: str) -> Iterator[Callable[[], Conninfos]]:
    """Creates databases with an empty log, dropped when the test ends."""
    with ExitStack() as made:
        yield lambda: made.enter_context(new_database(postgres, template))


@pytest.fixture
def stored(new_house: Callable[[], Conninfos]) -> Conninfos:
    """A database with an empty log."""
    return new_house()


@pytest.fixture
def log(stored: Conninfos) -> Iterator[FactLog]:
    """The log of `stored`."""
    with datastore(stored.app) as store:
        yield FactLog(store)


@pytest.fixture
def history(log: FactLog) -> History:
    """Writes facts to the log."""
    return History(log)


@pytest.fixture
def audit(stored: Conninfos, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Runs `scripts/audit` on this test's database or another; returns the exit status."""
    main = importlib.import_module("scripts.audit_tool.__main__").main

    def run(*arguments: object, of: Conninfos = stored) -> int:
        monkeypatch.setenv("DATABASE_URL", of.owner)
        status: int = main([str(argument) for argument in arguments])
        return status

    return run


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    """Writes a file of evidence."""
    file = tmp_path / "evidence.json"

    def save(content: Any) -> Path:
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        file.write_bytes(text)
        return file

    return save
