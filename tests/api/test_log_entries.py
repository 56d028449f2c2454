"""A player gets the log entries of their own facts, and no others."""

from typing import Any

import psycopg
import pytest

from engine.facts import player_stream
from engine.fairness.canonical import canonical
from engine.fairness.merkle import leaf_hash, root_from_path
from engine.fairness.receipts import read_receipt, verify_receipt
from engine.runtime.log.sealer import Sealer
from tests.api.staffing import office
from tests.api.support import ApiServer, Player
from tests.api.test_log_tree import published, seal
from tests.api.test_proofs import proof
from tests.api.writing import texts

ENTRY = "fair/entry"


def positions(player: Player, topic: str) -> list[int]:
    """The positions of the facts of a topic in the player's stream."""
    query = (
        "SELECT notification_id FROM log.facts WHERE originator_id = %s AND topic = %s"
        " ORDER BY notification_id"
    )
    with psycopg.connect(player.house.conninfos.app) as connection:
        return [row[0] for row in connection.execute(query, (player_stream(player.id), topic))]


def refusal(player: Player, **query: Any) -> tuple[str, str]:
    answer = player.call(ENTRY, query)
    return answer["reason"], answer.get("field", "")


def test_a_bet_is_in_the_public_tree(house: ApiServer, player: Player) -> None:
    bet = player.bet("big", 10)["data"]["orderNo"]
    player.bet("odd", 10)
    key = seal(house)

    found = player.call(ENTRY, {"bet": bet})["data"]

    entry = bytes.fromhex(found["entry"])
    assert int.from_bytes(entry[:8], "big") == found["position"]
    assert f'"bet":"{bet}"'.encode() in entry
    checkpoint = published(house).checkpoint
    query = {"position": found["position"], "size": checkpoint.size}
    path = house.client.get("/api/fair/proof/inclusion", params=query).json()["path"]
    root = root_from_path(
        leaf_hash(entry), found["position"] - 1, checkpoint.size, [bytes.fromhex(x) for x in path]
    )
    assert root == checkpoint.root
    receipt = canonical(proof(house, house.issue, player)["bets"][0]["receipt"])
    assert read_receipt(receipt).bet == bet
    batch = found["batch"]
    batch_path = [bytes.fromhex(each) for each in batch["path"]]
    head, signature = bytes.fromhex(batch["head"]), bytes.fromhex(batch["signature"])
    assert verify_receipt(key, receipt, batch["index"], batch["size"], head, batch_path, signature)


def test_any_own_fact_is_found_by_its_position(house: ApiServer, player: Player) -> None:
    bet = player.bet("big", 10)["data"]["orderNo"]
    house.draw_round()
    seal(house)
    assert player.call(ENTRY, {"bet": bet})["code"] == 1
    (settled,) = positions(player, "bet-settled.1")
    found = player.call(ENTRY, {"position": settled})["data"]
    assert (found["position"], found["batch"]) == (settled, None)
    assert bytes.fromhex(found["entry"])[:8] == settled.to_bytes(8, "big")


def test_facts_of_others_are_unknown(house: ApiServer, player: Player) -> None:
    stranger = house.register()
    bet = stranger.bet("big", 10)["data"]["orderNo"]
    seal(house)
    position = stranger.call(ENTRY, {"bet": bet})["data"]["position"]
    assert refusal(player, bet=bet) == ("fact_unknown", "bet")
    assert refusal(player, position=position) == ("fact_unknown", "position")
    assert refusal(player, position=1) == ("fact_unknown", "position")


def test_own_facts_that_name_staff_are_unknown(house: ApiServer, player: Player) -> None:
    office(house, "message", player=player.id, texts=texts())
    seal(house)
    (sent,) = positions(player, "message-sent.1")
    assert refusal(player, position=sent) == ("fact_unknown", "position")
    (registered,) = positions(player, "player-registered.1")
    assert player.call(ENTRY, {"position": registered})["code"] == 1


@pytest.mark.parametrize("position", [0, -1, 1 << 62, 10**15])
def test_a_position_outside_the_log_is_unknown(player: Player, position: int) -> None:
    assert refusal(player, position=position) == ("fact_unknown", "position")


@pytest.mark.parametrize("bet", ["bet-0", "x" * 65, "\x00", "'", "é"])
def test_a_bet_that_is_none_is_unknown(player: Player, bet: str) -> None:
    assert refusal(player, bet=bet) == ("fact_unknown", "bet")


@pytest.mark.parametrize("query", [{}, {"bet": ""}, {"bet": "b", "position": 1}])
def test_one_fact_has_to_be_named(player: Player, query: dict[str, Any]) -> None:
    assert refusal(player, **query) == ("request_malformed", "bet")


def test_a_fact_is_refused_until_it_is_sealed(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(Sealer, "keep_up", lambda _: None)
        bet = player.bet("big", 10)["data"]["orderNo"]
        assert refusal(player, bet=bet) == ("fact_unsealed", "bet")
    seal(house)
    assert player.call(ENTRY, {"bet": bet})["code"] == 1


def test_an_entry_is_not_cached(house: ApiServer, player: Player) -> None:
    headers, body = {"token": player.token}, {"bet": "bet-0"}
    answer = house.client.post(f"/api/{ENTRY}", json=body, headers=headers)
    assert answer.headers.get_list("cache-control") == ["no-store"]
    assert house.call(ENTRY, body)["reason"] == "token_unknown"
