"""Fills a data folder with a house of years: millions of facts and members, in minutes.

Every fact is decided, stored, drawn and sealed as in production: an engine leads on the folder, and
only its clock is fast. Members register, a fifth of them deposit, and these bet in every round of
past days. One member bets so often that their stream has `heavy` facts. The read models then catch
up, which is measured.

Two things are cheaper than in production. A day has few rounds, so that each has many bets. And the
members' vault rows are copied in, all with one password whose hash is valid but weak.

    python -m tests.instruments.load_tests.large_house FOLDER --facts 200000 --members 20000
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import psycopg
from argon2 import PasswordHasher
from msgspec import Struct

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
PrintLine = Callable[[str], None]
Submission = tuple[str, str | None, Command]
"""An actor, the key, and the command."""


class HouseSize(Struct, frozen=True):
    """The facts, members and days of a house, and the facts of its heaviest member."""

    facts: int
    members: int
    days: int = 30
    heavy: int = 100_000


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


def fill(data: Path, size: HouseSize, print_line: PrintLine) -> dict[str, float]:
    """Fill the folder, which must not exist. Returns the rates of the steps per second.

    Raises NoFigureError if a command was refused.
    """
    for name in keys.FILES:
        secret_file(data / "keys" / name)
    with database(data, None) as conninfos:
        schema.create(conninfos.owner)
        steps = Steps(print_line)
        _fill(data / "keys", conninfos, size, steps)
        with psycopg.connect(conninfos.owner, autocommit=True) as connection:
            # As autovacuum leaves a house that has run for days.
            connection.execute("VACUUM (ANALYZE)")
        steps.done("facts vacuumed", query(conninfos.app, _FACTS))
    return steps.rates


def _fill(folder: Path, conninfos: Conninfos, size: HouseSize, steps: Steps) -> None:
    members = _copy_members(conninfos.owner, size.members)
    steps.done("members in the vault", size.members)
    filling = _Filling(BenchTarget(conninfos.app, str(folder)), size, steps)
    engine_fixture.run(filling.play(members))
    facts = query(conninfos.app, _FACTS)
    with closing(datastore(conninfos.app)) as store:
        Sealer(store, OperatorKey(secret_file(folder / "operator.key")), filling.clock).catch_up()
    steps.done("facts sealed", facts)
    with closing(ProjectionRunner(conninfos.app, read_models(SCHEDULE.timezone))) as runner:
        while runner.step():
            pass
    steps.done("facts in the read models", facts)


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

    def __init__(self, target: BenchTarget, size: HouseSize, steps: Steps) -> None:
        self._target = target
        self._size = size
        self._steps = steps
        today = date.fromisoformat(calendar_day(SCHEDULE.timezone, wall_clock()))
        self._days = [str(today - timedelta(ago)) for ago in range(size.days, 0, -1)]
        self.clock = SetClock(slot(SCHEDULE, min(GAMES), self._days[0], 1).opens_at)
        self._depositors = depositors(size.members)
        self._others = cycle(self._depositors[1:])
        self._bets = 0

    async def play(self, commitments: Sequence[str]) -> None:
        """Register the members whose names these commitments are of, and play all days."""
        leading = engine_fixture.leading_engine(self._target, SCHEDULE, self.clock, Mode.REAL)
        async with leading as engine:
            await _submit_all(engine, self._joins(commitments))
            await _submit_all(engine, self._requests())
            await _submit_all(engine, self._approvals())
            facts = await self._facts()
            self._steps.done("facts of members", facts)
            rounds = len(self._days) * SCHEDULE.rounds * len(GAMES)
            bets = max(0, self._size.facts - facts) // _FACTS_A_BET // rounds
            heavy = min(bets // 2, self._size.heavy // _FACTS_A_BET // rounds)
            for day in self._days:
                await self._play_day(engine, day, bets, heavy)
            self._steps.done("facts of rounds", await self._facts() - facts)

    async def _facts(self) -> int:
        return await asyncio.to_thread(query, self._target.conninfo, _FACTS)

    def _joins(self, commitments: Sequence[str]) -> Iterator[Submission]:
        for player, named in enumerate(commitments, FIRST_PLAYER):
            yield f"player-{player}", None, RegisterPlayer(player, MEMBER, None, named)

    def _requests(self) -> Iterator[Submission]:
        for player in self._depositors:
            # So much that two people have to approve it.
            command = ApproveDeposit(player, f"made-{player}", "bank", FUNDS_MINOR, "", "staff:ann")
            yield "staff:ann", None, command

    def _approvals(self) -> Iterator[Submission]:
        for player in self._depositors:
            command = DecideDeposit(player, f"made-{player}", True, "staff:ben", "")
            yield "staff:ben", None, command

    async def _play_day(self, engine: Engine, day: str, bets: int, heavy: int) -> None:
        for index in range(1, SCHEDULE.rounds + 1):
            times = slot(SCHEDULE, min(GAMES), day, index)
            self.clock.set(times.opens_at)
            await self._tick_until(engine, lambda: self._on_sale(engine))
            issues = {game: engine.state.newest[game][1] for game in GAMES}
            middle = (times.opens_at + times.closes_at) // 2
            for moment, some in ((times.opens_at, bets // 2), (middle, bets - bets // 2)):
                self.clock.set(moment)
                part = heavy * some // bets if bets else 0
                await _submit_all(engine, self._round_bets(issues, some, part))
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

    def _round_bets(self, issues: dict[int, str], bets: int, heavy: int) -> Iterator[Submission]:
        """Bets on each game's round, the heavy member's first."""
        for number in range(bets):
            for game, issue in issues.items():
                player = FIRST_PLAYER if number < heavy else next(self._others)
                self._bets += 1
                kind = kind_of(self._bets)
                bet = PlaceBet(player, game, FIRST_HALL[game], issue, kind, STAKE_MINOR)
                yield f"player-{player}", f"made-{self._bets}", bet

    async def _tick_until(self, engine: Engine, condition: Callable[[], bool]) -> None:
        """Have the scheduler take steps at the clock's time until the condition is true."""
        deadline = time.monotonic() + _STEP_TIMEOUT_S
        while not condition():
            if engine.scheduler is None or time.monotonic() > deadline:
                raise NoFigureError("the engine does not play the rounds: see its log")
            await engine.scheduler.tick()
            await asyncio.sleep(0)


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
    given = parser.parse_args()
    if given.folder.exists():
        parser.error(f"{given.folder} exists already")
    size = HouseSize(given.facts, given.members, given.days, given.heavy)
    try:
        fill(given.folder.absolute(), size, lambda line: print(line, flush=True))
    except NoFigureError as error:
        print(f"large_house: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
