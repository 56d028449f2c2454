"""A server without demo mode, and calls to it with a pass or the machine's secret."""

import secrets
from typing import Any

from msgspec.structs import fields

from api.http.asgi_app import CALLS
from api.http.openapi.document import Example
from engine.staff.passes import fingerprint_of
from tests.api.support import ApiServer, new_key

_CALLS = {call.path: call for call in CALLS}
#: Request fields that name no existing item, so that an allowed call changes nothing.
_NOTHING: dict[str, Any] = {
    "player": 1,
    "game_id": 1,
    "issue": "20260101001",
    "amount": 1,
    "channel": "bank",
    "kind": "fee",
    "reference": "x",
    "reason": "x",
    "id": "x",
    "approve": True,
    "scope": "moon",
    "closed": True,
    "table": "x",
    "muted": True,
    "name": "unknown",
    "other": 2,
    "same": True,
    "fingerprint": "0" * 64,
}


def harmless(call: str) -> dict[str, Any]:
    """A body with which an allowed staff call changes nothing.

    Fields that the call requires and that name no item are as in its example.
    """
    path = f"/api/office/{call}"
    example = Example.of(path)
    assert example is not None
    required = {each.encode_name for each in fields(_CALLS[path].request_type) if each.required}
    shown = {name: value for name, value in example.request.items() if name in required}
    return {**shown, **_NOTHING}


def staff_call(
    house: ApiServer, call: str, shown: str, key: str | None = None, **body: Any
) -> dict[str, Any]:
    """Returns the envelope of a staff call with these credentials."""
    headers = {"office": shown, "Idempotency-Key": key or new_key()}
    answer = house.client.post(f"/api/office/{call}", json=body, headers=headers)
    found: dict[str, Any] = answer.json()
    return found


def by(house: ApiServer, who: str, call: str, **body: Any) -> dict[str, Any]:
    return staff_call(house, call, house.passes[who], **body)


def machine(house: ApiServer, call: str, **body: Any) -> dict[str, Any]:
    return staff_call(house, call, house.services.office_secret, **body)


def why(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["reason"], answer.get("field", "")


def proposed(house: ApiServer, name: str, *roles: str, who: str = "ann") -> str:
    """Propose roles and return the id of the pending proposal."""
    answer = by(house, who, "staffRoles", name=name, roles=roles)
    (number,) = [it["id"] for it in answer["data"]["proposals"] if it["name"] == name]
    assert isinstance(number, str)
    return number


def employed(house: ApiServer, name: str, *roles: str) -> str:
    """Have two managers give the roles to a person and return the person's new pass."""
    number = proposed(house, name, *roles)
    assert by(house, "ben", "staffRolesDecision", id=number, approve=True)["code"] == 1
    return issue_pass(house, name, house.passes["ann"], house.passes["ben"])


def issue_pass(house: ApiServer, name: str, *shown: str) -> str:
    """Create a pass for the person, confirmed with each of the passes shown, and return it."""
    token = secrets.token_urlsafe(32)
    for each in shown:
        answer = staff_call(house, "staffPass", each, name=name, fingerprint=fingerprint_of(token))
        assert answer["code"] == 1, answer
    return token


def people(answer: dict[str, Any]) -> dict[str, Any]:
    return {person["name"]: person for person in answer["data"]["people"]}
