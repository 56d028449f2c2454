"""The staff of the test server, and the calls that tests make in their name."""

import secrets
from typing import Any

from engine.staff.passes import IssuePass, fingerprint_of
from engine.staff.roles import MACHINE, MANAGERS_NEEDED, Role, actor_of
from engine.staff.staff import DecideRoles, ProposeRoles
from tests.api.banking import command
from tests.api.support import ApiServer, Player, new_key


def office(
    house: ApiServer, call: str, key: Any = None, staff: Any = "ann", **body: Any
) -> dict[str, Any]:
    """Returns the envelope of a call by one of the staff."""
    headers = {"office": _shown_by(house, staff), "Idempotency-Key": key or new_key()}
    url = f"/api/office/{call}"
    answer = house.client.post(url, json={"staff": staff, **body}, headers=headers)
    found: dict[str, Any] = answer.json()
    return found


def two(house: ApiServer, call: str, **body: Any) -> dict[str, Any]:
    """Have two of the staff send the same call and return the answer to the second."""
    office(house, call, **body)
    return office(house, call, staff="ben", **body)


def _shown_by(house: ApiServer, name: str) -> str:
    """In demo mode the machine's secret, otherwise a pass of this person with every role."""
    if house.settings.demo:
        return house.services.office_secret
    if name not in house.passes:
        house.passes[name] = hire(house, name, *Role)
    return house.passes[name]


def hire(house: ApiServer, name: str, *roles: Role) -> str:
    """Give these roles to a person and return a new pass. The managers approve if there are any."""
    number, token = new_key(), secrets.token_urlsafe(32)
    first, *others = _hands(house)
    command(house, ProposeRoles(number, name, roles, first))
    for other in others:
        command(house, DecideRoles(number, approve=True, by=other))
    for by in _hands(house):
        command(house, IssuePass(name, fingerprint_of(token), by))
    return token


def _hands(house: ApiServer) -> list[str]:
    """The required approvers: two managers, or the machine while there are fewer."""
    looking = house.engine.reader
    assert looking is not None
    managers = sorted(looking.house.staff.managers())[:MANAGERS_NEEDED]
    return [actor_of(each) for each in managers] if len(managers) > 1 else [MACHINE]


def close(player: Player) -> None:
    office(player.house, "memberSwitch", player=player.id, closed=True, reason="for the test")


def deposit(player: Player, amount: Any = 250) -> str:
    body = {"amount": amount, "channel": "bank", "reference": f"invoice {new_key()}"}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    player.house.catch_up()
    return number


def decided(house: ApiServer, kind: str, number: str, staff: str = "ann", **body: Any) -> Any:
    """Returns the status after a decision, or the reason of its refusal."""
    answer = office(
        house, f"{kind}Decision", staff=staff, **{"approve": True, "id": number, **body}
    )
    return answer["data"]["status"] if answer["code"] else answer["reason"]
