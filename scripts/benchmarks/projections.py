"""All read models, rebuilt from the log beside those that are served, and swapped."""

import time

import psycopg
from msgspec import Struct

from engine.schedule import DEFAULT_TIMEZONE
from projections.accounts import queries as accounts
from projections.models import read_models
from projections.rebuild import rebuild
from projections.runner import ProjectionRunner
from scripts.benchmarks.ground import BenchDatabase
from scripts.benchmarks.history import history
from scripts.benchmarks.sizes import Sizes
from scripts.benchmarks.workers import NoFigureError, run_worker, serve_worker


class ProjectionsTask(Struct, frozen=True):
    """Where the log is."""

    conninfo: str


class ProjectionsResult(Struct, frozen=True):
    """Facts that every model took in, in so many seconds; the sum over all its accounts."""

    facts: int
    seconds: float
    balance: int


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Catch up once."""
    conninfo, facts = history(bench_db, sizes)
    result = run_worker(
        "projections",
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
