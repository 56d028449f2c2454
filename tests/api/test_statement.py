"""/api/user/quantityLogList: pending, received and paid-out money, and who handled it."""

from typing import Any

import pytest

from engine.cashier.commands import DecideDeposit, GrantGift, ReleaseBonus, RequestDeposit
from engine.command_handler import Command
from engine.facts import player_stream
from tests.api.banking import set_terms
from tests.api.support import ApiServer, Player, new_key

ANN = "staff:ann"


def command(house: ApiServer, actor: str, submitted: Command) -> None:
    house.on_loop(lambda: house.services.commands.submit(actor, new_key(), submitted))


def newest(player: Player) -> dict[str, Any]:
    player.house.catch_up()
    entry: dict[str, Any] = player.call("user/quantityLogList", {})["data"][0]
    return entry


def test_a_notice_waits_in_the_statement_until_staff_have_decided(
    house: ApiServer, player: Player
) -> None:
    """GLI-19 2.5.6c, 2.5.7."""
    number = new_key()
    notice = RequestDeposit(player.id, number, "usdt", 30_000, "")
    command(house, player_stream(player.id), notice)

    waiting = newest(player)
    command(house, ANN, DecideDeposit(player.id, number, approve=True, by=ANN))
    passed = newest(player)

    names = ("type", "status", "quantity", "before", "over", "handler", "mark")
    assert [waiting[name] for name in names] == [0, 0, 300, 1000, 1000, "", "USDT deposit"]
    assert [passed[name] for name in names] == [0, 1, 300, 1000, 1300, "staff", "USDT deposit"]
    assert passed["id"] == waiting["id"]


def test_gifts_and_released_bonus_money_show_their_amount(house: ApiServer, player: Player) -> None:
    set_terms(house, bonus_wait_us=0)
    try:
        command(house, ANN, GrantGift(player.id, new_key(), 1_000, ANN, ""))
    finally:
        set_terms(house)
    gift = newest(player)
    assert player.bet(money=20)["code"] == 1
    staked = newest(player)
    house.draw_round()
    over = player.balance()
    command(house, player_stream(player.id), ReleaseBonus(player.id))
    released = newest(player)

    assert (gift["type"], gift["quantity"], gift["over"], gift["handler"]) == (4, 10, 1000, "staff")
    assert staked["handler"] == "player"
    shown = (released["type"], released["quantity"], released["before"], released["over"])
    assert shown == (4, 10, over, over + 10)
    assert released["mark"] == "Bonus released"


@pytest.mark.parametrize(
    ("call", "filter_"),
    [
        ("orderList", {"game_id": 9}),
        ("orderList", {"game_id": -(10**30)}),
        ("orderList", {"issue_code": "2026\x00"}),
        ("orderList", {"issue_code": 10**400}),
        ("quantityLogList", {"type": 7}),
        ("quantityLogList", {"type": 10**30}),
        ("statementCsv", {"type": -(10**30)}),
    ],
)
def test_a_filter_that_nothing_can_match_leaves_nothing(
    player: Player, call: str, filter_: dict[str, object]
) -> None:
    player.bet("big", 10)
    answer = player.call(f"user/{call}", filter_)
    found = answer["data"]
    assert (answer["code"], found["rows"] if call == "statementCsv" else len(found)) == (1, 0)
