"""One seed's run: a house, its town and its troubles, day after day, and what came of it."""

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
from engine.odds import CARD
from engine.runtime import conductor as conducting
from engine.runtime import day_opening
from engine.runtime import outcomes as remembering
from engine.runtime import writer as writing
from engine.schedule import Schedule, draw_day_bounds, regular
from scripts.simulation import crowd
from scripts.simulation.clockwork import HOUR, MINUTE, SECOND, Clockwork, pause, whims
from scripts.simulation.edges import Clock
from scripts.simulation.house import House
from scripts.simulation.options import BUSY
from scripts.simulation.tally import Broken, demand
from scripts.simulation.town import Town
from scripts.simulation.troubles import make_trouble
from scripts.simulation.whole_day import check_day

_FIRST_DAY: Final = date(2026, 11, 21)
_TROUBLES_A_DAY: Final = 24
_END_US: Final = 20 * MINUTE
"""By then whoever began something before the last draw has ended it."""


class Plan(Struct, frozen=True):
    """What is simulated: everything that happens follows from these."""

    seed: int
    days: int = 1
    members: int = 200
    rounds: int = 274
    one_in: int = BUSY


class Day(Struct, frozen=True):
    """What one day came to, and what it cost in seconds of real time."""

    date: str
    commands: int
    facts: int
    rounds: int
    troubles: int
    seconds: float


class Result(Struct, frozen=True):
    """What a run came to; `failure` is empty when every invariant held.

    `repeated` counts the answers that were given again, `batches` those that were stored.
    """

    plan: Plan
    days: list[Day]
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
        """Real time, in seconds."""
        return sum(day.seconds for day in self.days)


def simulate(
    plan: Plan,
    tell: Callable[[Day], None] = lambda _: None,
    show: Callable[[str, int], None] = lambda *_: None,
) -> Result:
    """Run a plan to its end or its first failure.

    `tell` hears of every finished day, `show` every simulated hour where the clock stands and how
    many facts there are.
    """
    run = _Run(plan, tell, show)
    with _listening(run.fail), _small_limits(plan):
        failure = run.to_its_end()
    tally, audit = run.house.audit.tally, run.house.audit
    if failure:
        failure += f"\nat {_moment(run.clock.now)}, position {tally.position} of the log, after"
        failure += "".join(f"\n  {_moment(at)} {what}" for at, what in run.house.recent)
    return Result(
        plan,
        run.days,
        audit.log_hash,
        run.town.sent,
        dict(audit.answers),
        run.house.counted,
        audit.batches,
        audit.repeated,
        failure,
    )


class _Run:
    """The tasks of one run, and its first failure."""

    def __init__(
        self, plan: Plan, tell: Callable[[Day], None], show: Callable[[str, int], None]
    ) -> None:
        self.plan, self._tell, self._show = plan, tell, show
        self.days: list[Day] = []
        schedule = msgspec.structs.replace(regular(), rounds=plan.rounds)
        start, _ = draw_day_bounds(schedule, _FIRST_DAY.isoformat())
        self.clock = Clock(start - MINUTE)
        self.loop = Clockwork(self.clock, whims("calls", plan.seed))
        self.loop.set_exception_handler(self._unheard)
        self.house = House(self.clock, schedule, CARD.id, plan.seed, self.start)
        self.town = Town(self.house, plan.seed, plan.members * 3 // 2)
        self._chance = whims("troubles", plan.seed)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = self.loop.create_future()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A task whose failure is the run's."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)

    def _unheard(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception that nobody has waited for."""
        self.fail(context.get("exception") or Broken(context["message"]))

    def fail(self, error: BaseException) -> None:
        """The first failure is the run's; what follows from it says nothing more."""
        if not self._failed.done():
            self._failed.set_exception(error)

    def to_its_end(self) -> str:
        """What failed, in words; empty when nothing did."""
        try:
            return self.loop.run_until_complete(self._whole())
        except Exception as error:  # noqa: BLE001 - whatever it is, the seed is told with it
            return _words(error)
        finally:
            self.loop.run_until_complete(self._end_all())
            self.loop.close()

    async def _whole(self) -> str:
        days = self.start(self._days())
        await asyncio.wait((days, self._failed), return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done():
            self._failed.result()
        days.result()
        return ""

    async def _end_all(self) -> None:
        self._failed.cancel()  # whatever fails from now on is of no interest
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    async def _days(self) -> None:
        self.house.open()
        await crowd.settle_in(self.town, self.plan.members)
        self.start(self.house.forget_refusals())
        self.start(self._show_hours())
        for number in range(self.plan.days):
            await self._day((_FIRST_DAY + timedelta(days=number)).isoformat())

    async def _show_hours(self) -> None:
        while True:
            self._show(_moment(self.clock.now), self.house.audit.tally.position)
            await pause(HOUR)

    async def _day(self, day: str) -> None:
        began, before = time.monotonic(), self._so_far()
        start, end = last_draws(self.house.schedule, day)
        every = (end - start) // _TROUBLES_A_DAY
        troubles = make_trouble(self.house, self._chance, every, end - every)
        working = [self.start(troubles)]
        for game in GAMES:
            day_and_after = (start, end + 2 * MINUTE)
            play = crowd.play(self.town, game, day_and_after, self.plan.one_in, self.start)
            working.append(self.start(play))
        await pause(start + MINUTE - self.clock.now)
        crowd.everyone_once(self.town, self.start)
        await pause(end + _END_US - self.clock.now)
        late = [task.get_coro() for task in working if not task.done()]
        demand(not late, "the day does not end", late, self.house.audit.tally.owed())
        demand(not self.town.waiting, "somebody is left without an answer", self.town.waiting)
        check_day(self.house, day, before[1] if self.days else 0)
        after = self._so_far()
        commands, facts, rounds, troubled = map(int.__sub__, after, before)
        seconds = time.monotonic() - began
        self.days.append(Day(day, commands, facts, rounds, troubled, seconds))
        self._tell(self.days[-1])

    def _so_far(self) -> tuple[int, int, int, int]:
        audit = self.house.audit
        finished = audit.tally.done["round-settled.1"] + audit.tally.done["round-voided.1"]
        troubles = sum(self.house.counted.values())
        return audit.commands.total(), audit.tally.position, finished, troubles


def last_draws(schedule: Schedule, day: str) -> tuple[int, int]:
    """When a day begins, and when its last round is drawn, in microseconds."""
    start, _ = draw_day_bounds(schedule, day)
    return start, start + schedule.rounds * schedule.round_us + 3 * schedule.stagger_us


@contextmanager
def _small_limits(plan: Plan) -> Iterator[None]:
    """Limits that only large houses meet, made small for some seeds, so that all meet them.

    And one program for all: a seed must do the same when a file was changed that it never meets.
    """
    chance = whims("limits", plan.seed)
    few = max(2, plan.members // 2)
    limits = (
        (writing, "BATCH_LIMIT", (writing.BATCH_LIMIT, 3, 20)),
        (writing, "WORTH_DECIDING_AHEAD", (writing.WORTH_DECIDING_AHEAD, 1, 5)),
        (writing, "QUEUE_LIMIT", (writing.QUEUE_LIMIT, writing.QUEUE_LIMIT, 30)),
        (writing, "PLAYERS_KEPT", (writing.PLAYERS_KEPT, few)),
        (remembering, "IN_MEMORY", (remembering.IN_MEMORY, 50)),
        (conducting, "SETTLED_A_BATCH", (conducting.SETTLED_A_BATCH, 2, 10)),
        (day_opening, "program_hash", (_any_program,)),
        (day_opening, "rules_hash", (_any_program,)),
    )
    with ExitStack() as patches:
        for module, name, choices in limits:
            patches.enter_context(patch.object(module, name, chance.choice(choices)))
        yield


def _any_program() -> bytes:
    return bytes(32)


@contextmanager
def _listening(fail: Callable[[BaseException], None]) -> Iterator[None]:
    """What the engine logs as an error is a failure, even where it has caught the exception."""

    def hear(_: Any, method: str, event: structlog.types.EventDict) -> str:
        if method in {"error", "exception", "critical"}:
            fail(Broken(f"the engine reports: {event.get('event')}: {event}"))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[hear], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)


def _words(error: BaseException) -> str:
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    return "\n  because of ".join(f"{type(each).__name__}: {each}" for each in chain)


def _moment(now: int) -> str:
    moment = datetime.fromtimestamp(now // SECOND, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{now % SECOND:06d} UTC"
