import asyncio

import psycopg
import pytest
from structlog.testing import capture_logs

from engine.answers import BetAccepted, Refused
from engine.bets.commands import PlaceBet
from engine.bets.facts import BetPlaced
from engine.catalogue import GAMES
from engine.ledger import MOVES
from engine.refusals import Refusal
from engine.rounds.commands import OpenRound
from engine.rounds.facts import RoundOpened
from engine.runtime import engine
from engine.runtime.log.fact_log import FactLog
from engine.runtime.scheduler.round_scheduler import RoundScheduler, Step
from engine.runtime.writer.reply import Reply
from engine.runtime.writer.writer import Writer
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, EngineHarness, Gate, driven, until

_OPENED = (
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'fairdraw_app'"
)
_CUT = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()"
)
#: The connections that a standby keeps for its reads and for the lease.
_POOLED = 6


@driven
async def test_a_stopping_engine_answers_the_commands_it_has_received(house: EngineHarness) -> None:
    async with house:
        await house.join()
        sent = [house.send(f"key-{number}", house.bet()) for number in range(50)]
        await house.stop()
        answers = [(await each).answer for each in sent]
        late = await house.submit("late", PlaceBet(PLAYER, 1, 1, "1", "big", 100))
        assert late == Refused(Refusal.UNAVAILABLE)
        assert len(house.facts_of(BetPlaced)) == 50
        assert all(isinstance(answer, BetAccepted) for answer in answers)
        await house.start()


@driven
async def test_a_step_due_while_the_engine_stops_is_left_to_the_next_without_a_warning(
    house: EngineHarness,
) -> None:
    async with house:
        closes_at = house.sale().closes_at
        scheduler = house.scheduler
        with capture_logs() as logs:
            house.engine.stop()
            house.clock.now = closes_at
            await scheduler.tick()
            await house.running
        assert [entry for entry in logs if entry["log_level"] != "info"] == []
        house.engine.close()
        await house.start()
        assert house.sale().closed is not None


@driven
async def test_a_round_that_passes_while_its_opening_waits_is_skipped_without_a_warning(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine pauses between reading the clock and the decision.

    Only the pause at game 1 advances the time: its second round passes, the other games' does not.
    """
    submit = Writer.submit_internal

    def after_a_pause(writer: Writer, command: Step) -> asyncio.Future[Reply]:
        if isinstance(command, OpenRound) and command.game == 1:
            house.clock.now = max(house.clock.now, command.closes_at)
        return submit(writer, command)

    async with house:
        house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
        with monkeypatch.context() as pausing, capture_logs() as logs:
            pausing.setattr(Writer, "submit_internal", after_a_pause)
            await house.tick()
        assert [entry for entry in logs if entry["log_level"] != "info"] == []
        opened = {(each.game, each.index) for each in house.facts_of(RoundOpened)}
        assert opened == {(game, index) for game in GAMES for index in (1, 2)} - {(1, 2)}
        house.clock.now += house.schedule.close_us
        await house.tick()
        assert [each.index for each in house.facts_of(RoundOpened) if each.game == 1] == [1, 3]
        audit(house.facts())


@driven
async def test_an_engine_that_is_stopped_while_it_recovers_ends(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.crash()
        last = FactLog.last

        def stopped_meanwhile(log: FactLog) -> tuple[int, int]:
            loop.call_soon_threadsafe(house.engine.stop)
            return last(log)

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(FactLog, "last", stopped_meanwhile)
        await house.lead()
        await house.running


class _Ticking(RoundScheduler):
    """A scheduler whose tick never ends."""

    def __init__(self) -> None:
        pass

    async def tick(self) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("turns", range(6))
def test_a_tick_cut_off_by_the_end_is_no_error(
    turns: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Cancelled when it was due, about to begin, or running."""

    async def begin_and_end() -> None:
        timers = engine._schedule(_Ticking(), lambda: 0)
        for _ in range(turns):
            await asyncio.sleep(0)
        timers.stop()

    asyncio.run(begin_and_end())
    assert not caplog.records


@driven
async def test_a_cancelled_engine_ends_as_cancelled(house: EngineHarness) -> None:
    async with house:
        house.running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await house.running


@driven
async def test_no_caller_is_left_waiting_by_a_stopping_leader(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            sent = [house.send("being stored", house.bet())]
            await gate.reached()
            sent += [house.send(f"queued-{number}", house.bet()) for number in range(200)]
            await asyncio.sleep(0)
            gate.open()
            await house.crash()
        refused = {(await asyncio.wait_for(each, 10)).answer for each in sent}
        unclear = {Refused(Refusal.OUTCOME_UNKNOWN), Refused(Refusal.UNAVAILABLE)}
        assert all(answer in unclear or isinstance(answer, BetAccepted) for answer in refused)
        await house.start()
        audit(house.facts())


@driven
async def test_an_error_while_applying_facts_stops_the_writer_and_stores_nothing(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        failing: dict[type, object] = {**MOVES, BetPlaced: lambda _: 1 // 0}
        with monkeypatch.context() as patch:
            patch.setattr("engine.players.state.MOVES", failing)
            answer = await asyncio.wait_for(house.send("key", house.bet()), 10)
            with pytest.raises(ZeroDivisionError):
                await house.running
        assert answer.answer == Refused(Refusal.OUTCOME_UNKNOWN)
        assert not house.facts_of(BetPlaced)
        await house.start()
        assert isinstance(await house.submit("key", house.bet()), BetAccepted)


@pytest.mark.parametrize("key", ["a\0b", "k" * 100_000, "\ud800"])
@driven
async def test_a_key_that_cannot_be_stored_harms_no_other_command(
    house: EngineHarness, key: str
) -> None:
    async with house:
        await house.join()
        sent = house.send(key, house.bet())
        other = await asyncio.wait_for(house.send("key", house.bet()), 10)
        assert isinstance(other.answer, BetAccepted)
        assert isinstance((await sent).answer, Refused)


@driven
async def test_a_standby_whose_connections_were_cut_leads_with_its_second_try(
    house: EngineHarness,
) -> None:
    """After a database's fail-over each old connection would cost a try, three seconds apart."""
    with psycopg.connect(house.conninfos.owner, autocommit=True) as connection:

        def is_connected() -> bool:
            connection.execute("UPDATE log.lease SET renewed_at = clock_timestamp()")
            return len(connection.execute(_OPENED).fetchall()) >= _POOLED

        is_connected()
        house.stand_by()
        await until(is_connected)
        with psycopg.connect(house.conninfos.app) as same_role:
            same_role.execute(_CUT)
        with capture_logs() as lines:
            house.expire_lease()
            await until(lambda: house.engine.ready)
    await house.crash()
    assert [line["event"] for line in lines].count("database is away") == 1
