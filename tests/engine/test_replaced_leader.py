"""A leader that was replaced while it was frozen does no harm, and reports no damage."""

import asyncio

import pytest

from engine.answers import BetAccepted
from engine.bets.commands import PlaceBet, RecallBets
from engine.players.commands import RegisterPlayer
from engine.runtime.log.lease import LeaseLost
from tests.engine.driven_house import DrivenEngine


def test_a_replaced_leader_that_reads_a_newer_player_steps_down() -> None:
    house = DrivenEngine(1, pipelined=False, small_caches=False)
    house.run(house.scheduler.tick())
    former, writing = house.writer, house._writing
    issue = former.state.newest[1][1]
    house.start()
    join = house.sent_command(RegisterPlayer(1, 1, None, "", gift_minor=100_000))
    bet = house.sent_command(PlaceBet(1, 1, 1, issue, "big", 1_000))
    *_, placed = house.submit([join, bet])
    assert isinstance(placed.answer, BetAccepted)
    house.loop.call_soon(
        former.submit, "player-1", "recall", RecallBets(1, 1, issue, placed.answer.bet)
    )
    ended = house.loop.run_until_complete(asyncio.wait({writing}, timeout=5))
    assert ended[0] == {writing}
    with pytest.raises(LeaseLost):
        writing.result()
    house.stop()
    house.close()
