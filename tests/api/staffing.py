"""The staff of the tests' house, and what the tests ask in their name."""

from typing import Any

from tests.api.support import House, Player, new_key


def office(
    house: House, call: str, key: Any = None, staff: Any = "ann", **body: Any
) -> dict[str, Any]:
    """The envelope that answers one of the staff."""
    headers = {"office": house.services.office_secret, "Idempotency-Key": key or new_key()}
    url = f"/api/office/{call}"
    answer = house.client.post(url, json={"staff": staff, **body}, headers=headers)
    found: dict[str, Any] = answer.json()
    return found


def close(player: Player) -> None:
    office(player.house, "memberSwitch", player=player.id, closed=True, reason="for the test")


def deposit(player: Player, amount: Any = 250) -> str:
    body = {"amount": amount, "channel": "bank", "reference": "invoice 7"}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    player.house.catch_up()
    return number


def decided(house: House, kind: str, number: str, staff: str = "ann", **body: Any) -> Any:
    """Where it stands behind a decision, or why there was none."""
    answer = office(
        house, f"{kind}Decision", staff=staff, **{"approve": True, "id": number, **body}
    )
    return answer["data"]["status"] if answer["code"] else answer["reason"]
