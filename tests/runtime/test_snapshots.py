"""Snapshots of long streams: used only if they match the log, and never required."""

from collections.abc import Callable, Collection

import msgspec
import psycopg
import pytest

from engine.cashier.commands import ApproveDeposit
from engine.facts import RecordedFact, player_stream
from engine.players.state import Player
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.snapshots import SnapshotMismatch, Snapshots, folded
from engine.schedule import DEFAULT_TIMEZONE
from tests.runtime.house import PLAYER, EngineHarness, driven

STREAM = player_stream(PLAYER)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save a snapshot every ten facts."""
    monkeypatch.setattr(Snapshots.__init__, "__kwdefaults__", {"every": 10})


async def played(house: EngineHarness, bets: int = 25) -> Player:
    """Returns a player with `bets` open bets and one more deposit; the engine is stopped."""
    await house.join()
    for number in range(bets):
        await house.submit(f"bet-{number}", house.bet(1))
    await house.submit("deposit", ApproveDeposit(PLAYER, "d-1", "bank", 5_000, "", "staff:ann"))
    player = house.engine.state.players[PLAYER]
    await house.stop()
    return player


async def player_after_restart(house: EngineHarness) -> Player:
    """The player's state in a new engine, loaded by a command."""
    await house.lead()
    await house.submit("after", ApproveDeposit(PLAYER, "d-2", "bank", 1, "", "staff:ann"))
    return house.engine.state.players[PLAYER]


def execute(house: EngineHarness, statement: str, *values: object) -> None:
    with psycopg.connect(house.conninfos.owner) as connection:
        connection.execute(statement, values)


def differences(log: FactLog) -> list[SnapshotMismatch]:
    snapshots = Snapshots(log)
    found = (snapshots.difference(each, DEFAULT_TIMEZONE) for each in snapshots.page("", 100))
    return [each for each in found if each is not None]


@driven
async def test_a_new_engine_starts_from_a_snapshot_and_reads_only_later_facts(
    house: EngineHarness, log: FactLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.tick()
        player = await played(house)
        (snapshot,) = Snapshots(log).page("", 10)
        assert (snapshot.stream, snapshot.version) == (STREAM, player.version - player.version % 10)
        read = count_facts_read(monkeypatch)
        after = await player_after_restart(house)
        assert read() == player.version - snapshot.version
        assert after == folded(PLAYER, log.streams([STREAM]), DEFAULT_TIMEZONE)
        assert differences(log) == []


@driven
async def test_a_snapshot_contains_the_whole_state(house: EngineHarness, log: FactLog) -> None:
    """Counted turnover too: otherwise a bet's round would be counted a second time."""
    async with house:
        await house.tick()
        await house.join()
        await house.submit("bet", house.bet(1))
        while not house.engine.state.players[PLAYER].counted:
            sale = house.sale().opened
            house.clock.now = max(house.clock.now + 1, sale.closes_at, sale.draws_at)
            await house.tick()
        for number in range(20):
            await house.submit(f"bet-{number}", house.bet(1))
        await house.stop()
        assert differences(log) == []
        (state,) = Snapshots(log).read([PLAYER]).values()
        assert state.counted


def count_facts_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Returns a function for the number of the player's facts read from now on."""
    counts: list[int] = []
    streams, streams_after = FactLog.streams, FactLog.streams_after

    def counted(read: Callable[..., list[RecordedFact]]) -> Callable[..., list[RecordedFact]]:
        def reading(log: FactLog, names: Collection[str]) -> list[RecordedFact]:
            found = read(log, names)
            if STREAM in names:
                counts.append(len(found))
            return found

        return reading

    monkeypatch.setattr(FactLog, "streams", counted(streams))
    monkeypatch.setattr(FactLog, "streams_after", counted(streams_after))
    return lambda: sum(counts)


@driven
async def test_without_snapshots_everything_is_as_before(
    house: EngineHarness, log: FactLog
) -> None:
    async with house:
        await house.tick()
        await played(house)
        execute(house, "DELETE FROM log.snapshots")
        after = await player_after_restart(house)
        assert after == folded(PLAYER, log.streams([STREAM]), DEFAULT_TIMEZONE)


@driven
async def test_another_programs_snapshot_is_ignored(house: EngineHarness, log: FactLog) -> None:
    async with house:
        await house.tick()
        await played(house)
        execute(house, "UPDATE log.snapshots SET program = 'other', state = 'nonsense'")
        after = await player_after_restart(house)
        assert after == folded(PLAYER, log.streams([STREAM]), DEFAULT_TIMEZONE)
        assert Snapshots(log).count_stale() == 1


@driven
@pytest.mark.parametrize(
    "damage", ["SET state = 'nonsense'", "SET version = version - 1", "SET stream = 'player-7'"]
)
async def test_a_damaged_snapshot_blocks_no_player(
    house: EngineHarness, log: FactLog, damage: str
) -> None:
    async with house:
        await house.tick()
        await played(house)
        execute(house, f"UPDATE log.snapshots {damage}")
        after = await player_after_restart(house)
        assert after == folded(PLAYER, log.streams([STREAM]), DEFAULT_TIMEZONE)


@driven
async def test_a_wrong_snapshot_is_found(house: EngineHarness, log: FactLog) -> None:
    async with house:
        await house.tick()
        await played(house)
        (snapshot,) = Snapshots(log).page("", 10)
        rich = msgspec.msgpack.decode(snapshot.state, type=Player)
        available = rich.available
        rich.available += 1
        wrong = msgspec.msgpack.encode(rich)
        execute(house, "UPDATE log.snapshots SET state = %s", wrong)
        (found,) = differences(log)
        assert found == SnapshotMismatch(
            STREAM, snapshot.version, f"available {available + 1} instead of {available}"
        )
        execute(house, "UPDATE log.snapshots SET state = %s", b"nonsense")
        assert "unreadable" in differences(log)[0].found
        execute(house, "UPDATE log.snapshots SET version = 1000, state = %s", snapshot.state)
        assert differences(log)[0].version == 1000
