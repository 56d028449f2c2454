"""Counters and histograms of a process, in prometheus_client's own metrics.

Labels are names in the code (commands, routes, refusals), so their number is bounded and none
identifies a person. The commands of a batch are counted together, and calls by the thousand: one by
one a command costs 1.5 µs, 4 % of the writer's time, and a call 1.4 µs, 2 % of a heartbeat's.
Children are cached, because `labels` takes 0.9 µs.
"""

import collections
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import fsum
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from engine.answers import Refused
from engine.command_handler import Command
from engine.refusals import Refusal
from engine.runtime.writer.observer import Answered, Observer, QueuedCommand

ACCEPTED: Final = "accepted"
REPEATED: Final = "repeated"
#: A step counts as late from here on: two ticks of the round scheduler.
LATE_S: Final = 2.0
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LATENESS: Final = (0.1, 0.25, 0.5, 1.0, LATE_S, 5.0, 15.0, 60.0, 300.0, 3_600.0)
_CALLS_BUFFERED: Final = 1_000
_SIZES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0)

# A `_created` time for every sample would double what Prometheus stores, and nothing reads it.
disable_created_metrics()  # type: ignore[no-untyped-call]


class BatchHistogram(Histogram):
    """A histogram that observes many values at once."""

    def observe_all(self, values: Iterable[float]) -> None:
        """Observe each of the values."""
        rest = sorted(values)
        self._sum.inc(fsum(rest))
        counted = 0
        for bucket, bound in zip(self._buckets, self._upper_bounds, strict=True):
            up_to = bisect_right(rest, bound, counted)
            if up_to > counted:
                bucket.inc(up_to - counted)
            counted = up_to


class Counters(Observer):
    """All counters of a process. The engine, calls and the purge add to them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls: list[tuple[str, str, float]] = []
        self._commands = self._counter(
            "commands", "Commands answered by the engine.", "command", "outcome"
        )
        self._answers = self._counter("http_answers", "Calls answered.", "route", "outcome")
        self._late = self._counter("rounds_late", "Steps of rounds taken late.", "step")
        self._purged = self._counter("purged_rows", "Rows deleted after their retention.", "kind")
        self._batch_commands = self._histogram("batch_commands", "Commands in a batch.", _SIZES)
        self._commit_seconds = self._histogram("commit_seconds", "Storing a batch.", _SECONDS)
        self._command_seconds = cache(
            self._histogram(
                "command_seconds", "From arrival to answer in the engine.", _SECONDS, "command"
            ).labels
        )
        self._answer_seconds = cache(
            self._histogram(
                "http_answer_seconds", "From a call to its answer.", _SECONDS, "route"
            ).labels
        )
        self._lateness_seconds = cache(
            self._histogram(
                "round_lateness_seconds", "Step of a round after due.", _LATENESS, "step"
            ).labels
        )

    def batch_answered(
        self, answered: Answered, repeated: Sequence[QueuedCommand], now: float
    ) -> None:
        """Count the commands of a batch, and the time that each has waited."""
        self._batch_commands.observe(len(answered))
        seconds, refused = (
            defaultdict[type, list[float]](list),
            collections.Counter[tuple[type, Refusal]](),
        )
        for waited, answer, _ in answered:
            command = type(waited.command)
            seconds[command].append(now - waited.arrived)
            if type(answer) is Refused:
                refused[command, answer.refusal] += 1
        accepted = collections.Counter(
            {command: len(values) for command, values in seconds.items()}
        )
        for (command, refusal), number in refused.items():
            accepted[command] -= number
            self._commands(command.__name__, refusal).inc(number)
        for command, values in seconds.items():
            if accepted[command]:
                self._commands(command.__name__, ACCEPTED).inc(accepted[command])
            self._command_seconds(command.__name__).observe_all(values)
        for waited in repeated:
            self._commands(type(waited.command).__name__, REPEATED).inc()

    def rejected(self, command: Command, refusal: Refusal) -> None:
        """Count a command that was rejected without a decision."""
        self._commands(type(command).__name__, refusal).inc()

    def committed(self, seconds: float) -> None:
        """Count a commit."""
        self._commit_seconds.observe(seconds)

    def step_taken(self, command: Command, late_us: int | None) -> None:
        """Count a scheduled step of a round; `late_us` is None if it had no due time."""
        if late_us is None:
            return
        step, late_s = type(command).__name__, late_us / 1_000_000
        self._lateness_seconds(step).observe(late_s)
        self._late(step).inc(late_s > LATE_S)

    def answered(self, route: str, outcome: str, seconds: float) -> None:
        """Count the answer to a call."""
        self._calls.append((route, outcome, seconds))
        if len(self._calls) >= _CALLS_BUFFERED:
            self._count_calls()

    def _count_calls(self) -> None:
        calls, self._calls = self._calls, []
        seconds = defaultdict[str, list[float]](list)
        for route, _, taken in calls:
            seconds[route].append(taken)
        for (route, outcome), number in collections.Counter(call[:2] for call in calls).items():
            self._answers(route, outcome).inc(number)
        for route, values in seconds.items():
            self._answer_seconds(route).observe_all(values)

    @property
    def registry(self) -> CollectorRegistry:
        """The registry with everything counted so far; only for the event loop's thread."""
        self._count_calls()
        return self._registry

    def rows_purged(self, rows: Mapping[str, int]) -> None:
        """Count rows that were deleted after their retention, by kind."""
        for kind, number in rows.items():
            self._purged(kind).inc(number)

    def _counter(self, name: str, help_text: str, *labels: str) -> Callable[..., Counter]:
        counter = Counter(f"fairdraw_{name}", help_text, labels, registry=self._registry)
        return cache(counter.labels)

    def _histogram(
        self, name: str, help_text: str, bounds: Sequence[float], *labels: str
    ) -> BatchHistogram:
        return BatchHistogram(
            f"fairdraw_{name}", help_text, labels, registry=self._registry, buckets=bounds
        )
