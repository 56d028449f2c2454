"""Rebuilds all read models from the log in shadow tables and swaps them in."""

import time

import psycopg
from msgspec import Struct

from engine.schedule import DEFAULT_TIMEZONE
from projections import accounts
from projections.registry import read_models
from projections.runner.rebuild import rebuild
from projections.runner.runner import ProjectionRunner
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.settlement import history
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError, run_worker, serve_worker


class ProjectionsTask(Struct, frozen=True):
    """The database with the log."""

    conninfo: str


class ProjectionsResult(Struct, frozen=True):
    """Facts applied by every read model, the duration in seconds, and the sum of all accounts."""

    facts: int
    seconds: float
    balance: int


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Rebuild once."""
    conninfo, facts = history(bench_db, sizes)
    result = run_worker(
        ProjectionsTask(conninfo),
        ProjectionsResult,
        bench_db.folder / "projections.log",
    )
    if result.facts != facts or result.balance:
        raise NoFigureError(f"{result.facts} of {facts} facts taken, balance {result.balance}")
    return {"projected_per_second": facts / result.seconds, "history_facts": facts}


def _work(task: ProjectionsTask) -> ProjectionsResult:
    runner = ProjectionRunner(task.conninfo, read_models(DEFAULT_TIMEZONE))
    try:
        runner.install()
        began = time.perf_counter()
        rebuild(task.conninfo, read_models(DEFAULT_TIMEZONE), lambda _: None)
        seconds = time.perf_counter() - began
        facts = min(one.position for one in runner.status())
    finally:
        runner.close()
    with psycopg.connect(task.conninfo, autocommit=True) as connection:
        balance = sum(total.balance for total in accounts.trial_balance(connection))
    return ProjectionsResult(facts, seconds, balance)


if __name__ == "__main__":
    serve_worker(ProjectionsTask, _work)
