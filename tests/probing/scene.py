"""The callers, and valid requests for the matrix and the probes.

A `Scene` is a server with one player who owns items. A wish prepares the scene and returns the body
of a call that must succeed for every caller that may make it.
"""

import itertools
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

import psycopg

from api.cashier.payment_webhook import SIGNATURE_HEADER, TIMESTAMP_HEADER, signature
from engine.runtime.vault.sessions import LIFETIME_US
from tests.api.banking import CODE, HOLDER, give
from tests.api.support import SECOND_US, ApiServer, Player, new_key
from tests.probing.crew import issue_pass

Body = dict[str, Any]
Headers = dict[str, str]
NEW_PASSWORD: Final = "another-secret-2"
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
    return _session(player, player.house.clock.now - LIFETIME_US - 1)


def revoked(player: Player) -> str:
    """A token of the player that was signed out."""
    token = _session(player, player.house.clock.now)
    player.house.services.sessions.revoke(token)
    return token


def _session(player: Player, created_at: int) -> str:
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


# Preparations of the wishes.


def prepared(scene: Scene) -> None:
    """Everything that a withdrawal needs, and money without turnover due."""
    scene.as_member("user/profile", idcard=f"PROBE-{next(_numbers)}")
    scene.as_member("user/setPayInfo", **card())
    scene.as_member("user/setSafety", new_code=CODE, after_code="")
    give(scene.member, 1000)


def card() -> Body:
    number = f"6333{next(_numbers):08}"
    return {"acc": number, "acc_name": HOLDER, "acc_bank": "Bank of Probes", "type": 0}


def funded(scene: Scene) -> None:
    give(scene.member, 1000)


def bet(scene: Scene) -> Body:
    funded(scene)
    return scene.as_member("Lottery/playOrder", **scene.house.order())


def announced(scene: Scene) -> str:
    """A pending deposit of the player."""
    body = {"amount": 250, "channel": "bank", "reference": f"invoice {next(_numbers)}"}
    number: str = scene.as_member("user/deposit", **body)["id"]
    scene.house.catch_up()
    return number


def ordered(scene: Scene) -> str:
    number: str = scene.as_member("user/deposit", amount=25, channel="online")["id"]
    return number


def requested_withdrawal(scene: Scene) -> str:
    """A pending withdrawal of the player."""
    prepared(scene)
    body = {"type": 0, "money": 200, "securityCode": CODE}
    number: str = scene.as_member("user/withdrawAction", **body)["id"]
    scene.house.catch_up()
    return number


def approved(scene: Scene) -> str:
    number = requested_withdrawal(scene)
    scene.as_staff("cashier2", "withdrawalDecision", id=number, approve=True)
    scene.house.catch_up()
    return number


def proposed(scene: Scene) -> str:
    """A correction that a second person has to approve."""
    body = {"player": scene.member.id, "amount": 5, "reason": "a probe"}
    number: str = scene.as_staff("manager2", "adjustment", **body)["id"]
    scene.house.catch_up()
    return number


def proposed_reset(scene: Scene) -> str:
    """A password reset that a second person has to approve."""
    body = {"player": scene.house.register().id, "kind": "password_reset", "reason": "a probe"}
    number: str = scene.as_staff("manager2", "accountChange", **body)["id"]
    scene.house.catch_up()
    return number


def proposed_odds(scene: Scene) -> str:
    """Other odds that a second person has to approve."""
    found: str = scene.as_staff("manager2", "odds", table="balanced")["odds"]["proposed"]["id"]
    scene.house.catch_up()
    return found


def no_odds_proposed(scene: Scene) -> None:
    """Reject the odds proposal if one is open."""
    scene.house.catch_up()
    if found := scene.as_staff("manager2", "settings")["odds"]["proposed"]:
        scene.as_staff("manager2", "settingDecision", id=found["id"], approve=False)
        scene.house.catch_up()


def offered(scene: Scene) -> str:
    """A gift that a second person has to approve."""
    body = {"player": scene.member.id, "amount": 1_000_001, "reason": "a probe"}
    number: str = scene.as_staff("manager2", "gift", **body)["id"]
    scene.house.catch_up()
    return number


def booking(scene: Scene) -> str:
    """A booking that a second person has to approve."""
    body = {"kind": "capital", "channel": "bank", "amount": 1_000_001}
    words = f"capital {next(_numbers)}"
    number: str = scene.as_staff("manager2", "booking", reference=words, **body)["id"]
    return number


def with_bonus_due(scene: Scene) -> None:
    """Bonus money whose turnover is met."""
    funded(scene)
    scene.as_staff("cashier", "gift", player=scene.member.id, amount=1, reason="a probe")
    scene.as_member("Lottery/playOrder", **scene.house.order(money=10))
    scene.house.draw_round()


def chat_message(scene: Scene) -> str:
    """A message of the player in the chat of the first hall."""
    body = {"plan_id": 1, "game_id": 1, "words": f"good luck {next(_numbers)}"}
    number: str = scene.as_member("Lottery/say", **body)["id"]
    scene.house.catch_up()
    return number


TEXTS: Final = {"en": {"title": "A pause", "content": "Tonight."}}


def article(scene: Scene) -> str:
    """An article in the news."""
    body = {"kind": "article", "tab": "original", "texts": TEXTS}
    number: str = scene.as_staff("editor", "contentSave", **body)["id"]
    scene.house.catch_up()
    return number


def staff_message(scene: Scene) -> str:
    """A message from staff to the player."""
    body = {"player": scene.member.id, "texts": TEXTS}
    number: str = scene.as_staff("support", "message", **body)["id"]
    scene.house.catch_up()
    return number


def colleague(scene: Scene) -> str:
    """The name of another staff member, who has a pass."""
    name = f"clerk{next(_numbers)}"
    scene.as_staff("manager2", "staffRolesDecision", id=roles_for(scene, name), approve=True)
    issue_pass(scene.house, name, scene.staff["manager"], scene.staff["manager2"])
    return name


def roles_for(scene: Scene, name: str, by: str = "manager") -> str:
    """A proposal of a role for this person, which another person has to approve."""
    body = {"name": name, "roles": ["auditor"]}
    proposals = scene.as_staff(by, "staffRoles", **body)["proposals"]
    (number,) = (each["id"] for each in proposals if each["name"] == name)
    return str(number)


def elsewhere(scene: Scene) -> str:
    """The id of another session of the player."""
    token = _session(scene.member, scene.house.clock.now)
    shown = scene.member.call("user/sessions", {})["data"]
    assert token
    return str(next(each["id"] for each in shown if not each["current"]))


def with_quota(scene: Scene) -> None:
    scene.as_member("user/reserveQuota")


def with_code(scene: Scene) -> None:
    scene.as_member("user/setSafety", new_code=CODE, after_code="")


def with_same_card(scene: Scene) -> int:
    """Another player, who gave the same card as the scene's player."""
    other, shared_card = scene.house.register(), card()
    scene.as_member("user/setPayInfo", **shared_card)
    assert other.call("user/setPayInfo", shared_card)["code"] == 1
    return other.id


def fresh_name() -> str:
    return f"prober{next(_numbers)}"


def after(prepare: Callable[[Scene], object], **body: Any) -> Callable[[Scene], Body]:
    """A wish with these fields after this preparation."""

    def wish(scene: Scene) -> Body:
        prepare(scene)
        return dict(body)

    return wish


def just(**body: Any) -> Callable[[Scene], Body]:
    """A wish with these fields and no preparation."""
    return lambda _: dict(body)
