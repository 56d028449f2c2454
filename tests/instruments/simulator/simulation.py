"""One seed's run: a server with its people and faults, day after day, and the result."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from unittest.mock import patch

import msgspec
import structlog
from msgspec import Struct

from engine.catalogue import GAMES
from engine.odds import SPECIFIED
from engine.runtime.log import idempotency as remembering
from engine.runtime.scheduler import day_opener
from engine.runtime.scheduler import round_scheduler as conducting
from engine.runtime.writer import writer as writing
from engine.schedule import Schedule, draw_day_bounds, regular
from tests.instruments.simulator import arrivals
from tests.instruments.simulator.day_invariants import check_day
from tests.instruments.simulator.fakes import FakeClock
from tests.instruments.simulator.fault_injection import inject_faults
from tests.instruments.simulator.options import DEFAULT_ONE_IN
from tests.instruments.simulator.oracle import InvariantViolation, check
from tests.instruments.simulator.population import Population
from tests.instruments.simulator.simulated_loop import (
    HOUR,
    MINUTE,
    SECOND,
    SimulatedLoop,
    pause,
    rng_for,
)
from tests.instruments.simulator.simulated_server import SimulatedServer

_FIRST_DAY: Final = date(2026, 11, 21)
_FAULTS_PER_DAY: Final = 24
_LAST_ACTIONS_US: Final = 20 * MINUTE
"""Actions that began before the last draw have ended by then."""


class SimulationConfig(Struct, frozen=True):
    """The parameters of a simulation, from which everything in it follows."""

    seed: int
    days: int = 1
    members: int = 200
    rounds: int = 274
    one_in: int = DEFAULT_ONE_IN


class DayResult(Struct, frozen=True):
    """The counts of one day, and its duration in seconds of real time."""

    date: str
    commands: int
    facts: int
    rounds: int
    troubles: int
    seconds: float


class RunResult(Struct, frozen=True):
    """The result of a run; `failure` is empty if every invariant was true.

    `repeated` counts the answers that were repeated, `batches` those that were stored.
    """

    config: SimulationConfig
    days: list[DayResult]
    log_hash: str
    sent: dict[str, int]
    answers: dict[str, int]
    troubles: dict[str, int]
    batches: int
    repeated: int
    failure: str = ""

    @property
    def facts(self) -> int:
        """All facts of all days."""
        return sum(day.facts for day in self.days)

    @property
    def seconds(self) -> float:
        """Real time in seconds."""
        return sum(day.seconds for day in self.days)


def simulate(
    config: SimulationConfig,
    on_day: Callable[[DayResult], None] = lambda _: None,
    on_hour: Callable[[str, int], None] = lambda *_: None,
) -> RunResult:
    """Run a configuration to its end or its first failure.

    `on_day` is called for every finished day, `on_hour` every simulated hour with the time and the
    number of facts.
    """
    run = _Run(config, on_day, on_hour)
    with _failing_on_logged_errors(run.fail), _small_limits(config):
        failure = run.run_to_end()
    oracle, checks = run.server.checks.oracle, run.server.checks
    if failure:
        failure += (
            f"\nat {_format_time(run.clock.now)}, position {oracle.position} of the log, after"
        )
        failure += "".join(f"\n  {_format_time(at)} {what}" for at, what in run.server.recent)
    return RunResult(
        config,
        run.days,
        checks.log_hash,
        run.population.sent,
        dict(checks.answers),
        run.server.fault_counts,
        checks.batches,
        checks.repeated,
        failure,
    )


class _Run:
    """The tasks of one run, and its first failure."""

    def __init__(
        self,
        config: SimulationConfig,
        on_day: Callable[[DayResult], None],
        on_hour: Callable[[str, int], None],
    ) -> None:
        self.config, self._on_day, self._on_hour = config, on_day, on_hour
        self.days: list[DayResult] = []
        schedule = msgspec.structs.replace(regular(), rounds=config.rounds)
        start, _ = draw_day_bounds(schedule, _FIRST_DAY.isoformat())
        self.clock = FakeClock(start - MINUTE)
        self.loop = SimulatedLoop(self.clock, rng_for("calls", config.seed))
        self.loop.set_exception_handler(self._unhandled_exception)
        self.server = SimulatedServer(self.clock, schedule, SPECIFIED.id, config.seed, self.start)
        self.population = Population(self.server, config.seed, config.members * 3 // 2)
        self._rng = rng_for("troubles", config.seed)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = self.loop.create_future()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start a task whose failure fails the run."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_ended)
        return task

    def _task_ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)

    def _unhandled_exception(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an exception of a task that is not awaited."""
        self.fail(context.get("exception") or InvariantViolation(context["message"]))

    def fail(self, error: BaseException) -> None:
        """Record the first failure; later ones may follow from it."""
        if not self._failed.done():
            self._failed.set_exception(error)

    def run_to_end(self) -> str:
        """Returns the failure as text; empty if there is none."""
        try:
            return self.loop.run_until_complete(self._run())
        except Exception as error:  # noqa: BLE001 - any error is reported with its seed
            return _describe_error(error)
        finally:
            self.loop.run_until_complete(self._cancel_all())
            self.loop.close()

    async def _run(self) -> str:
        days = self.start(self._run_days())
        await asyncio.wait((days, self._failed), return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done():
            self._failed.result()
        days.result()
        return ""

    async def _cancel_all(self) -> None:
        self._failed.cancel()  # later failures are ignored
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    async def _run_days(self) -> None:
        self.server.open()
        await arrivals.register_first_players(self.population, self.config.members)
        self.start(self.server.expire_refusals())
        self.start(self._show_hours())
        for number in range(self.config.days):
            await self._run_day((_FIRST_DAY + timedelta(days=number)).isoformat())

    async def _show_hours(self) -> None:
        while True:
            self._on_hour(_format_time(self.clock.now), self.server.checks.oracle.position)
            await pause(HOUR)

    async def _run_day(self, day: str) -> None:
        began, before = time.monotonic(), self._totals()
        start, end = draw_span(self.server.schedule, day)
        every = (end - start) // _FAULTS_PER_DAY
        troubles = inject_faults(self.server, self._rng, every, end - every)
        tasks = [self.start(troubles)]
        for game in GAMES:
            day_and_after = (start, end + 2 * MINUTE)
            play = arrivals.play(
                self.population, game, day_and_after, self.config.one_in, self.start
            )
            tasks.append(self.start(play))
        await pause(start + MINUTE - self.clock.now)
        arrivals.act_once_per_nature(self.population, self.start)
        await pause(end + _LAST_ACTIONS_US - self.clock.now)
        late = [task.get_coro() for task in tasks if not task.done()]
        check(not late, "the day does not end", late, self.server.checks.oracle.unfinished_rounds())
        check(
            not self.population.waiting,
            "a command is left without an answer",
            self.population.waiting,
        )
        check_day(self.server, day, before[1] if self.days else 0)
        after = self._totals()
        commands, facts, rounds, faults = map(int.__sub__, after, before)
        seconds = time.monotonic() - began
        self.days.append(DayResult(day, commands, facts, rounds, faults, seconds))
        self._on_day(self.days[-1])

    def _totals(self) -> tuple[int, int, int, int]:
        checks = self.server.checks
        finished = (
            checks.oracle.topic_counts["round-settled.1"]
            + checks.oracle.topic_counts["round-voided.1"]
        )
        troubles = sum(self.server.fault_counts.values())
        return checks.commands.total(), checks.oracle.position, finished, troubles


def draw_span(schedule: Schedule, day: str) -> tuple[int, int]:
    """The beginning of a day and the time of its last draw, in microseconds."""
    start, _ = draw_day_bounds(schedule, day)
    return start, start + schedule.rounds * schedule.round_us + 3 * schedule.stagger_us


@contextmanager
def _small_limits(config: SimulationConfig) -> Iterator[None]:
    """Lower some limits for some seeds, so that all seeds reach limits of large servers.

    Also use one fixed code hash: a seed must repeat exactly after unrelated files change.
    """
    rng = rng_for("limits", config.seed)
    few = max(2, config.members // 2)
    limits = (
        (writing, "BATCH_LIMIT", (writing.BATCH_LIMIT, 3, 20)),
        (writing, "MIN_PIPELINED_BATCH", (writing.MIN_PIPELINED_BATCH, 1, 5)),
        (writing, "QUEUE_LIMIT", (writing.QUEUE_LIMIT, writing.QUEUE_LIMIT, 30)),
        (writing, "PLAYER_CACHE_SIZE", (writing.PLAYER_CACHE_SIZE, few)),
        (remembering, "IN_MEMORY", (remembering.IN_MEMORY, 50)),
        (conducting, "SETTLE_BATCH_SIZE", (conducting.SETTLE_BATCH_SIZE, 2, 10)),
        (day_opener, "engine_code_hash", (_fixed_program_hash,)),
        (day_opener, "rules_hash", (_fixed_program_hash,)),
    )
    with ExitStack() as patches:
        for module, name, choices in limits:
            patches.enter_context(patch.object(module, name, rng.choice(choices)))
        yield


def _fixed_program_hash() -> bytes:
    return bytes(32)


@contextmanager
def _failing_on_logged_errors(fail: Callable[[BaseException], None]) -> Iterator[None]:
    """What the engine logs as an error is a failure, even if it has caught the exception."""

    def fail_on_error(_: Any, method: str, event: structlog.types.EventDict) -> str:
        if method in {"error", "exception", "critical"}:
            fail(InvariantViolation(f"the engine reports: {event.get('event')}: {event}"))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[fail_on_error], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)


def _describe_error(error: BaseException) -> str:
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    return "\n  because of ".join(f"{type(each).__name__}: {each}" for each in chain)


def _format_time(now: int) -> str:
    moment = datetime.fromtimestamp(now // SECOND, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{now % SECOND:06d} UTC"
