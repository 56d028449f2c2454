"""The OpenAPI description and what is really answered."""

from typing import Any

import msgspec
import pytest

from api.heart import Heart
from api.openapi import description
from api.web import CALLS
from tests.api.support import House, Player


def schema_of(house: House) -> dict[str, Any]:
    document: dict[str, Any] = house.client.get("/schema/openapi.json").json()
    return document


def test_every_call_is_described_with_its_headers(house: House) -> None:
    document = schema_of(house)
    assert document["openapi"].startswith("3.1")
    assert {call.path for call in CALLS} <= set(document["paths"])
    order = document["paths"]["/api/Lottery/playOrder"]["post"]
    assert [parameter["name"] for parameter in order["parameters"]] == ["token", "Idempotency-Key"]


def test_every_reference_leads_somewhere() -> None:
    document = description(CALLS)
    text = msgspec.json.encode(document).decode()
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(document["components"]["schemas"])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("Lottery/index", {"game_id": 1}),
        ("Lottery/oddsList", {"plan_id": 1, "game_id": 1}),
        ("Lottery/issueList", {"game_id": 1}),
        ("user/userInfo", {}),
        ("user/orderList", {}),
        ("user/quantityLogList", {}),
    ],
)
def test_answers_are_what_the_schema_says(player: Player, path: str, body: dict[str, Any]) -> None:
    player.bet("big", 10)
    (call,) = [call for call in CALLS if call.path == f"/api/{path}"]
    msgspec.convert(player.call(path, body)["data"], call.answer)


def test_a_heartbeat_is_what_the_schema_says(house: House, player: Player) -> None:
    house.draw_round()
    player.bet("big", 10)
    data = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    msgspec.convert(data, Heart)
