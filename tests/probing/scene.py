"""The callers of the matrix and the probes.

A `Scene` is a server with one player who owns items.
"""

import itertools
import secrets
from hashlib import sha256
from typing import Any

import psycopg

from api.cashier.payment_webhook import SIGNATURE_HEADER, TIMESTAMP_HEADER, signature
from engine.runtime.vault.sessions import LIFETIME_US
from tests.api.support import SECOND_US, ApiServer, Player, new_key

Body = dict[str, Any]
Headers = dict[str, str]
_numbers = itertools.count(1)


class Scene:
    """A player on a server without demo gifts, and the callers of calls about the player."""

    def __init__(self, house: ApiServer, staff: dict[str, str]) -> None:
        """`staff` maps names to passes, including an expired and a revoked one."""
        self.house = house
        self.staff = staff
        self.member = house.register()

    def token(self, caller: str) -> str:
        """The player's token that this caller sends; empty for callers without one."""
        match caller:
            case "member":
                return self.member.token
            case "other":
                return self.house.register().token
            case "guest":
                name = f"visitor{next(_numbers)}"
                return self.house.register(username=name, password="ABCDEF", group_id=2).token
            case "expired":
                return expired(self.member)
            case "revoked":
                return revoked(self.member)
            case _:
                return ""

    def headers(self, caller: str) -> Headers:
        """The headers that this caller sends with a call."""
        headers = {"Idempotency-Key": new_key()}
        if token := self.token(caller):
            headers["token"] = token
        if caller in self.staff:
            headers["office"] = self.staff[caller]
        return headers

    def send(self, method: str, path: str, body: Body, headers: Headers) -> dict[str, Any]:
        """Returns the envelope of a call."""
        query, sent = (body, None) if method == "GET" else (None, body)
        answer = self.house.client.request(method, path, params=query, json=sent, headers=headers)
        assert answer.status_code < 500, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def as_staff(self, role: str, call: str, **body: Any) -> dict[str, Any]:
        """Returns the data of an accepted call by staff with this role."""
        answer = self.send("POST", f"/api/office/{call}", body, self.headers(role))
        assert answer["code"] == 1, answer
        data: dict[str, Any] = answer["data"]
        return data

    def as_member(self, path: str, **body: Any) -> dict[str, Any]:
        """Returns the data of an accepted call by the player."""
        answer = self.member.call(path, body, new_key())
        assert answer["code"] == 1, answer
        data: dict[str, Any] = answer["data"]
        return data


def expired(player: Player) -> str:
    """An expired token of the player."""
    return new_session(player, player.house.clock.now - LIFETIME_US - 1)


def revoked(player: Player) -> str:
    """A token of the player that was signed out."""
    token = new_session(player, player.house.clock.now)
    player.house.services.sessions.revoke(token)
    return token


def new_session(player: Player, created_at: int) -> str:
    """The token of a new session of the player."""
    token = secrets.token_urlsafe(32)
    with psycopg.connect(player.house.conninfos.app) as connection:
        connection.execute(
            "INSERT INTO vault.sessions (token_hash, player, created_at, active_at)"
            " VALUES (%s, %s, %s, %s)",
            (sha256(token.encode()).digest(), player.id, created_at, created_at),
        )
    return token


def signed(house: ApiServer, content: bytes) -> dict[str, str]:
    """The headers of a message signed by the payment gateway."""
    at = str(house.clock.now // SECOND_US).encode()
    right = signature(house.services.gateway_secret, at, content)
    return {TIMESTAMP_HEADER.decode(): at.decode(), SIGNATURE_HEADER.decode(): right.decode()}
