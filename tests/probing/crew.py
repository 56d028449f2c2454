"""The staff of the probed server: people for each role, and passes that are no longer valid."""

import secrets
from typing import Any, Final

import pytest

from engine.staff import passes as rules
from engine.staff.passes import fingerprint_of
from engine.staff.roles import Role
from tests.api.support import ApiServer, new_key

#: Each has one role; the second of a pair approves the proposals of the first.
CREW: Final = {
    "manager": Role.MANAGER,
    "manager2": Role.MANAGER,
    "cashier": Role.CASHIER,
    "cashier2": Role.CASHIER,
    "support": Role.SUPPORT,
    "editor": Role.EDITOR,
    "auditor": Role.AUDITOR,
}


def hired(house: ApiServer) -> dict[str, str]:
    """Hire the staff and return their passes by name. The machine hires the managers first."""
    machine = house.services.office_secret
    for name in ("manager", "manager2"):
        _staff_call(house, machine, "staffRoles", {"name": name, "roles": [Role.MANAGER]})
    passes = {"manager": issue_pass(house, "manager", machine)}
    passes["manager2"] = issue_pass(house, "manager2", passes["manager"], machine)
    for name, role in CREW.items():
        if role is not Role.MANAGER:
            body = {"name": name, "roles": [role]}
            proposals = _staff_call(house, passes["manager"], "staffRoles", body)["proposals"]
            (proposal,) = (each["id"] for each in proposals if each["name"] == name)
            agreed = {"id": proposal, "approve": True}
            _staff_call(house, passes["manager2"], "staffRolesDecision", agreed)
            passes[name] = issue_pass(house, name, passes["manager"], passes["manager2"])
    return passes


def issue_pass(house: ApiServer, name: str, *by: str) -> str:
    """Create a pass for a person, confirmed with each of these passes, and return it."""
    token = secrets.token_urlsafe(32)
    for shown in by:
        _staff_call(house, shown, "staffPass", {"name": name, "fingerprint": fingerprint_of(token)})
    return token


def _staff_call(house: ApiServer, key: str, call: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"office": key, "Idempotency-Key": new_key()}
    answer = house.client.post(f"/api/office/{call}", json=body, headers=headers).json()
    assert answer["code"] == 1, answer
    data: dict[str, Any] = answer["data"]
    return data


def dead_pass(house: ApiServer, crew: dict[str, str], *, revoked: bool) -> str:
    """A manager's pass that is revoked or expired."""
    name = "ended" if revoked else "late"
    hands = (crew["manager"], crew["manager2"])
    body = {"name": name, "roles": [Role.MANAGER]}
    proposals = _staff_call(house, hands[0], "staffRoles", body)["proposals"]
    (proposal,) = (each["id"] for each in proposals if each["name"] == name)
    _staff_call(house, hands[1], "staffRolesDecision", {"id": proposal, "approve": True})
    with pytest.MonkeyPatch.context() as patch:
        if not revoked:
            patch.setattr(rules, "LIFETIME_US", 0)
        token = issue_pass(house, name, *hands)
    if revoked:
        _staff_call(house, hands[0], "staffPassEnd", {"name": name})
    return token
