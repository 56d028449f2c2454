"""Who members are: shared identities, forgotten passwords, erasure."""

import argparse
from collections.abc import Callable
from typing import Any

from scripts.staff.house import House
from scripts.staff.tables import table

Command = Callable[[House, argparse.Namespace], str]
Adding = Callable[[str, str], argparse.ArgumentParser]
_PLAYER = "user name or player id"
_UNKNOWN = (
    "A member who has given neither an ID card nor a payout account cannot be compared: an excluded"
    " person may be behind such an account."
)


def add_options(add: Adding) -> None:
    """Add the commands about members."""
    showing = add("identities", "members who gave an ID card or payout account of another")
    showing.add_argument("--all", action="store_true", help="decided ones as well")
    for name, says in (
        ("same-person", "two members are one person: the later account takes no bets any more"),
        ("different-people", "two members are two people, though they gave the same"),
    ):
        deciding = add(name, f"{says}; held withdrawals go on")
        deciding.add_argument("player", help=f"who gave it later: {_PLAYER}")
        deciding.add_argument("other", help=f"who had given it: {_PLAYER}")
        deciding.add_argument("--reason", required=True, help="what shows it")


def _identities(house: House, options: argparse.Namespace) -> str:
    return _pairs(house.ask("identities", {"every": options.all})["data"])


def _decide(*, same: bool) -> Command:
    def decide(house: House, options: argparse.Namespace) -> str:
        body = {"player": options.player, "other": options.other, "same": same}
        return _pairs(house.ask("identityDecision", {**body, "reason": options.reason})["data"])

    return decide


def _pairs(pairs: list[dict[str, Any]]) -> str:
    if not pairs:
        return f"no members share an identity\n{_UNKNOWN}"
    titles = ("member", "gave it after", "shares", "status", "exclusion")
    rows = [
        [
            f"{it['username'] or '(erased)'} ({it['player']})",
            f"{it['other_username'] or '(erased)'} ({it['other']})",
            it["shares"],
            "OPEN: withdrawals are held" if it["status"] == "open" else it["status"],
            "carried over" if it["excluded"] else "",
        ]
        for it in pairs
    ]
    told = table(titles, rows)
    if any(it["status"] == "open" for it in pairs):
        told += (
            "\ndecide with: scripts/office same-person MEMBER OTHER --reason TEXT, or"
            " different-people"
        )
    return f"{told}\n{_UNKNOWN}"


COMMANDS: dict[str, Command] = {
    "identities": _identities,
    "same-person": _decide(same=True),
    "different-people": _decide(same=False),
}
