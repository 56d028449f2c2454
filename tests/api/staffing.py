"""The staff of the tests' house, and what the tests ask in their name."""

from typing import Any

from tests.api.support import House, new_key


def office(
    house: House, call: str, key: Any = None, staff: Any = "ann", **body: Any
) -> dict[str, Any]:
    """The envelope that answers one of the staff."""
    headers = {"office": house.services.office_secret, "Idempotency-Key": key or new_key()}
    url = f"/api/office/{call}"
    answer = house.client.post(url, json={"staff": staff, **body}, headers=headers)
    found: dict[str, Any] = answer.json()
    return found
