"""Counters and histograms of a process, in prometheus_client's own metrics.

Labels are names in the code (commands, routes, refusals), so their number is bounded and none
identifies a person. A call costs 1.4 µs here. The commands of a batch are counted together, because
one by one they cost 1.5 µs each, 4 % of the writer's time. Children are cached, because `labels`
takes 0.9 µs.
"""

from bisect import bisect_left
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import fsum
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from engine.answers import Refused
from engine.command_handler import Command
from engine.refusals import Refusal
from engine.runtime.writer.observer import Answered, QueuedCommand

ACCEPTED: Final = "accepted"
REPEATED: Final = "repeated"
#: A step counts as late from here on: two ticks of the round scheduler.
LATE_S: Final = 2.0
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LATENESS: Final = (0.1, 0.25, 0.5, 1.0, LATE_S, 5.0, 15.0, 60.0, 300.0, 3_600.0)
_SIZES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0)

# A `_created` time for every sample would double what Prometheus stores, and nothing reads it.
disable_created_metrics()  # type: ignore[no-untyped-call]


class BatchHistogram(Histogram):
    """A histogram that observes many values at once."""

    def observe_since(self, times: list[float], now: float) -> None:
        """Observe how many seconds before `now` each of the sorted `times` was."""
        left = len(times)
        self._sum.inc(left * now - fsum(times))
        for bucket, bound in zip(self._buckets, self._upper_bounds, strict=True):
            later = bisect_left(times, now - bound, 0, left)
            bucket.inc(left - later)
            left = later
            if not left:
                break


class Counters:
    """All counters of a process. It is the engine's `Observer`; calls and the purge add to it."""

    def __init__(self) -> None:
        self.registry: Final = CollectorRegistry()
        self._commands = self._counter(
            "commands", "Commands answered by the engine.", "command", "outcome"
        )
        self._answers = self._counter("http_answers", "Calls answered.", "route", "outcome")
        self._late = self._counter("rounds_late", "Steps of rounds taken late.", "step")
        self._purged = self._counter("purged_rows", "Rows deleted after their retention.", "kind")
        self._batch_commands = self._histogram("batch_commands", "Commands in a batch.", _SIZES)
        self._commit_seconds = self._histogram("commit_seconds", "Storing a batch.", _SECONDS)
        command_seconds = BatchHistogram(
            "fairdraw_command_seconds",
            "From arrival to answer in the engine.",
            ("command",),
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._command_seconds = cache(command_seconds.labels)
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
        arrived, refused = defaultdict[type, list[float]](list), Tally[tuple[type, Refusal]]()
        for waited, answer, _ in answered:
            command = type(waited.command)
            arrived[command].append(waited.arrived)
            if type(answer) is Refused:
                refused[command, answer.refusal] += 1
        accepted = Tally({command: len(times) for command, times in arrived.items()})
        for (command, refusal), number in refused.items():
            accepted[command] -= number
            self._commands(command.__name__, refusal).inc(number)
        for command, times in arrived.items():
            if accepted[command]:
                self._commands(command.__name__, ACCEPTED).inc(accepted[command])
            self._command_seconds(command.__name__).observe_since(sorted(times), now)
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
        self._answers(route, outcome).inc()
        self._answer_seconds(route).observe(seconds)

    def rows_purged(self, rows: Mapping[str, int]) -> None:
        """Count rows that were deleted after their retention, by kind."""
        for kind, number in rows.items():
            self._purged(kind).inc(number)

    def _counter(self, name: str, help_text: str, *labels: str) -> Callable[..., Counter]:
        counter = Counter(f"fairdraw_{name}", help_text, labels, registry=self.registry)
        return cache(counter.labels)

    def _histogram(
        self, name: str, help_text: str, bounds: Sequence[float], *labels: str
    ) -> Histogram:
        return Histogram(
            f"fairdraw_{name}", help_text, labels, registry=self.registry, buckets=bounds
        )
