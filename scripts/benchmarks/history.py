"""The log that the read models and the pure engine read again, at least as long as asked."""

from scripts.benchmarks import settlement
from scripts.benchmarks.ground import BenchDatabase, query
from scripts.benchmarks.sizes import Sizes

_COUNT = "SELECT count(*) FROM log.facts"


def history(bench_db: BenchDatabase, sizes: Sizes) -> tuple[str, int]:
    """Where the log of all settled rounds is, and its length in facts."""
    if not (bench_db.folder / settlement.DATABASE).exists():
        print("    settling rounds, for a log to read", flush=True)
        settlement.measure(bench_db, sizes)
    conninfo = bench_db.server.conninfos(settlement.DATABASE).app
    while (facts := query(conninfo, _COUNT)) < sizes.history_facts:
        print(f"    {facts:,} facts so far", flush=True)
        settlement.measure(bench_db, sizes)
    return conninfo, facts
