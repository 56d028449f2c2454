"""Valid bodies of all calls, prepared in a scene.

A body is the request of the call's example, about the scene's player if it names a player. A call
has an entry here only if its example is not valid in a scene: it needs a preparation, names an
item, must not repeat its words, or would change the server for the other scenes.
"""

import secrets
from collections.abc import Callable
from typing import Final

from api.http.asgi_app import CALLS
from api.http.openapi.document import Example
from tests.api.banking import CODE
from tests.api.support import PASSWORD
from tests.api.test_log_tree import seal
from tests.probing import scene as ground
from tests.probing.scene import NEW_PASSWORD, Body, Scene, after, card, fresh_name, just

Wish = Callable[[Scene], Body]


def _order(scene: Scene) -> Body:
    ground.funded(scene)
    return scene.house.order()


def _recall(scene: Scene) -> Body:
    placed = ground.bet(scene)
    return {"issue": placed["issue"], "orderNo": placed["orderNo"]}


def _entry(scene: Scene) -> Body:
    placed = ground.bet(scene)
    seal(scene.house)
    return {"bet": placed["orderNo"]}


def _sealed(scene: Scene) -> Body:
    seal(scene.house)
    return {}


def _withdrawal(scene: Scene) -> Body:
    ground.prepared(scene)
    return {"money": 100, "securityCode": CODE}


def _of(made: Callable[[Scene], str], **body: object) -> Wish:
    """A call about an item that this preparation creates."""
    return lambda scene: {"id": made(scene), **body}


def _named(made: Callable[[Scene], str]) -> Wish:
    """A call about a person whose name this preparation returns."""
    return lambda scene: {"name": made(scene)}


def _paid(scene: Scene) -> Body:
    return {"order": ground.ordered(scene), "amount": "25", "nonce": fresh_name()}


#: The fields that differ from the example, by path under /api/.
_CHANGES: Final[dict[str, Wish]] = {
    "index/articledetail": _of(ground.article),
    "gateway/notify": _paid,
    "Lottery/proof": lambda scene: {"issue": scene.house.issue},
    "Lottery/playOrder": _order,
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
    "user/releaseQuota": after(ground.with_quota),
    "user/releaseBonus": after(ground.with_bonus_due),
    "user/endSession": _of(ground.elsewhere),
    "user/stepUp": just(password=PASSWORD),
    "user/readMessage": _of(ground.staff_message),
    "office/payoutDetails": _of(ground.requested_withdrawal),
    "office/deposit": lambda _: {"reference": f"invoice of {fresh_name()}"},
    "office/depositDecision": _of(ground.announced),
    "office/withdrawalDecision": _of(ground.requested_withdrawal),
    "office/withdrawalPayment": _of(ground.approved),
    "office/giftDecision": _of(ground.offered),
    "office/adjustmentDecision": _of(ground.proposed),
    "office/booking": lambda _: {"reference": f"charges of {fresh_name()}"},
    "office/bookingDecision": _of(ground.booking),
    "office/switch": just(scope="plan-36", closed=False),
    "office/odds": after(ground.no_odds_proposed, table="card-21.04.02"),
    "office/settingDecision": _of(ground.proposed_odds, approve=False),
    "office/securityCodeLift": after(ground.with_code),
    "office/accountChange": lambda scene: {"player": scene.house.register().id},
    "office/accountChangeDecision": _of(ground.proposed_reset),
    "office/roundVoid": lambda scene: {"issue": scene.house.issue},
    "office/identityDecision": lambda scene: {
        "player": ground.with_same_card(scene),
        "other": scene.member.id,
    },
    "office/chatRemove": _of(ground.chat_message),
    "office/contentWithdraw": _of(ground.article),
    "office/messageWithdraw": _of(ground.staff_message),
    "office/staffRoles": lambda _: {"name": fresh_name()},
    "office/staffRolesDecision": _of(
        lambda scene: ground.roles_for(scene, fresh_name(), "manager2")
    ),
    "office/staffRemove": _named(ground.colleague),
    "office/staffPass": lambda scene: {
        "name": ground.colleague(scene),
        "fingerprint": secrets.token_hex(32),
    },
    "office/staffPassEnd": _named(ground.colleague),
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
