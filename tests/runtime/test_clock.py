"""A clock that jumps: rounds keep the pace of real time, and a wrong clock is reported."""

import asyncio
import threading
from contextlib import closing
from pathlib import Path
from typing import cast

import psycopg
import pytest
from structlog.testing import capture_logs

from engine.rounds.facts import RoundDrawn
from engine.runtime import engine as engine_module
from engine.runtime.clock import CONFIRMED_AFTER_US, GuardedClock, monotonic_clock, wall_clock
from engine.runtime.engine import Engine
from engine.runtime.log.fact_log import datastore
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.scheduler.round_scheduler import RoundScheduler
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.schedule import demo
from tests.runtime.house import ODDS, SECOND, Clock, EngineHarness, Loop, NoTicks, driven, until
from tests.runtime.witnesses import running

HOUR_S = 3_600


class Clocks:
    """A wall clock and a monotonic one, which advance together until the wall clock is set."""

    def __init__(self) -> None:
        self.wall = Clock()
        self._monotonic = 0
        self.guarded = GuardedClock(self.wall, lambda: self._monotonic)

    def forward(self, seconds: float) -> None:
        self.wall.forward(seconds)
        self._monotonic += round(seconds * SECOND)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def house(
    house_database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clocks: Clocks
) -> EngineHarness:
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    return EngineHarness(house_database, tmp_path, cast("Clock", clocks.guarded))


async def play_rounds(house: EngineHarness, clocks: Clocks, count: int) -> None:
    """Let `count` rounds pass, and check that each is opened and drawn when it is due."""
    for _ in range(count):
        await house.tick()
        issue, number = house.sale().issue, len(house.facts_of(RoundDrawn))
        await house.submit(f"bet-{issue}", house.bet())
        clocks.forward(10)
        await house.tick()
        assert len(house.facts_of(RoundDrawn)) > number
        assert house.sale().issue > issue


@driven
async def test_a_clock_set_ahead_for_three_seconds_does_not_freeze_the_house(
    house: EngineHarness, clocks: Clocks
) -> None:
    async with house:
        await house.join()
        clocks.wall.forward(HOUR_S - 30)
        await house.submit("meanwhile", house.bet())
        clocks.forward(3)
        clocks.wall.forward(30 - HOUR_S)
        await play_rounds(house, clocks, 2)
        assert max(fact.at for fact in house.facts()) <= clocks.wall.now


@driven
async def test_a_clock_set_back_delays_no_draw(house: EngineHarness, clocks: Clocks) -> None:
    async with house:
        await house.join()
        clocks.wall.forward(-HOUR_S)
        await play_rounds(house, clocks, 3)


@driven
async def test_an_engine_whose_clock_is_behind_the_logs_end_does_not_lead(
    house: EngineHarness, clocks: Clocks
) -> None:
    async with house:
        await house.join()
        await house.stop()
        with psycopg.connect(house.conninfos.owner) as connection:
            connection.execute("UPDATE log.lease SET renewed_at = '-infinity'")
        late = Clock()
        late.now = clocks.guarded() - HOUR_S * SECOND
        engine = Engine(house.conninfos.app, house._keys, house.schedule, ODDS, late)
        running = asyncio.create_task(engine.run())
        await until(lambda: bool(engine.clock_trouble))
        assert engine.clock_trouble == "the log's last fact is 3600 s ahead"
        assert not engine.ready
        late.forward(HOUR_S)
        await until(lambda: engine.ready)
        assert engine.clock_trouble == ""
        late.forward(-HOUR_S)
        assert engine.clock_trouble == "the log's last fact is 3600 s ahead"
        engine.stop()
        await running
        engine.close()


@driven
async def test_an_engine_whose_witness_confirms_its_clock_leads_on_a_database_with_a_wrong_one(
    house_database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the house would wait until the clock of the database's machine is right."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    ahead_us = {"engine": HOUR_S * SECOND, "witness": 0}
    guard = GuardedClock(lambda: wall_clock() + ahead_us["engine"], monotonic_clock)
    operator = OperatorKey(secret_file(tmp_path / "operator.key")).public
    folder = tmp_path / "elsewhere"
    with running(folder, lambda: wall_clock() + ahead_us["witness"], operator) as witness:
        engine = Engine(
            house_database.app,
            tmp_path,
            demo(10),
            ODDS,
            guard,
            guard=guard,
            witness=witness.address,
        )
        witness.stop()
        leading = asyncio.create_task(engine.run())
        await until(lambda: "differs" in engine.clock_trouble)
        witness.start()
        await until(lambda: engine.status().witness_clock_s < 0)
        assert engine.clock_trouble == "the database's differs by -3600 s"
        assert not engine.ready
        ahead_us["witness"] = ahead_us["engine"]
        await until(lambda: engine.ready)
        assert engine.clock_trouble == ""
        assert guard.difference == "the database's differs by -3600 s"
        engine.stop()
        await leading
        engine.close()


@driven
async def test_an_engine_whose_clock_differs_from_the_databases_does_not_lead(
    house_database: Conninfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.clock.CONFIRMED_AFTER_US", SECOND)
    offset_us = HOUR_S * SECOND
    guard = GuardedClock(lambda: wall_clock() + offset_us, wall_clock)
    engine = Engine(house_database.app, tmp_path, demo(10), ODDS, guard, guard=guard)
    running = asyncio.create_task(engine.run())
    await until(lambda: "differs" in engine.clock_trouble)
    assert not engine.ready
    # The clock is corrected, and agrees with the database's for what counts as a minute here.
    offset_us = 0
    await until(lambda: engine.ready)
    assert "differs" not in engine.clock_trouble
    engine.stop()
    await running
    engine.close()


def test_a_clock_without_a_database_follows_a_jump_that_lasts_a_minute(clocks: Clocks) -> None:
    before = clocks.guarded()
    clocks.wall.forward(HOUR_S)
    for _ in range(CONFIRMED_AFTER_US // SECOND):
        clocks.guarded.compare_alone()
        assert clocks.guarded() == before
        clocks.forward(1)
        before += SECOND
    clocks.guarded.compare_alone()
    assert clocks.guarded() == before + HOUR_S * SECOND


def test_a_jump_and_its_end_are_logged_once_each_after_a_reading_noticed_them(
    clocks: Clocks,
) -> None:
    with capture_logs() as logs:
        clocks.guarded.compare_alone()
        for seconds in (HOUR_S, -HOUR_S):
            clocks.wall.forward(seconds)
            clocks.guarded()
            for _ in range(3):
                clocks.guarded.compare_alone()
                clocks.forward(1)
    assert [(line["event"], line.get("ahead_s")) for line in logs] == [
        ("clock jumped, which is ignored", HOUR_S),
        ("clock is back", None),
    ]


@pytest.mark.parametrize("jump_s", [60, HOUR_S, -60, -HOUR_S])
def test_a_clock_without_a_database_ignores_a_jump_that_the_operators_time_contradicts(
    clocks: Clocks, jump_s: int
) -> None:
    """A wrong clock of the witness would otherwise make its draws late."""
    right = clocks.guarded()
    clocks.guarded.note_stated(right)
    clocks.wall.forward(jump_s)
    for _ in range(0, HOUR_S - 30, 30):
        clocks.guarded.compare_alone()
        clocks.forward(30)
        right += 30 * SECOND
        assert clocks.guarded() == right
    clocks.wall.forward(-jump_s)
    clocks.guarded.compare_alone()
    assert clocks.guarded() == right


def test_a_clock_that_was_ahead_is_corrected_within_an_hour_whatever_the_operator_states(
    clocks: Clocks,
) -> None:
    """An operator who keeps stating the wrong time would otherwise get the links early."""
    clocks.guarded.note_stated(clocks.guarded())
    clocks.wall.forward(-HOUR_S)
    with capture_logs() as logs:
        for _ in range(0, HOUR_S + 30, 30):
            clocks.guarded.compare_alone()
            clocks.forward(30)
    assert clocks.guarded() == clocks.wall()
    assert [(line["event"], line["ahead_s"]) for line in logs] == [
        ("clock jumped, which is ignored", -HOUR_S),
        ("clock's jump followed", -HOUR_S),
    ]


def test_a_clock_without_a_database_follows_a_jump_once_the_operators_time_agrees(
    clocks: Clocks,
) -> None:
    """As after a pause of both machines, in which their monotonic clocks stood still."""
    before = clocks.guarded()
    clocks.guarded.note_stated(before)
    clocks.wall.forward(HOUR_S)
    with capture_logs() as logs:
        for _ in range(CONFIRMED_AFTER_US // SECOND + 1):
            clocks.guarded.compare_alone()
            clocks.forward(1)
        assert clocks.guarded() < before + HOUR_S * SECOND
        clocks.guarded.note_stated(clocks.wall())
        clocks.guarded.compare_alone()
    assert clocks.guarded() == clocks.wall()
    assert [(line["event"], line["ahead_s"]) for line in logs] == [
        ("clock jumped, which is ignored", HOUR_S),
        ("clock's jump followed", HOUR_S),
    ]


def test_a_stated_time_moves_no_clock_that_did_not_jump(clocks: Clocks) -> None:
    """Otherwise an operator could have its links before the sales end."""
    before = clocks.guarded()
    for seconds in range(2 * CONFIRMED_AFTER_US // SECOND):
        assert clocks.guarded() == before + seconds * SECOND
        clocks.guarded.note_stated(clocks.wall() + HOUR_S * SECOND)
        clocks.guarded.compare_alone()
        clocks.forward(1)


def test_a_process_that_only_follows_the_log_logs_that_its_clock_is_wrong(
    house_database: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.clock.CONFIRMED_AFTER_US", SECOND)
    ahead_us = HOUR_S * SECOND
    guard = GuardedClock(lambda: wall_clock() + ahead_us)
    stopping = threading.Event()
    with closing(datastore(house_database.app)) as store, capture_logs() as logs:
        watching = threading.Thread(target=guard.watch_in_thread, args=(store, stopping))
        watching.start()
        while not guard.difference:
            pass
        ahead_us = 0
        while guard.difference:
            pass
        stopping.set()
        watching.join()
    assert [(line["event"], line.get("trouble")) for line in logs] == [
        ("clock is wrong, or the database's is", "the database's differs by -3600 s"),
        ("clock jumped, which is ignored", None),
        ("clock's jump followed", None),
        ("clock agrees with the database's", None),
    ]


class _Ticking(RoundScheduler):
    """Counts its ticks. Nothing is due before its clock's time plus an hour."""

    def __init__(self) -> None:
        self.ticks = 0

    async def tick(self) -> None:
        self.ticks += 1

    def next_due(self) -> int:
        return HOUR_S * SECOND


def test_ticks_come_every_second_whatever_the_clock_shows() -> None:
    async def ticking() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Loop)
        scheduler = _Ticking()
        timers = engine_module._schedule(scheduler, lambda: 0)
        for count in range(1, 4):
            async with asyncio.timeout(30):
                await until(lambda: scheduler.ticks == count)  # noqa: B023 - called before it changes
            loop.forward(1.1)
        timers.stop()

    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(ticking())
