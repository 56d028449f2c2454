"""Valid bodies of all calls, and what prepares a scene for them.

A wish prepares the scene and returns the body of a call that must succeed for every caller that may
make it.

A body is the request of the call's example, about the scene's player if it names a player. A call
has an entry here only if its example is not valid in a scene: it needs a preparation, names an
item, must not repeat its words, or would change the server for the other scenes.
"""

import itertools
import secrets
from collections.abc import Callable
from typing import Any, Final

from api.http.asgi_app import CALLS
from api.http.openapi.document import Example
from tests.api.banking import CODE, HOLDER, give
from tests.api.support import PASSWORD
from tests.api.test_log_tree import seal
from tests.probing.crew import issue_pass
from tests.probing.scene import Body, Scene, new_session

Wish = Callable[[Scene], Body]
NEW_PASSWORD: Final = "another-secret-2"
_numbers = itertools.count(1)


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
    token = new_session(scene.member, scene.house.clock.now)
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


# The bodies.


def _order(scene: Scene) -> Body:
    funded(scene)
    return scene.house.order()


def _slip(scene: Scene) -> Body:
    order = _order(scene)
    bet = {"key": fresh_name(), "play_type": order.pop("play_type"), "money": order.pop("money")}
    return order | {"bets": [bet]}


def _recall(scene: Scene) -> Body:
    placed = bet(scene)
    return {"issue": placed["issue"], "orderNo": placed["orderNo"]}


def _entry(scene: Scene) -> Body:
    placed = bet(scene)
    seal(scene.house)
    return {"bet": placed["orderNo"]}


def _sealed(scene: Scene) -> Body:
    seal(scene.house)
    return {}


def _withdrawal(scene: Scene) -> Body:
    prepared(scene)
    return {"money": 100, "securityCode": CODE}


def _of(made: Callable[[Scene], str], **body: object) -> Wish:
    """A call about an item that this preparation creates."""
    return lambda scene: {"id": made(scene), **body}


def _named(made: Callable[[Scene], str]) -> Wish:
    """A call about a person whose name this preparation returns."""
    return lambda scene: {"name": made(scene)}


def _paid(scene: Scene) -> Body:
    return {"order": ordered(scene), "amount": "25", "nonce": fresh_name()}


#: The fields that differ from the example, by path under /api/.
_CHANGES: Final[dict[str, Wish]] = {
    "index/articledetail": _of(article),
    "gateway/notify": _paid,
    "Lottery/proof": lambda scene: {"issue": scene.house.issue},
    "Lottery/playOrder": _order,
    "Lottery/playOrders": _slip,
    "Lottery/recall": _recall,
    "fair/entry": _entry,
    "fair/account": _sealed,
    "user/register": lambda _: {"username": fresh_name()},
    "user/login": lambda scene: {"account": scene.member.username, "password": PASSWORD},
    "user/join": lambda _: {"username": fresh_name(), "inviter_id": ""},
    "user/profile": lambda _: {"idcard": fresh_name()},
    "user/newPass": just(new_pass=NEW_PASSWORD, after_pass=PASSWORD),
    "user/setPayInfo": lambda _: card(),
    "user/withdrawAction": _withdrawal,
    "user/releaseQuota": after(with_quota),
    "user/releaseBonus": after(with_bonus_due),
    "user/endSession": _of(elsewhere),
    "user/stepUp": just(password=PASSWORD),
    "user/readMessage": _of(staff_message),
    "office/payoutDetails": _of(requested_withdrawal),
    "office/deposit": lambda _: {"reference": f"invoice of {fresh_name()}"},
    "office/depositDecision": _of(announced),
    "office/withdrawalDecision": _of(requested_withdrawal),
    "office/withdrawalPayment": _of(approved),
    "office/giftDecision": _of(offered),
    "office/adjustmentDecision": _of(proposed),
    "office/booking": lambda _: {"reference": f"charges of {fresh_name()}"},
    "office/bookingDecision": _of(booking),
    "office/switch": just(scope="plan-36", closed=False),
    "office/odds": after(no_odds_proposed, table="card-21.04.02"),
    "office/settingDecision": _of(proposed_odds, approve=False),
    "office/securityCodeLift": after(with_code),
    "office/accountChange": lambda scene: {"player": scene.house.register().id},
    "office/accountChangeDecision": _of(proposed_reset),
    "office/roundVoid": lambda scene: {"issue": scene.house.issue},
    "office/identityDecision": lambda scene: {
        "player": with_same_card(scene),
        "other": scene.member.id,
    },
    "office/chatRemove": _of(chat_message),
    "office/contentWithdraw": _of(article),
    "office/messageWithdraw": _of(staff_message),
    "office/staffRoles": lambda _: {"name": fresh_name()},
    "office/staffRolesDecision": _of(lambda scene: roles_for(scene, fresh_name(), "manager2")),
    "office/staffRemove": _named(colleague),
    "office/staffPass": lambda scene: {
        "name": colleague(scene),
        "fingerprint": secrets.token_hex(32),
    },
    "office/staffPassEnd": _named(colleague),
}


def _wish(path: str) -> Wish:
    example, change = Example.of(path), _CHANGES.get(path.removeprefix("/api/"), just())
    assert example is not None, f"{path} has no example"
    # The name of the staff member follows from the pass.
    shown = {name: value for name, value in example.request.items() if name != "staff"}

    def wish(scene: Scene) -> Body:
        about = {"player": scene.member.id} if "player" in shown else {}
        return {**shown, **about, **change(scene)}

    return wish


WISHES: Final[dict[str, Wish]] = {call.path: _wish(call.path) for call in CALLS}
