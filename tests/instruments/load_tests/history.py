"""The log for the read models and the replay, with at least the requested length."""

from tests.instruments.load_tests import settlement
from tests.instruments.load_tests.bench_database import BenchDatabase, query
from tests.instruments.load_tests.sizes import Sizes

_COUNT = "SELECT count(*) FROM log.facts"


def history(bench_db: BenchDatabase, sizes: Sizes) -> tuple[str, int]:
    """The database with the log of all settled rounds, and its length in facts."""
    if not (bench_db.folder / settlement.DATABASE).exists():
        print("    settling rounds, for a log to read", flush=True)
        settlement.measure(bench_db, sizes)
    conninfo = bench_db.server.conninfos(settlement.DATABASE).app
    while (facts := query(conninfo, _COUNT)) < sizes.history_facts:
        print(f"    {facts:,} facts so far", flush=True)
        settlement.measure(bench_db, sizes)
    return conninfo, facts
