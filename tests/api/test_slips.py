"""A slip: up to 40 bets in one call, each decided by itself and under a key of its own."""

from typing import Any

import pytest

from api.game.bets import MAX_BETS_A_SLIP
from tests.api.support import ApiServer, Player, new_key

PATH = "Lottery/playOrders"


def slip(house: ApiServer, *bets: tuple[str, Any, Any]) -> dict[str, Any]:
    """A slip of keys, bet kinds and stakes in u, on game 1's open round in its first hall."""
    room = {"issue": house.issue, "plan_id": 1, "game_id": 1}
    items = [{"key": key, "play_type": kind, "money": money} for key, kind, money in bets]
    return room | {"bets": items}


def outcomes(player: Player, body: dict[str, Any]) -> list[dict[str, Any]]:
    answer = player.call(PATH, body)
    assert answer["code"] == 1
    found: list[dict[str, Any]] = answer["data"]
    return found


def test_each_bet_of_a_slip_is_decided_by_itself_in_its_order(
    player: Player, house: ApiServer
) -> None:
    keys = [new_key() for _ in range(5)]
    stakes = [("big", 900), ("small", 200), ("13", 5), ("none", 5), ("odd", "1.005")]
    bets = [(key, *stake) for key, stake in zip(keys, stakes, strict=True)]
    found = outcomes(player, slip(house, *bets))
    assert [each["key"] for each in found] == keys
    assert [(each["code"], each.get("reason"), each.get("field")) for each in found] == [
        (1, None, None),
        (0, "funds_insufficient", "money"),
        (1, None, None),
        (0, "play_type_unknown", "play_type"),
        (0, "stake_not_whole", "money"),
    ]
    assert [each["data"]["after_quantity"] for each in found if each["data"]] == [100, 95]
    assert found[0]["data"]["receipt"]["signature"]
    assert player.balance() == 95


def test_a_repeated_slip_gets_the_first_outcome_of_every_bet(
    player: Player, house: ApiServer
) -> None:
    body = slip(house, (new_key(), "big", 600), (new_key(), "small", 600), (new_key(), "odd", 10))
    first = outcomes(player, body)
    again = outcomes(player, body)
    assert [each["code"] for each in first] == [1, 0, 1]
    assert again == first
    assert player.balance() == 390


def test_a_key_is_the_same_in_a_slip_and_in_a_single_bet(player: Player, house: ApiServer) -> None:
    single, of_slip = new_key(), new_key()
    order = player.bet("big", 10, single)["data"]["orderNo"]
    found = outcomes(player, slip(house, (single, "big", 10), (of_slip, "odd", 10)))
    assert found[0]["data"]["orderNo"] == order
    assert player.bet("odd", 10, of_slip)["data"]["orderNo"] == found[1]["data"]["orderNo"]
    changed = outcomes(player, slip(house, (single, "big", 11)))[0]
    assert (changed["reason"], changed["field"]) == ("key_reused", "money")
    assert player.balance() == 980


@pytest.mark.parametrize("count", [0, MAX_BETS_A_SLIP + 1])
def test_a_slip_of_no_bet_or_too_many_is_refused_as_a_whole(
    player: Player, house: ApiServer, count: int
) -> None:
    answer = player.call(PATH, slip(house, *[(new_key(), "big", 1)] * count))
    assert (answer["reason"], answer["field"]) == ("request_malformed", "bets")
    assert player.balance() == 1_000


def test_a_malformed_key_refuses_the_whole_slip(player: Player, house: ApiServer) -> None:
    answer = player.call(PATH, slip(house, (new_key(), "big", 1), ("with space", "big", 1)))
    assert (answer["reason"], answer["field"]) == ("key_malformed", "bets")
    assert player.balance() == 1_000


def test_the_longest_slip_is_one_batch_of_bets(player: Player, house: ApiServer) -> None:
    bets = [(new_key(), str(total % 28), 1) for total in range(MAX_BETS_A_SLIP)]
    found = outcomes(player, slip(house, *bets))
    assert {each["code"] for each in found} == {1}
    assert len({each["data"]["receipt"]["head"] for each in found}) == 1
    assert player.balance() == 1_000 - MAX_BETS_A_SLIP
