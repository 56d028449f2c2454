"""The order of the loads: the compared ones round by round, then those that read their log."""

import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Mapping

import psycopg

from tests.instruments.load_tests import (
    apis,
    audits,
    large,
    library,
    machine,
    pgbench,
    pgledger,
    projections,
    replay,
    server_bench,
    settlement,
    streams,
    web,
    writer,
)
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.options import BenchOptions
from tests.instruments.load_tests.report import COMPARED_STEPS, READING_STEPS
from tests.instruments.load_tests.sizes import FULL, QUICK
from tests.instruments.load_tests.workers import NoFigureError

# A figure may be a list of samples of several runs.
Measure = Callable[[], Mapping[str, float | list[float]]]
_SERVED = ("http", "heartbeat")
# An error that ends one load keeps the figures of the others.
_LOAD_ERRORS = (NoFigureError, psycopg.Error, OSError, subprocess.SubprocessError)


class BenchmarkRun:
    """Runs the loads; results are in `samples` by figure and `failures` by load."""

    def __init__(self, bench_db: BenchDatabase, options: BenchOptions) -> None:
        self.samples: defaultdict[str, list[float]] = defaultdict(list)
        self.failures: dict[str, str] = {}
        self._bench_db = bench_db
        self._options = options
        self._sizes = QUICK if options.quick else FULL
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        self._audits = audits.AuditLoad(bench_db, self._sizes)

    def run(self) -> None:
        """Alternate the loads for the requested number of rounds."""
        for turn in range(1, self._options.rounds + 1):
            self._round(turn, self._compared_loads(), COMPARED_STEPS)
        for turn in range(1, self._options.rounds + 1):
            self._round(turn, self._reading_loads(), READING_STEPS)
        if "web" in self._options.only:
            # Its own runs are the repetitions.
            self._run_load(1, "web", lambda: web.measure(self._bench_db, self._sizes))

    def _round(self, turn: int, loads: dict[str, Measure], speed: str) -> None:
        if loads:
            self.samples[speed].append(machine.steps_per_second())
        for name, measure in loads.items():
            if name not in self.failures:
                self._run_load(turn, name, measure)

    def _run_load(self, turn: int, name: str, measure: Measure) -> None:
        print(f"  {turn}/{self._options.rounds} {name} …", end="", flush=True)
        began = time.monotonic()
        try:
            found = {key: _samples(value) for key, value in measure().items()}
        except _LOAD_ERRORS as error:
            print(f" no figure: {error}", flush=True)
            self._discard(name, str(error))
            return
        rates = ", ".join(f"{found[key][0]:,.0f}/s" for key in found if key.endswith("_per_second"))
        print(f" {rates} ({time.monotonic() - began:.0f} s)", flush=True)
        for key, samples in found.items():
            self.samples[key] += samples
            self._keys[name].add(key)

    def _discard(self, name: str, why: str) -> None:
        """A load that failed once has no figure, even if other rounds succeeded."""
        self.failures[name] = why
        for key in self._keys[name]:
            self.samples.pop(key, None)

    def _compared_loads(self) -> dict[str, Measure]:
        bench_db, sizes, requested = self._bench_db, self._sizes, self._options.only
        served = [name for name in _SERVED if name in requested]
        loads: dict[str, Measure] = {
            "pgbench": lambda: pgbench.measure(bench_db, sizes),
            "library": lambda: library.measure(bench_db, sizes),
            "pgledger": lambda: pgledger.measure(bench_db, sizes, self._options.pgledger),
            "writer": lambda: writer.measure(bench_db, sizes),
            " and ".join(served): lambda: server_bench.measure(bench_db, sizes, served),
            "apis": lambda: apis.measure(bench_db, sizes),
            "stream": lambda: streams.measure(bench_db, sizes),
            "streams": lambda: streams.measure_several(bench_db, sizes),
            "settlement": lambda: settlement.measure(bench_db, sizes),
            "large": lambda: large.measure(bench_db, sizes, self._options.house),
        }
        return {
            name: load for name, load in loads.items() if set(name.split(" and ")) & {*requested}
        }

    def _reading_loads(self) -> dict[str, Measure]:
        bench_db, sizes = self._bench_db, self._sizes
        loads: dict[str, Measure] = {
            "projections": lambda: projections.measure(bench_db, sizes),
            "replay": lambda: replay.measure(bench_db, sizes),
            "audit": self._audits.measure,
        }
        return {name: load for name, load in loads.items() if name in self._options.only}


def _samples(value: float | list[float]) -> list[float]:
    return value if isinstance(value, list) else [value]
