"""The simulation's output: a line a day, a failure with its replay command, and the totals."""

import sys
from collections import Counter
from collections.abc import Sequence

from tests.instruments.simulator.options import DEFAULT_ONE_IN
from tests.instruments.simulator.simulation import DayResult, RunResult, SimulationConfig


def replay_command(config: SimulationConfig) -> str:
    """The command that repeats this run."""
    options = f"--days {config.days} --members {config.members} --rounds {config.rounds}"
    if config.one_in != DEFAULT_ONE_IN:
        options += f" --one-in {config.one_in}"
    return f"scripts/simulate --seed {config.seed} {options}"


def show_day(config: SimulationConfig, day: DayResult) -> None:
    """Print one line when a day is over and all its books agree."""
    _clear()
    print(
        f"seed {config.seed}, {day.date}: {day.rounds:,} rounds, {day.commands:,} commands,"
        f" {day.facts:,} facts, {day.troubles} troubles, {day.seconds:.1f} s",
        flush=True,
    )


def show_hour(config: SimulationConfig, moment: str, facts: int) -> None:
    """Print the simulated time if the output is a terminal."""
    if sys.stdout.isatty():
        _clear()
        print(f"seed {config.seed}, {moment}: {facts:,} facts", end="", flush=True)


def _clear() -> None:
    if sys.stdout.isatty():
        print("\r\033[K", end="")


def show_result(result: RunResult) -> None:
    """Print the seed's log hash, or the failure and its replay command."""
    _clear()
    if not result.failure:
        print(f"seed {result.config.seed}: every invariant held, log {result.log_hash}", flush=True)
        return
    print(f"seed {result.config.seed} FAILED: {result.failure}")
    print(f"replay it with\n  {replay_command(result.config)}", flush=True)


def show_summary(results: Sequence[RunResult], seconds: float) -> None:
    """Print all seeds together; `seconds` is the real time from the beginning to now."""
    print()
    for title, part in (("commands", "sent"), ("answers", "answers"), ("troubles", "troubles")):
        counted: Counter[str] = Counter()
        for result in results:
            counted.update(getattr(result, part))
        _show_counted(title, counted)
    days, facts = sum(len(each.days) for each in results), sum(each.facts for each in results)
    spent = sum(each.seconds for each in results)
    repeated, batches = (
        sum(getattr(each, of) for each in results) for of in ("repeated", "batches")
    )
    print(f"{repeated:,} answers were given again, {batches:,} batches stored")
    failed = [each.config.seed for each in results if each.failure]
    verdict = f"FAILED: seed {', '.join(map(str, failed))}" if failed else "every invariant held"
    print(f"{len(results)} seeds, {days} whole days in {seconds:.0f} s: {verdict}")
    if spent:
        print(f"{facts:,} facts of whole days, {facts / spent:,.0f} facts per second and job")


def _show_counted(title: str, counted: Counter[str]) -> None:
    shown = "\n".join(f"  {count:>12,}  {name}" for name, count in counted.most_common())
    print(f"{title}\n{shown}")
