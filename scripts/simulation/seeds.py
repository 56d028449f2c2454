"""Many seeds, one after the other or some at a time, each in the order in which it ends."""

import itertools
import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial

from engine.runtime.memory import settle_memory
from scripts.simulation.options import Options
from scripts.simulation.report import show_day, show_hour
from scripts.simulation.simulation import Plan, Result, simulate


def results(options: Options) -> Iterator[Result]:
    """What came of each seed; its days are shown as they pass."""
    numbers: Iterable[int] = itertools.count(options.seed)
    if options.seeds is not None:
        numbers = range(options.seed, options.seed + options.seeds)
    plans = (
        Plan(seed, options.days, options.members, options.rounds, options.one_in)
        for seed in numbers
    )
    return map(_run, plans) if options.jobs == 1 else _in_processes(plans, options.jobs)


def _run(plan: Plan) -> Result:
    settle_memory()
    return simulate(plan, partial(show_day, plan), partial(show_hour, plan))


def _in_processes(plans: Iterator[Plan], jobs: int) -> Iterator[Result]:
    """As they end; a process for each seed, which gives its memory back."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, max_tasks_per_child=1) as pool:
        running: set[Future[Result]] = set()
        try:
            while True:
                for plan in itertools.islice(plans, jobs - len(running)):
                    running.add(pool.submit(_run, plan))
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in ended)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
