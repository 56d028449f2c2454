"""Valid bodies of all calls, prepared in a scene."""

import secrets
from collections.abc import Callable
from typing import Final

from tests.api.banking import CODE
from tests.api.support import PASSWORD
from tests.probing import scene as ground
from tests.probing.scene import NEW_PASSWORD, Body, Scene, after, card, fresh_name, just

Wish = Callable[[Scene], Body]


def _order(scene: Scene) -> Body:
    ground.funded(scene)
    return scene.house.order()


def _recall(scene: Scene) -> Body:
    placed = ground.bet(scene)
    return {"issue": placed["issue"], "game_id": 1, "orderNo": placed["orderNo"]}


def _withdrawal(scene: Scene) -> Body:
    ground.prepared(scene)
    return {"type": 0, "money": 100, "securityCode": CODE}


def _of(made: Callable[[Scene], str], **body: object) -> Wish:
    """A call about an item that this preparation creates."""
    return lambda scene: {"id": made(scene), **body}


def _about(**body: object) -> Wish:
    """A call about the scene's player."""
    return lambda scene: {"player": scene.member.id, **body}


def _paid(scene: Scene) -> Body:
    return {"order": ground.ordered(scene), "amount": "25", "nonce": fresh_name()}


_ROOM: Final = {"plan_id": 1, "game_id": 1}
_OFFICE: Final[dict[str, Wish]] = {
    "queue": just(every=True),
    "payoutDetails": _of(ground.requested_withdrawal),
    "deposit": lambda scene: {
        **_about(amount=50, channel="bank")(scene),
        "reference": f"invoice of {fresh_name()}",
    },
    "depositDecision": _of(ground.announced, approve=True),
    "withdrawalDecision": _of(ground.requested_withdrawal, approve=True),
    "withdrawalPayment": _of(ground.approved, reference="wire 3"),
    "gift": _about(amount=5, reason="a good customer"),
    "giftDecision": _of(ground.offered, approve=True),
    "adjustment": _about(amount=5, reason="a mistake by staff"),
    "adjustmentDecision": _of(ground.proposed, approve=True),
    "books": just(),
    "booking": lambda _: {
        "kind": "fee",
        "channel": "bank",
        "amount": -5,
        "reference": f"charges of {fresh_name()}",
    },
    "bookingDecision": _of(ground.booking, approve=True),
    "settings": just(),
    "switch": just(scope="plan-36", closed=False),
    "terms": just(quota_s=86_400 * 30),
    "odds": after(ground.no_odds_proposed, table="card-21.04.02"),
    "settingDecision": _of(ground.proposed_odds, approve=False),
    "receivingAccounts": just(bank="Bank of the House"),
    "memberSwitch": _about(closed=True, reason="asked for"),
    "securityCodeLift": lambda scene: {
        "player": scene.member.id,
        **after(ground.with_code, reason="forgotten")(scene),
    },
    "accountChange": lambda scene: {
        "player": scene.house.register().id,
        "kind": "password_reset",
        "reason": "forgotten",
    },
    "accountChangeDecision": _of(ground.proposed_reset, approve=True),
    "undrawnRounds": just(),
    "roundVoid": lambda scene: {"game_id": 1, "issue": scene.house.issue, "reason": "an incident"},
    "roundVoidDecision": just(id="unknown", approve=True),
    "identities": just(),
    "identityDecision": lambda scene: {
        "player": ground.with_same_card(scene),
        "other": scene.member.id,
        "same": False,
        "reason": "two documents",
    },
    "mute": _about(muted=True, reason="shouting", hours=2),
    "chatRemove": _of(ground.chat_message, reason="an insult"),
    "chat": just(plan_id=1),
    "content": just(),
    "contentSave": just(kind="announcement", texts=ground.TEXTS),
    "contentWithdraw": _of(ground.article),
    "message": _about(texts=ground.TEXTS),
    "messageWithdraw": _of(ground.staff_message),
    "program": just(),
    "staff": just(),
    "staffRoles": lambda _: {"name": fresh_name(), "roles": ["auditor"]},
    "staffRolesDecision": lambda scene: {
        "id": ground.roles_for(scene, fresh_name(), "manager2"),
        "approve": True,
    },
    "staffRemove": lambda scene: {"name": ground.colleague(scene)},
    "staffPass": lambda scene: {
        "name": ground.colleague(scene),
        "fingerprint": secrets.token_hex(32),
    },
    "staffPassEnd": lambda scene: {"name": ground.colleague(scene)},
}
_USER: Final[dict[str, Wish]] = {
    "register": lambda _: {"username": fresh_name(), "password": PASSWORD, "group_id": 1},
    "login": lambda scene: {"account": scene.member.username, "password": PASSWORD},
    "join": lambda _: {"username": fresh_name(), "password": PASSWORD},
    "userInfo": just(),
    "profile": lambda _: {"idcard": fresh_name()},
    "safetyInfo": just(),
    "setSafety": just(new_code=CODE, after_code=""),
    "newPass": just(new_pass=NEW_PASSWORD, after_pass=PASSWORD),
    "logout": just(),
    "payInfo": just(type=0),
    "setPayInfo": lambda _: card(),
    "withdrawInfo": just(),
    "withdrawAction": _withdrawal,
    "protection": just(),
    "setLimit": just(subject="loss", span="day", amount=500),
    "timeOut": just(hours=24),
    "exclude": just(days=200),
    "realityCheck": just(minutes=30),
    "reserveQuota": just(),
    "releaseQuota": after(ground.with_quota),
    "releaseBonus": after(ground.with_bonus_due),
    "orderList": just(),
    "quantityLogList": just(),
    "recharge": just(),
    "sessions": just(),
    "endSession": _of(ground.elsewhere),
    "stepUp": just(password=PASSWORD),
    "statementCsv": just(),
    "messages": just(),
    "readMessage": _of(ground.staff_message),
    "deposit": just(amount=250, channel="bank", reference="invoice 8"),
}
_LOTTERY: Final[dict[str, Wish]] = {
    "index": just(game_id=1),
    "oddsList": just(**_ROOM),
    "issueList": just(game_id=1),
    "cand": just(game_id=1),
    "trend": just(game_id=1),
    "proof": lambda scene: {"game_id": 1, "issue": scene.house.issue},
    "joinChat": just(**_ROOM),
    "say": just(**_ROOM, words="good luck"),
    "heart": just(**_ROOM),
    "playOrder": _order,
    "recall": _recall,
}
WISHES: Final[dict[str, Wish]] = {
    "/api/index/index": just(),
    "/api/index/articleList": just(),
    "/api/index/articledetail": _of(ground.article),
    "/api/gateway/notify": _paid,
    **{f"/api/Lottery/{name}": wish for name, wish in _LOTTERY.items()},
    **{f"/api/user/{name}": wish for name, wish in _USER.items()},
    **{f"/api/office/{name}": wish for name, wish in _OFFICE.items()},
}
