"""The staff of the house that is probed: somebody for each role, and passes that serve no more."""

import secrets
from hashlib import sha256
from typing import Any, Final

import psycopg

from engine.house.roles import Role
from tests.api.support import House, new_key

#: Each with one role; the second of a pair agrees to what the first has asked for.
CREW: Final = {
    "manager": Role.MANAGER,
    "manager2": Role.MANAGER,
    "cashier": Role.CASHIER,
    "cashier2": Role.CASHIER,
    "support": Role.SUPPORT,
    "editor": Role.EDITOR,
    "auditor": Role.AUDITOR,
}


def hired(house: House) -> dict[str, str]:
    """Everybody's pass by name: the machine sets the managers, who hire the others."""
    machine = house.services.office_secret
    for name in ("manager", "manager2"):
        _ask(house, machine, "staffRoles", {"name": name, "roles": [Role.MANAGER]})
    passes = {"manager": _ask(house, machine, "staffPass", {"name": "manager"})["token"]}
    for name, role in CREW.items():
        if role is not Role.MANAGER:
            body = {"name": name, "roles": [role]}
            proposals = _ask(house, passes["manager"], "staffRoles", body)["proposals"]
            (proposal,) = (each["id"] for each in proposals if each["name"] == name)
            agreed = {"id": proposal, "approve": True}
            _ask(house, passes["manager2"], "staffRolesDecision", agreed)
        if name not in passes:
            passes[name] = _ask(house, passes["manager"], "staffPass", {"name": name})["token"]
    return passes


def _ask(house: House, key: str, call: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"office": key, "Idempotency-Key": new_key()}
    answer = house.client.post(f"/api/office/{call}", json=body, headers=headers).json()
    assert answer["code"] == 1, answer
    data: dict[str, Any] = answer["data"]
    return data


def dead_pass(house: House, *, revoked: bool) -> str:
    """A manager's pass that was revoked, or whose time is over."""
    token = secrets.token_urlsafe(32)
    with psycopg.connect(house.conninfos.app) as connection:
        connection.execute(
            "INSERT INTO vault.staff_passes"
            " (token_hash, name, created_at, expires_at, issued_by, revoked)"
            " VALUES (%s, 'former', 0, %s, 'machine', %s)",
            (sha256(token.encode()).digest(), house.clock.now + revoked, revoked),
        )
    return token
