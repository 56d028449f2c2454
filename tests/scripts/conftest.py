"""A house on a real database whose deposits the engine approved, to reconcile with a statement."""

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.answers import Refused
from engine.cashier.commands import ApproveDeposit
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.vault import Vault
from tests.databases import new_database
from tests.runtime.house import PLAYER, Clock, EngineHarness, NoTicks, driven
from tests.runtime.vaults import keeper_of
from tests.scripts.statement_files import run_reconcile, written

Deposit = tuple[str, int, str]
Reconcile = Callable[..., int]


@pytest.fixture
def stored(postgres: EmbeddedPostgres, template: str) -> Iterator[Conninfos]:
    with new_database(postgres, template) as made:
        yield made


@pytest.fixture
def vault(stored: Conninfos) -> Iterator[Vault]:
    with keeper_of(stored) as keeper:
        yield keeper.vault


@pytest.fixture
def takes(
    stored: Conninfos, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Has an engine approve deposits (number, minor units, reference), `days` days after 10:00."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())

    async def approve(deposits: tuple[Deposit, ...], channel: str, days: int) -> None:
        async with EngineHarness(stored, tmp_path, Clock()) as house:
            await house.join(units=7)  # a gift over world:demo
            house.clock.forward(days * 86_400)
            for number, amount, reference in deposits:
                commitment = vault.save_clean_text(number, reference)
                command = ApproveDeposit(PLAYER, number, channel, amount, commitment)
                answer = await house.submit(number, command, actor="staff:mei")
                assert not isinstance(answer, Refused)

    def take(*deposits: Deposit, channel: str = "bank", days: int = 0) -> None:
        test: Callable[[], Coroutine[Any, Any, None]] = lambda: approve(deposits, channel, days)  # noqa: E731
        driven(test)()

    return take


@pytest.fixture
def reconcile(
    stored: Conninfos,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Reconcile:
    """Runs a reconciliation: the rows of a statement, then options; returns the exit status."""
    monkeypatch.setenv("DATABASE_URL", stored.app)

    def run(rows: str | list[str], *options: str) -> int:
        capsys.readouterr()  # discard what the engine and earlier runs printed
        return run_reconcile(written(tmp_path, rows), *options)

    return run
