"""Many seeds, sequentially or in parallel, each reported when it ends."""

import itertools
import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial

from engine.runtime import garbage_collection
from tests.instruments.simulator.options import SimulationOptions
from tests.instruments.simulator.report import show_day, show_hour
from tests.instruments.simulator.simulation import RunResult, SimulationConfig, simulate


def results(options: SimulationOptions) -> Iterator[RunResult]:
    """The result of each seed; its days are shown as they end."""
    numbers: Iterable[int] = itertools.count(options.seed)
    if options.seeds is not None:
        numbers = range(options.seed, options.seed + options.seeds)
    configs = (
        SimulationConfig(seed, options.days, options.members, options.rounds, options.one_in)
        for seed in numbers
    )
    return map(_run, configs) if options.jobs == 1 else _in_processes(configs, options.jobs)


def _run(config: SimulationConfig) -> RunResult:
    garbage_collection.freeze()
    return simulate(config, partial(show_day, config), partial(show_hour, config))


def _in_processes(configs: Iterator[SimulationConfig], jobs: int) -> Iterator[RunResult]:
    """As they end; one process for each seed, which releases its memory."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, max_tasks_per_child=1) as pool:
        running: set[Future[RunResult]] = set()
        try:
            while True:
                for config in itertools.islice(configs, jobs - len(running)):
                    running.add(pool.submit(_run, config))
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in ended)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
