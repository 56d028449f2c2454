"""Who can always withdraw: closed accounts, and all players once sales have ended."""

import pytest
from msgspec.structs import replace

from engine.cashier.commands import ApproveDeposit
from engine.house.commands import TurnSwitch
from engine.money import units
from engine.players.commands import SwitchPlayer
from tests.api.banking import command, prepare, set_terms, withdraw
from tests.api.support import ApiServer, new_key


@pytest.fixture(scope="module")
def house(staffed: ApiServer) -> ApiServer:
    set_terms(staffed, cooling_us=0)
    return staffed


def test_a_closed_account_is_emptied_whatever_is_due_and_however_little(house: ApiServer) -> None:
    player = house.register()
    prepare(player)
    command(house, ApproveDeposit(player.id, new_key(), "bank", units(60), "", "staff:ann"))
    assert withdraw(player, 60)["reason"] == "withdrawal_too_small"
    command(house, SwitchPlayer(player.id, closed=True, by="staff:ann", reason_commitment=""))
    assert withdraw(player, 59)["reason"] == "withdrawal_too_small"
    assert withdraw(player, 60)["data"]["money"] == 0


def test_once_nothing_is_sold_any_more_deposits_end_and_all_members_may_leave(
    house: ApiServer,
) -> None:
    """Turnover due can no longer be met, so it must not block withdrawals."""
    player = house.register()
    prepare(player)
    arrived = ApproveDeposit(player.id, new_key(), "bank", units(60), "", "staff:ann")
    command(house, arrived)
    notice = {"amount": 20, "channel": "bank", "reference": "x"}
    command(house, TurnSwitch("product", closed=True, by="staff:ann"))
    try:
        refused = player.call("user/deposit", notice, new_key())
        assert (refused["reason"], refused["msg"]) == (
            "product_discontinued",
            "The product has been discontinued",
        )
        command(house, replace(arrived, deposit=new_key()))
        assert player.call("user/recharge", {})["data"]["channels"] == []
        info = player.call("user/withdrawInfo", {})["data"]
        assert (info["leaving"], info["turnover"]["due"], info["money"]) == (True, 120, 120)
        assert withdraw(player, 120)["data"]["money"] == 0
    finally:
        command(house, TurnSwitch("product", closed=False, by="staff:ann"))
    command(house, replace(arrived, deposit=new_key(), amount_minor=units(200)))
    assert not player.call("user/withdrawInfo", {})["data"]["leaving"]
    assert withdraw(player, 200)["reason"] == "turnover_unmet"
    assert player.call("user/deposit", notice, new_key())["code"] == 1


def test_too_small_a_withdrawal_is_answered_with_the_minimum_that_staff_set(
    house: ApiServer,
) -> None:
    player = house.register()
    prepare(player)
    assert withdraw(player, 99)["msg"] == "The minimum withdrawal is 100"
    set_terms(house, cooling_us=0, least_withdrawal_minor=units(20) + 50)
    try:
        assert withdraw(player, 20)["msg"] == "The minimum withdrawal is 20.50"
        assert withdraw(player, 0)["msg"] == "The minimum withdrawal is 20.50"
    finally:
        set_terms(house, cooling_us=0)
