"""Fills a data folder with a house of years: millions of facts and members, in minutes.

Every fact is decided, stored, drawn and sealed as in production: an engine leads on the folder, and
only its clock is fast. Members register, a fifth of them deposit, and these bet in every round of
past days. One member bets so often that their stream has `heavy` facts. The read models then catch
up, which is measured.

Two things are cheaper than in production. A day has few rounds, so that each has many bets. And the
members' vault rows are copied in, all with one password whose hash is valid but weak.

Millions of facts take hours. With `--minutes` a call ends after so many, between two days, and the
next call for the same folder continues there.

    python -m tests.instruments.load_tests.large_house FOLDER --facts 200000 --members 20000
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, closing
from datetime import date, timedelta
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import psycopg
from argon2 import PasswordHasher
from msgspec import Struct, json

from api import keys
from engine.answers import Refused
from engine.bets.commands import PlaceBet
from engine.cashier.commands import ApproveDeposit, DecideDeposit
from engine.catalogue import GAMES
from engine.command_handler import Command
from engine.house.facts import Mode
from engine.players.commands import MEMBER, RegisterPlayer
from engine.refusals import NEVER_STORED
from engine.rounds.state import Phase
from engine.runtime.clock import wall_clock
from engine.runtime.engine import Engine
from engine.runtime.log import schema
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.postgres.embedded_postgres import Conninfos, database
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.vault import KEY_BYTES
from engine.runtime.vault.vault_keys import commitment
from engine.schedule import DEFAULT_TIMEZONE, SECOND_US, Schedule, calendar_day, slot
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner
from tests.instruments.load_tests import engine_fixture
from tests.instruments.load_tests.bench_database import query
from tests.instruments.load_tests.bet_mix import FIRST_HALL, FUNDS_MINOR, STAKE_MINOR, kind_of
from tests.instruments.load_tests.engine_fixture import BenchTarget
from tests.instruments.load_tests.workers import NoFigureError

PASSWORD: Final = "large-house"
FIRST_PLAYER: Final = 10_001
#: Six rounds of ten minutes for each game a day.
SCHEDULE: Final = Schedule(
    rounds=6,
    round_us=600 * SECOND_US,
    close_us=30 * SECOND_US,
    stagger_us=0,
    opens_minute_of_day=600,
    day_us=3_600 * SECOND_US,
    timezone=DEFAULT_TIMEZONE,
)
DEPOSITORS_EVERY: Final = 5
"""Of so many members one deposits, and bets."""
_FACTS_A_BET: Final = 3  # placed, settled, turnover counted; a receipt for each batch comes on top
# More at once would wait for longer than the writer lets a command wait.
_AT_ONCE: Final = 4_000
_MAX_TRIES: Final = 20
_STEP_TIMEOUT_S: Final = 60.0
_COPY_MEMBERS: Final = (
    "COPY vault.members (player, username, nickname, member_group, password_hash, commitment_key)"
    " FROM STDIN"
)
_FACTS: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_PLAN: Final = "large_house.json"
PrintLine = Callable[[str], None]
Submission = tuple[str, str | None, Command]
"""An actor, the key, and the command."""


class HouseSize(Struct, frozen=True):
    """The facts, members and days of a house, and the facts of its heaviest member."""

    facts: int
    members: int
    days: int = 30
    heavy: int = 100_000


class _Plan(Struct):
    """What is played into a folder; kept in it, and up to date after each day.

    `bets` and `heavy` are those of a round, all and the heaviest member's. `placed` are the bets of
    the days played so far, and `facts` the log's last position after them.
    """

    members: int
    days: list[str]
    bets: int
    heavy: int
    played: int
    placed: int
    facts: int
    is_complete: bool = False

    def save(self, data: Path) -> None:
        """Write it into the folder, whole or not at all."""
        unfinished = data / f"{_PLAN}.new"
        unfinished.write_bytes(json.encode(self))
        unfinished.replace(data / _PLAN)


class SetClock:
    """A clock that keeps one time until it is set."""

    def __init__(self, now: int) -> None:
        self._now = now

    def __call__(self) -> int:
        """The time in microseconds."""
        return self._now

    def set(self, now: int) -> None:
        """Go to a later time."""
        self._now = max(self._now, now)


class Steps:
    """Prints what each step did; `rates` has its rate per second."""

    def __init__(self, print_line: PrintLine) -> None:
        self._print_line = print_line
        self._began = time.perf_counter()
        self.rates: dict[str, float] = {}

    def done(self, what: str, number: int) -> None:
        """The step since the last call is done."""
        seconds = time.perf_counter() - self._began
        self._began = time.perf_counter()
        self.rates[what] = number / seconds
        self._print_line(f"{number:,} {what} in {seconds:,.0f} s: {number / seconds:,.0f}/s")


def depositors(members: int) -> range:
    """Returns those of the members who deposit; the first of them is the heaviest."""
    return range(FIRST_PLAYER, FIRST_PLAYER + members, DEPOSITORS_EVERY)


def fill(
    data: Path, size: HouseSize, print_line: PrintLine, minutes: float | None = None
) -> dict[str, float]:
    """Fill the folder, or go on where an earlier call stopped. Returns each step's rate per second.

    Does nothing if the folder is full. Stops after about `minutes`, between two days or two pages
    of the read models.

    Raises NoFigureError if a command was refused, if an earlier call ended within a day, or if the
    folder is no large house.
    """
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    plan = _plan_of(data)
    if plan is not None and plan.is_complete:
        return {}
    for name in keys.FILES:
        secret_file(data / "keys" / name)
    with database(data, None) as conninfos:
        schema.create(conninfos.owner)
        steps = Steps(print_line)
        plan = _fill(data, conninfos, plan or size, steps, _is_time_left(deadline))
        if plan.is_complete:
            with psycopg.connect(conninfos.owner, autocommit=True) as connection:
                # As autovacuum leaves a house that has run for days.
                connection.execute("VACUUM (ANALYZE)")
            steps.done("facts vacuumed", plan.facts)
            plan.save(data)
        else:
            print_line(f"{plan.played} of {len(plan.days)} days: the next call continues here")
    return steps.rates


def _plan_of(data: Path) -> _Plan | None:
    """Returns the plan of a folder; None if there is no folder yet."""
    if not data.exists():
        return None
    try:
        return json.decode((data / _PLAN).read_bytes(), type=_Plan)
    except FileNotFoundError:
        why = f"{data} has no {_PLAN}: it is another house, or its members had not all joined"
        raise NoFigureError(f"{why}; name a folder that does not exist") from None


def _is_time_left(deadline: float | None) -> Callable[[], bool]:
    return lambda: deadline is None or time.monotonic() < deadline


def _fill(
    data: Path,
    conninfos: Conninfos,
    begun: _Plan | HouseSize,
    steps: Steps,
    is_time_left: Callable[[], bool],
) -> _Plan:
    """Play the days that are left, seal them, and feed the read models, while there is time."""
    filling = _Filling(BenchTarget(conninfos.app, str(data / "keys")), data, steps)
    if isinstance(begun, HouseSize):
        commitments = _copy_members(conninfos.owner, begun.members)
        steps.done("members in the vault", begun.members)
        plan = engine_fixture.run(filling.found(begun, commitments))
    else:
        plan = begun
        if query(conninfos.app, _FACTS) != plan.facts:
            raise NoFigureError(f"{data} was left within a day: delete it")
    engine_fixture.run(filling.play(plan, is_time_left))
    if plan.played < len(plan.days):
        return plan
    filling.clock.set(slot(SCHEDULE, min(GAMES), plan.days[-1], SCHEDULE.rounds).draws_at)
    with closing(datastore(conninfos.app)) as store:
        key = OperatorKey(secret_file(data / "keys" / "operator.key"))
        Sealer(store, key, filling.clock).catch_up()
    steps.done("facts sealed", plan.facts)
    taken = 0
    with closing(ProjectionRunner(conninfos.app, read_models(SCHEDULE.timezone))) as runner:
        while is_time_left() and (step := runner.step()):
            taken += step
        plan.is_complete = is_time_left()
    steps.done("facts in the read models", taken)
    return plan


def _copy_members(conninfo: str, members: int) -> list[str]:
    """Copy members into the vault. Returns the commitments to their names."""
    secrets = os.urandom(members * KEY_BYTES)
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    commitments = []
    with psycopg.connect(conninfo) as connection, connection.cursor() as cursor:
        with cursor.copy(_COPY_MEMBERS.encode()) as copy:
            for number in range(members):
                secret = secrets[number * KEY_BYTES : (number + 1) * KEY_BYTES]
                name = f"member{number:07d}"
                copy.write_row((FIRST_PLAYER + number, name, name, MEMBER, weak, secret))
                commitments.append(commitment(secret, name.encode()))
        last = FIRST_PLAYER + members - 1
        cursor.execute("SELECT setval('vault.player_ids', %s)", (last,))
    return commitments


class _Filling:
    """Plays days of rounds that ended yesterday, as fast as the engine stores them."""

    def __init__(self, target: BenchTarget, data: Path, steps: Steps) -> None:
        self._target = target
        self._data = data
        self._steps = steps
        self.clock = SetClock(0)

    async def found(self, size: HouseSize, commitments: Sequence[str]) -> _Plan:
        """Register the members whose names these commitments are of; returns what to play."""
        today = date.fromisoformat(calendar_day(SCHEDULE.timezone, wall_clock()))
        days = [str(today - timedelta(ago)) for ago in range(size.days, 0, -1)]
        async with self._leading(days[0]) as engine:
            await _submit_all(engine, self._joins(commitments))
            await _submit_all(engine, self._requests(size.members))
            await _submit_all(engine, self._approvals(size.members))
        facts = await self._facts()
        self._steps.done("facts of members", facts)
        rounds = len(days) * SCHEDULE.rounds * len(GAMES)
        bets = max(0, size.facts - facts) // _FACTS_A_BET // rounds
        heavy = min(bets // 2, size.heavy // _FACTS_A_BET // rounds)
        plan = _Plan(size.members, days, bets, heavy, played=0, placed=0, facts=facts)
        plan.save(self._data)
        return plan

    async def play(self, plan: _Plan, is_time_left: Callable[[], bool]) -> None:
        """Play the days that are left, and keep the plan up to date."""
        before, left = plan.facts, plan.days[plan.played :]
        if not left:
            return
        async with self._leading(left[0]) as engine:
            for day in left:
                if not is_time_left():
                    break
                await self._play_day(engine, day, plan)
                plan.played += 1
                plan.facts = await self._facts()
                plan.save(self._data)
        self._steps.done("facts of rounds", plan.facts - before)

    def _leading(self, day: str) -> AbstractAsyncContextManager[Engine]:
        """An engine at the beginning of a day."""
        self.clock.set(slot(SCHEDULE, min(GAMES), day, 1).opens_at)
        return engine_fixture.leading_engine(self._target, SCHEDULE, self.clock, Mode.REAL)

    async def _facts(self) -> int:
        return await asyncio.to_thread(query, self._target.conninfo, _FACTS)

    def _joins(self, commitments: Sequence[str]) -> Iterator[Submission]:
        for player, named in enumerate(commitments, FIRST_PLAYER):
            yield f"player-{player}", None, RegisterPlayer(player, MEMBER, None, named)

    def _requests(self, members: int) -> Iterator[Submission]:
        for player in depositors(members):
            # So much that two people have to approve it.
            command = ApproveDeposit(player, f"made-{player}", "bank", FUNDS_MINOR, "", "staff:ann")
            yield "staff:ann", None, command

    def _approvals(self, members: int) -> Iterator[Submission]:
        for player in depositors(members):
            command = DecideDeposit(player, f"made-{player}", True, "staff:ben", "")
            yield "staff:ben", None, command

    async def _play_day(self, engine: Engine, day: str, plan: _Plan) -> None:
        others = cycle(depositors(plan.members)[1:])
        bets = plan.bets
        for index in range(1, SCHEDULE.rounds + 1):
            times = slot(SCHEDULE, min(GAMES), day, index)
            self.clock.set(times.opens_at)
            await self._tick_until(engine, lambda: self._on_sale(engine))
            issues = {game: engine.state.newest[game][1] for game in GAMES}
            middle = (times.opens_at + times.closes_at) // 2
            # Later than the members' facts: a proof reads all facts of its bet's time.
            early = times.opens_at + SECOND_US
            for moment, some in ((early, bets // 2), (middle, bets - bets // 2)):
                self.clock.set(moment)
                part = plan.heavy * some // bets if bets else 0
                await _submit_all(engine, _round_bets(issues, some, part, plan, others))
            self.clock.set(times.closes_at)
            await self._tick_until(engine, lambda: _all_in(engine, issues, Phase.CLOSED))  # noqa: B023
            self.clock.set(times.draws_at)
            await self._tick_until(engine, lambda: _all_in(engine, issues, Phase.SETTLED))  # noqa: B023

    def _on_sale(self, engine: Engine) -> bool:
        newest = [engine.state.newest.get(game) for game in GAMES]
        rounds = [engine.state.rounds.get(key) for key in newest if key is not None]
        now = self.clock()
        sold = [round_ for round_ in rounds if round_ is not None and round_.sells_at(now)]
        return len(sold) == len(GAMES)

    async def _tick_until(self, engine: Engine, condition: Callable[[], bool]) -> None:
        """Have the scheduler take steps at the clock's time until the condition is true."""
        deadline = time.monotonic() + _STEP_TIMEOUT_S
        while not condition():
            if engine.scheduler is None or time.monotonic() > deadline:
                raise NoFigureError("the engine does not play the rounds: see its log")
            await engine.scheduler.tick()
            await asyncio.sleep(0)


def _round_bets(
    issues: dict[int, str], bets: int, heavy: int, plan: _Plan, others: Iterator[int]
) -> Iterator[Submission]:
    """Bets on each game's round, the heavy member's first."""
    for number in range(bets):
        for game, issue in issues.items():
            player = FIRST_PLAYER if number < heavy else next(others)
            plan.placed += 1
            kind = kind_of(plan.placed)
            bet = PlaceBet(player, game, FIRST_HALL[game], issue, kind, STAKE_MINOR)
            yield f"player-{player}", f"made-{plan.placed}", bet


def _all_in(engine: Engine, issues: dict[int, str], phase: Phase) -> bool:
    """Whether all these rounds have reached the phase; finished ones may have been evicted."""
    rounds = [engine.state.rounds.get(key) for key in issues.items()]
    return all(round_ is None or round_.phase >= phase for round_ in rounds)


async def _submit_all(engine: Engine, submissions: Iterator[Submission]) -> None:
    """Submit all, thousands at a time. One that waited too long on a busy machine is repeated."""
    refused: list[Refused] = []
    while waiting := list(islice(submissions, _AT_ONCE)):
        for _ in range(_MAX_TRIES):
            replies = await asyncio.gather(*(engine.submit(*each) for each in waiting))
            answers = [reply.answer for reply in replies]
            refused = [it for it in answers if isinstance(it, Refused)]
            if any(it.refusal not in NEVER_STORED for it in refused):
                raise NoFigureError(f"a command was refused: {refused[0]}")
            waiting = [
                each
                for each, answer in zip(waiting, answers, strict=True)
                if isinstance(answer, Refused)
            ]
            if not waiting:
                break
        else:
            raise NoFigureError(f"commands were never stored: {refused[0]}")


def main() -> int:
    """Fill the folder that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="the data folder to create")
    parser.add_argument("--facts", type=int, default=10_000_000)
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--heavy", type=int, default=100_000, help="facts of the heaviest member")
    parser.add_argument("--minutes", type=float, help="go on for about so long, then stop")
    given = parser.parse_args()
    size = HouseSize(given.facts, given.members, given.days, given.heavy)
    try:
        printed = partial(print, flush=True)
        fill(given.folder.absolute(), size, printed, given.minutes)
    except NoFigureError as error:
        print(f"large_house: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
