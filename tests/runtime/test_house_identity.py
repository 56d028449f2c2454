"""A log belongs to one house: for real money or as a demo, and signed with one operator's key."""

import pytest
from eventsourcing.persistence import StoredEvent

from engine.answers import BetAccepted
from engine.cashier.facts import DepositApproved
from engine.facts import TOPICS, Fact, encode
from engine.house.facts import HouseFounded, Mode, SwitchTurned
from engine.players.facts import PlayerRegistered
from engine.runtime.engine import Engine
from engine.runtime.log.fact_log import FactLog
from engine.runtime.writer.startup import StartRefusedError, mode_of
from tests.runtime.house import ODDS, EngineHarness, driven

MEMBER = PlayerRegistered(1, None, False, "")
BOT = PlayerRegistered(1, None, True, "")


def stored(log: FactLog, *facts: Fact) -> None:
    """Store a player's or the house's stream as programs wrote it before `HouseFounded` existed."""
    stream = "player-1" if isinstance(facts[0], PlayerRegistered) else "house"
    log.insert_events(
        [
            StoredEvent(stream, version, TOPICS[type(fact)], encode(fact))
            for version, fact in enumerate(facts, 1)
        ]
    )


def engine_of(house: EngineHarness, mode: Mode) -> Engine:
    """Another engine on the same data."""
    conninfo = house.conninfos.app
    return Engine(conninfo, house._keys, house.schedule, ODDS, house.clock, mode=mode)


@driven
async def test_the_first_fact_of_a_log_is_the_mode_of_its_house(house: EngineHarness) -> None:
    async with house:
        first = house.facts()[0].fact
        assert isinstance(first, HouseFounded)
        assert (len(bytes.fromhex(first.house)), first.mode) == (16, Mode.DEMO)
        await house.stop()
        await house.start()
        assert [each.fact for each in house.facts() if isinstance(each.fact, HouseFounded)] == [
            first
        ]


@pytest.mark.parametrize(
    ("facts", "mode"),
    [
        ([BOT], Mode.DEMO),
        ([MEMBER, DepositApproved("d", "demo", 100_000, "")], Mode.DEMO),
        ([MEMBER, DepositApproved("d", "bank", 100_000, "")], Mode.REAL),
        ([SwitchTurned("all", True, "staff:ann")], None),
    ],
)
def test_the_mode_of_an_older_log_follows_from_its_members_and_their_money(
    log: FactLog, facts: list[Fact], mode: Mode | None
) -> None:
    assert mode_of(log) is None
    stored(log, *facts)
    assert mode_of(log) is mode


@driven
async def test_an_older_log_gets_the_mode_that_follows_from_it(
    house: EngineHarness, log: FactLog
) -> None:
    stored(log, BOT)
    async with house:
        second = house.facts()[1].fact
        assert isinstance(second, HouseFounded)
        assert second.mode is Mode.DEMO


@driven
async def test_a_log_opens_in_no_other_mode(house: EngineHarness) -> None:
    async with house:
        await house.stop()
        other = engine_of(house, Mode.REAL)
        with pytest.raises(StartRefusedError, match="choose another --data folder or DATABASE_URL"):
            other.check_start()
        with pytest.raises(StartRefusedError):
            await other.run()
        other.close()
        await house.start()


@driven
async def test_a_wrong_operator_key_is_refused_and_the_right_one_sells_on(
    house: EngineHarness,
) -> None:
    path = house._keys / "operator.key"
    async with house:
        await house.stop()
        before, right = house.facts(), path.read_bytes()
        path.write_bytes(b"x" * 32)
        wrong = engine_of(house, Mode.DEMO)
        with pytest.raises(StartRefusedError, match="put back the operator"):
            wrong.check_start()
        with pytest.raises(StartRefusedError):
            await wrong.run()
        wrong.close()
        assert house.facts() == before
        path.write_bytes(right)
        await house.start()
        await house.join()
        assert isinstance(await house.submit("bet", house.bet()), BetAccepted)
