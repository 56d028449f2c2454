"""A client that only polls the heartbeat gets the results of its rounds."""

from pathlib import Path
from typing import Any

from engine.runtime.postgres.embedded_postgres import Conninfos
from tests.api.streaming import following, through
from tests.api.support import ApiServer, Player, new_key
from tests.ports import reserved_port

ROOM = {"plan_id": 1, "game_id": 1}


def win(player: Player, **room: int) -> Any:
    """The caller's result in the heartbeat's answer."""
    return player.call("Lottery/heart", ROOM | room)["data"]["win"]


def test_a_poller_gets_the_same_result_as_the_stream(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    assert win(player) is None
    issue = house.issue
    with following(house, player) as stream:
        player.bet("big", 10)
        player.bet("small", 10)
        assert win(player) is None
        house.draw_round()
        sent = through(stream, "win")[-1].data
    assert win(player) == sent
    assert (sent["issue"], sent["stake"], sent["payout"]) == (issue, 20, 19.8)


def test_a_poller_without_a_stream_learns_win_or_lose(house: ApiServer) -> None:
    player, other = house.register(), house.register()
    house.next_round()
    assert win(player) is win(other) is None
    issue = house.issue
    player.bet("big", 10)
    house.draw_round()
    found = win(player)
    assert (found["issue"], found["game_id"], found["stake"]) == (issue, 1, 10)
    assert found["profit"] == found["payout"] - 10
    assert [bet["whether_hit"] for bet in found["bets"]] == [int(found["payout"] > 0)]
    assert win(other) is None


def test_a_result_stays_until_the_player_has_a_newer_one(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    player.bet("big", 10)
    house.draw_round()
    first = win(player)
    house.draw_round()
    assert win(player) == first
    issue = house.issue
    player.bet("big", 30)
    house.draw_round()
    assert (win(player)["issue"], win(player)["stake"]) == (issue, 30)


def test_a_result_is_shown_in_every_hall_of_its_game_and_in_no_other_game(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    player.bet("big", 10)
    house.draw_round()
    assert win(player, plan_id=2) == win(player)
    assert win(player, plan_id=10, game_id=2) is None


def test_bets_that_were_taken_back_are_no_part_of_a_result(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    player.bet("big", 10)
    player.bet("big", 50)
    about = {"issue": house.issue, "game_id": 1}
    order = player.bet("odd", 20)["data"]["orderNo"]
    player.call("Lottery/recall", about | {"orderNo": order}, new_key())
    house.draw_round()
    assert win(player)["stake"] == 60
    assert len(win(player)["bets"]) == 2


def test_who_is_not_signed_in_has_no_result(house: ApiServer) -> None:
    assert house.call("Lottery/heart", ROOM)["data"]["win"] is None


def test_a_poller_learns_a_result_from_a_house_that_was_opened_again(
    database: Conninfos, tmp_path: Path
) -> None:
    port = reserved_port()
    with ApiServer(database, tmp_path, port) as house:
        player = house.register()
        player.bet("big", 10)
        house.draw_round()
        before = win(player)
    again = ApiServer(database, tmp_path, port)
    again.clock.now = house.clock.now
    with again:
        assert win(Player(again, player.id, player.username, player.token)) == before is not None
