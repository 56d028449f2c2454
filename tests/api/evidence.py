"""The evidence files of a bet, a round and an account, as the app saves them from API answers.

`webapp/src/features/fairness/evidence.ts` and `webapp/src/features/history/accountFile.ts` write
these files; tests/browser verifies those that the app itself saved.
"""

from typing import Any

from tests.api.support import Player
from tests.api.test_log_tree import published
from tests.api.test_proofs import proof

_RECORDS = ("record", "hash", "operator_signature", "witness_signature")
_SECRETS = ("operator_secret", "witness_secret", "witness_signature")
_BET = ("receipt", "index", "path", "payout_minor")


def bet_file(member: Player, issue: str, order: str) -> dict[str, Any]:
    """The file of one bet in a drawn round, with its entry in the sealed log."""
    house = member.house
    found = proof(house, issue, member)
    (bet,) = (each for each in found["bets"] if each["receipt"]["bet"] == order)
    logged = member.call("fair/entry", {"bet": order})["data"]
    note = house.client.get("/api/fair/checkpoint").text
    asked = {"position": logged["position"], "size": published(house).checkpoint.size}
    path = house.client.get("/api/fair/proof/inclusion", params=asked).json()["path"]
    return {
        "format": "fairdraw/evidence/v1",
        "player": str(member.id),
        "bet": _only(bet, _BET),
        "batch": logged["batch"],
        "log": {"entry": logged["entry"], "path": path, "note": note},
        **_round(found),
    }


def round_file(member: Player, issue: str) -> dict[str, Any]:
    """The file of a drawn round with all of the member's bets."""
    found = proof(member.house, issue, member)
    bets = [_only(bet, _BET) for bet in found["bets"]]
    return {"format": "fairdraw/round/v1", "player": str(member.id), "bets": bets, **_round(found)}


def account_file(member: Player) -> dict[str, Any]:
    """The file of all of the member's sealed entries."""
    found = member.call("fair/account", {})["data"]
    return {
        "format": "fairdraw/account/v1",
        "player": str(member.id),
        **found["checkpoint"],
        "facts": found["facts"],
    }


def _round(found: dict[str, Any]) -> dict[str, Any]:
    record = found["day"]["record"]
    return {
        "operator_key": record["operator_key"],
        "witness_key": record["witness_key"],
        "day": _only(found["day"], _RECORDS),
        "frozen": _only(found["frozen"], _RECORDS[:3]),
        "secrets": _only(found["secrets"], _SECRETS),
        "drawn": _only(found["drawn"], ("digits", "sum")),
        "voided": None,
    }


def _only(found: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: found[name] for name in names if name in found}
