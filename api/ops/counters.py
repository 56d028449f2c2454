"""Counters and histograms, cheap enough for every command and every call.

`api.ops.metrics` exports them to Prometheus. Labels are names in the code (commands, routes,
refusals), so their number is bounded and none identifies a person.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate
from math import fsum
from typing import Final

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


class Histogram:
    """The number of values up to each bound, and their sum."""

    def __init__(self, bounds: Sequence[float] = _SECONDS) -> None:
        self._bounds = bounds
        self._counts = [0 for _ in range(len(bounds) + 1)]
        self.sum = 0.0

    def add(self, value: float) -> None:
        """Add a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.sum += value

    def add_since(self, times: list[float], now: float) -> None:
        """Add the age at `now` of each of these times, which are sorted ascending.

        The cost depends on the number of bounds, not of times: nearly all commands of a batch are
        of one type.
        """
        left = len(times)
        self.sum += left * now - fsum(times)
        for place, bound in enumerate(self._bounds):
            later = bisect_left(times, now - bound, 0, left)
            self._counts[place] += left - later
            left = later
        self._counts[-1] += left

    def buckets(self) -> list[tuple[str, float]]:
        """Returns the upper bounds as text, each with the number of values up to it."""
        names = [*(str(bound) for bound in self._bounds), "+Inf"]
        return list(zip(names, accumulate(self._counts), strict=True))


class Counters:
    """All counters of a process. It is the engine's `Observer`; calls and the purge add to it."""

    def __init__(self) -> None:
        self.commands: Counter[tuple[str, str]] = Counter()
        self.command_seconds: defaultdict[str, Histogram] = defaultdict(Histogram)
        self.batch_sizes = Histogram(_SIZES)
        self.commit_seconds = Histogram()
        self.lateness_seconds: defaultdict[str, Histogram] = defaultdict(
            lambda: Histogram(_LATENESS)
        )
        self.late: Counter[str] = Counter()
        self.purged: Counter[str] = Counter()
        self.answers: Counter[tuple[str, str]] = Counter()
        self.answer_seconds: defaultdict[str, Histogram] = defaultdict(Histogram)

    def batch_answered(
        self, answered: Answered, repeated: Sequence[QueuedCommand], now: float
    ) -> None:
        """Count the commands of a batch, and the time that each has waited."""
        commands, arrived = self.commands, defaultdict[type[Command], list[float]](list)
        self.batch_sizes.add(len(answered))
        for waited, answer, _ in answered:
            kind = type(waited.command)
            arrived[kind].append(waited.arrived)
            if type(answer) is Refused:
                commands[kind.__name__, answer.refusal] += 1
                commands[kind.__name__, ACCEPTED] -= 1
        for kind, times in arrived.items():
            commands[kind.__name__, ACCEPTED] += len(times)
            self.command_seconds[kind.__name__].add_since(sorted(times), now)
        for waited in repeated:
            commands[type(waited.command).__name__, REPEATED] += 1

    def rejected(self, command: Command, refusal: Refusal) -> None:
        """Count a command that was rejected without a decision."""
        self.commands[type(command).__name__, refusal] += 1

    def committed(self, seconds: float) -> None:
        """Count a commit."""
        self.commit_seconds.add(seconds)

    def step_taken(self, command: Command, late_us: int | None) -> None:
        """Count a scheduled step of a round; `late_us` is None if it had no due time."""
        if late_us is None:
            return
        step, late_s = type(command).__name__, late_us / 1_000_000
        self.lateness_seconds[step].add(late_s)
        self.late[step] += late_s > LATE_S

    def answered(self, route: str, outcome: str, seconds: float) -> None:
        """Count the answer to a call."""
        self.answers[route, outcome] += 1
        self.answer_seconds[route].add(seconds)
